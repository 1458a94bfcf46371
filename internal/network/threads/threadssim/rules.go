package threadssim

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// Media types of a container.
const (
	typeText     = "TEXT"
	typeImage    = "IMAGE"
	typeVideo    = "VIDEO"
	typeCarousel = "CAROUSEL"
)

const (
	maxTextBytes = 500
	maxLinks     = 5
	maxTopic     = 50
	maxAlt       = 1000
	minChildren  = 2
	maxChildren  = 20
)

var createParams = []string{
	"media_type", "text", "image_url", "video_url", "is_carousel_item", "children", "alt_text", "link_attachment",
	"topic_tag",
	"reply_control",
}

var replyControls = []string{
	"everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only",
}

// parseContainer returns the container that the parameters of a create call describe, or the network's refusal.
func parseContainer(params url.Values) (*metasim.Container, error) {
	if params.Has("auto_publish_text") {
		return nil, metasim.Bad("Param auto_publish_text is refused here: after a crash, there would be no container to query")
	}
	if name, unknown := sim.UnknownParam(params, createParams...); unknown {
		return nil, metasim.Bad("THREADS_API__FEATURE_NOT_AVAILABLE: param %s is not simulated", name)
	}
	c := &metasim.Container{
		Type: params.Get("media_type"), Text: params.Get("text"), Link: params.Get("link_attachment"),
		Alt: params.Get("alt_text"), Extra: map[string]string{
			"topic_tag": params.Get("topic_tag"), "reply_control": params.Get("reply_control"),
		},
	}
	for _, check := range []func(*metasim.Container, url.Values) string{
		checkTypeAndReadItem, readAndCheckMedia, checkText, checkLinks, checkTopic, checkAltTextAndReplyControl,
	} {
		if problem := check(c, params); problem != "" {
			return nil, metasim.Bad("%s", problem)
		}
	}
	if c.Extra["topic_tag"] == "" {
		c.Extra["topic_tag"] = findTopic(c.Text)
	}
	return c, nil
}

// checkTypeAndReadItem checks the media type, and sets whether the container is a carousel item.
func checkTypeAndReadItem(c *metasim.Container, params url.Values) (problemOrEmpty string) {
	if !slices.Contains([]string{typeText, typeImage, typeVideo, typeCarousel}, c.Type) {
		return "Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}"
	}
	switch params.Get("is_carousel_item") {
	case "", "false":
	case "true":
		c.Item = true
	default:
		return "Param is_carousel_item must be a boolean"
	}
	if c.Item && c.Type != typeImage && c.Type != typeVideo {
		return "Param is_carousel_item is allowed only with media_type IMAGE or VIDEO"
	}
	return ""
}

// readAndCheckMedia sets the address of the file, or the children of a carousel. It needs the media type.
func readAndCheckMedia(c *metasim.Container, params url.Values) (problemOrEmpty string) {
	wants := map[string]string{typeImage: "image_url", typeVideo: "video_url", typeCarousel: "children"}[c.Type]
	for _, name := range []string{"image_url", "video_url", "children"} {
		if name != wants && params.Has(name) {
			return fmt.Sprintf("Param %s is not allowed with media_type %s", name, c.Type)
		}
	}
	if wants == "" {
		return ""
	}
	if params.Get(wants) == "" {
		return "The parameter " + wants + " is required"
	}
	if c.Type == typeCarousel {
		c.Children = strings.Split(params.Get(wants), ",")
		if n := len(c.Children); n < minChildren || n > maxChildren {
			return fmt.Sprintf("Param children must have between %d and %d items", minChildren, maxChildren)
		}
		return ""
	}
	c.MediaURL = params.Get(wants)
	if err := metasim.CheckAddress(wants, c.MediaURL); err != nil {
		return err.Error()
	}
	return ""
}

// checkText counts bytes: the real network has refused a text of 498 characters in 504 bytes.
func checkText(c *metasim.Container, _ url.Values) (problemOrEmpty string) {
	switch {
	case c.Type == typeText && strings.TrimSpace(c.Text) == "":
		return "The parameter text is required"
	case c.Item && c.Text != "":
		return "Param text belongs on the carousel, not on its items"
	case !utf8.ValidString(c.Text) || strings.ContainsRune(c.Text, 0):
		return "Param text must be valid UTF-8"
	case len(c.Text) > maxTextBytes:
		return "Param text must be at most 500 characters long"
	}
	return ""
}

var links = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"]+`)

func findLinks(text string) []string {
	found := links.FindAllString(text, -1)
	for i, l := range found {
		found[i] = strings.TrimRight(l, ".,;:!?)]}'’”»")
	}
	return found
}

func checkLinks(c *metasim.Container, params url.Values) (problemOrEmpty string) {
	if params.Has("link_attachment") {
		if c.Type != typeText {
			return "Param link_attachment is allowed only with media_type TEXT"
		}
		u, err := url.Parse(c.Link)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return "Param link_attachment must be a valid URL"
		}
	}
	unique := findLinks(c.Text)
	if c.Link != "" {
		unique = append(unique, c.Link)
	}
	slices.Sort(unique)
	if n := len(slices.Compact(unique)); n > maxLinks {
		return fmt.Sprintf("THREADS_API__LINK_LIMIT_EXCEEDED: a post may have at most %d links; this one has %d", maxLinks, n)
	}
	return ""
}

func checkTopic(c *metasim.Container, params url.Values) (problemOrEmpty string) {
	if !params.Has("topic_tag") {
		return ""
	}
	topic := c.Extra["topic_tag"]
	n := utf8.RuneCountInString(topic)
	if n < 1 || n > maxTopic || strings.TrimSpace(topic) == "" {
		return "Param topic_tag must be between 1 and 50 characters long"
	}
	if strings.ContainsAny(topic, ".&") {
		return "Param topic_tag must not contain periods or ampersands"
	}
	if c.Item {
		return "Param topic_tag belongs on the carousel, not on its items"
	}
	return ""
}

func checkAltTextAndReplyControl(c *metasim.Container, params url.Values) (problemOrEmpty string) {
	if params.Has("alt_text") {
		if c.Type != typeImage && c.Type != typeVideo {
			return "Param alt_text is allowed only with images and videos"
		}
		if utf8.RuneCountInString(c.Alt) > maxAlt {
			return "Param alt_text must be at most 1000 characters long"
		}
	}
	if params.Has("reply_control") && !slices.Contains(replyControls, params.Get("reply_control")) {
		return "Param reply_control must be one of {" + strings.Join(replyControls, ", ") + "}"
	}
	return ""
}

// findTopic returns the first hashtag of a text that is not a number, without the #; "" if there is none.
func findTopic(text string) string {
	for {
		_, rest, ok := strings.Cut(text, "#")
		if !ok {
			return ""
		}
		tag := rest
		if end := strings.IndexAny(rest, " \t\n.&@!?,;:#"); end >= 0 {
			tag = rest[:end]
		}
		if strings.Trim(tag, "0123456789") != "" && utf8.RuneCountInString(tag) <= maxTopic {
			return tag
		}
		text = rest
	}
}
