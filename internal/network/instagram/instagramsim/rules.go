package instagramsim

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// Kinds of containers. A Story has one of two.
const (
	kindImage      = "IMAGE"
	kindVideo      = "VIDEO"
	kindReel       = "REELS"
	kindCarousel   = "CAROUSEL"
	kindStory      = "STORIES"
	kindStoryVideo = "STORIES_VIDEO"
)

// Limits of posts and files, from part 4 of the facts.
const (
	maxCaption       = 2200
	maxHashtags      = 30
	maxMentions      = 20
	maxCollaborators = 3
	maxAlt           = 1000
	minChildren      = 2
	maxChildren      = 10
	maxImage         = 8 << 20
	leastRatio       = 0.8
	mostRatio        = 1.91
	maxReel          = 300_000_000
	maxStory         = 100_000_000
	maxWide          = 1920
)

// Subcodes for files that the network does not accept.
const (
	badVideo    = 2207026
	badDownload = 2207076
	badCover    = 2207057
)

var createParams = []string{
	"image_url", "video_url", "media_type", "caption", "is_carousel_item", "children", "collaborators", "share_to_feed",
	"thumb_offset", "alt_text", "upload_type",
}

// newRefusal returns an error with a subcode and a message for people.
func newRefusal(code, subcode int, message string) error {
	return &metasim.Error{Code: code, Subcode: subcode, Message: message, Title: "The post was refused", Detail: message}
}

// parseContainer returns the container that the parameters of a create call describe, or the network's refusal.
func parseContainer(q *sim.Request, takesBytes bool) (*metasim.Container, error) {
	params := q.Params
	if name, unknown := sim.UnknownParam(params, createParams...); unknown {
		return nil, metasim.Bad("param %s is not simulated", name)
	}
	c := &metasim.Container{
		Text: params.Get("caption"), Alt: params.Get("alt_text"), MediaURL: params.Get("video_url"),
		Extra: map[string]string{"product": productFeed},
	}
	for _, check := range []func(c *metasim.Container, params url.Values) error{
		readAndCheckKind, readAndCheckChildren, checkCaption, readAndCheckCollaborators, readAndCheckReel, checkAlt,
	} {
		if err := check(c, params); err != nil {
			return nil, err
		}
	}
	switch {
	case c.Type == kindImage || c.Type == kindStory:
		return c, checkImageAndSetMedia(q, c)
	case isVideo(c.Type):
		return c, checkVideoSourceAndSetPending(params, c, takesBytes)
	}
	return c, nil
}

// readAndCheckKind sets the kind of a container, and refuses parameters that do not fit it. The other checks need the
// kind.
func readAndCheckKind(c *metasim.Container, params url.Values) error {
	switch params.Get("is_carousel_item") {
	case "", "false":
	case "true":
		c.Item = true
	default:
		return metasim.Bad("param is_carousel_item must be a boolean")
	}
	c.Type = params.Get("media_type")
	switch {
	case c.Type == "" && params.Has("image_url"):
		c.Type = kindImage
	case c.Type == kindVideo && c.Item, c.Type == kindReel && !c.Item, c.Type == kindCarousel && !c.Item:
	case c.Type == kindStory && !c.Item:
		if !params.Has("image_url") {
			c.Type = kindStoryVideo
		}
	case c.Type == "":
		return metasim.Bad("The parameter image_url is required")
	default:
		return newRefusal(100, 2207023, "The media type "+c.Type+" is unknown.")
	}
	switch c.Type {
	case kindReel:
		c.Extra["product"] = productReel
	case kindStory, kindStoryVideo:
		c.Extra["product"] = productStory
	}
	for name, fits := range map[string]bool{
		"image_url": c.Type == kindImage || c.Type == kindStory, "video_url": isVideo(c.Type), "upload_type": isVideo(c.Type),
		"children": c.Type == kindCarousel, "share_to_feed": c.Type == kindReel,
		"thumb_offset": c.Type == kindReel || c.Type == kindVideo, "alt_text": c.Type == kindImage,
		"caption":       !c.Item && c.Extra["product"] != productStory,
		"collaborators": !c.Item && c.Extra["product"] != productStory,
	} {
		if params.Has(name) && !fits {
			return metasim.Bad("param %s is not allowed", name)
		}
	}
	return nil
}

// readAndCheckChildren sets and checks the children of a carousel: a comma-separated list or an array.
func readAndCheckChildren(c *metasim.Container, params url.Values) error {
	if c.Type != kindCarousel {
		return nil
	}
	c.Children = parseJSONOrCommaList(params.Get("children"))
	if n := len(c.Children); n < minChildren || n > maxChildren {
		return newRefusal(100, 2207028, "A carousel has 2 to 10 items.")
	}
	return nil
}

// parseJSONOrCommaList returns the items of a JSON array or of a list with commas. An empty text is a list of one empty
// item.
func parseJSONOrCommaList(text string) (list []string) {
	if json.Unmarshal([]byte(text), &list) == nil {
		return list
	}
	return strings.Split(text, ",")
}

var (
	hashtags = regexp.MustCompile(`#[\p{L}\p{N}_]+`)
	mentions = regexp.MustCompile(`@[A-Za-z0-9_.]+`)
)

func checkCaption(c *metasim.Container, _ url.Values) error {
	switch {
	case !utf8.ValidString(c.Text) || strings.ContainsRune(c.Text, 0):
		return metasim.Bad("param caption must be valid UTF-8")
	case utf8.RuneCountInString(c.Text) > maxCaption:
		return newRefusal(36004, 2207010, "The caption was too long. Please try a caption of at most 2200 characters.")
	case len(hashtags.FindAllString(c.Text, -1)) > maxHashtags:
		return newRefusal(100, 2207040, "The caption has more than 30 hashtags.")
	case len(mentions.FindAllString(c.Text, -1)) > maxMentions:
		return newRefusal(100, 2207040, "Cannot use more than 20 tags.")
	}
	return nil
}

// readAndCheckCollaborators sets and checks the collaborators, if there are any.
func readAndCheckCollaborators(c *metasim.Container, params url.Values) error {
	if !params.Has("collaborators") {
		return nil
	}
	list := parseJSONOrCommaList(params.Get("collaborators"))
	odd := func(name string) bool { return !usernames.MatchString(name) }
	if len(list) > maxCollaborators || slices.ContainsFunc(list, odd) {
		return metasim.Bad("param collaborators must be a list of at most 3 usernames")
	}
	c.Extra["collaborators"] = strings.Join(list, ",")
	return nil
}

// readAndCheckReel sets and checks share_to_feed for a Reel, and thumb_offset if it is given.
func readAndCheckReel(c *metasim.Container, params url.Values) error {
	if c.Extra["share_to_feed"] = params.Get("share_to_feed"); c.Type != kindReel {
		delete(c.Extra, "share_to_feed")
	} else if v := c.Extra["share_to_feed"]; v != "true" && v != "false" {
		// No document says what happens without it.
		return metasim.Bad("param share_to_feed must be a boolean")
	}
	if params.Has("thumb_offset") {
		ms, err := strconv.Atoi(params.Get("thumb_offset"))
		if err != nil || ms < 0 {
			return newRefusal(1, badCover, "The thumbnail offset must be within the video.")
		}
		c.Extra["thumb_offset"] = strconv.Itoa(ms)
	}
	return nil
}

func checkAlt(c *metasim.Container, _ url.Values) error {
	if utf8.RuneCountInString(c.Alt) > maxAlt {
		return metasim.Bad("param alt_text must be at most 1000 characters long")
	}
	return nil
}

// checkImageAndSetMedia sets the image of a container, which is fetched when the container is created, or returns the
// network's refusal.
func checkImageAndSetMedia(q *sim.Request, c *metasim.Container) error {
	switch m := q.Media; {
	case q.MediaError != nil:
		return &metasim.Error{
			Code: 9004, Subcode: 2207052, Message: "Only photo or video can be accepted as media type.",
			Title: "Media download has failed. The media URI doesn't meet our requirements.", Detail: "The media could not be " +
				"fetched from this URI: " + q.Params.Get("image_url") + " (" + q.MediaError.Error() + ")",
		}
	case !m.IsImageOf(sim.JPEG):
		return newRefusal(36001, 2207005, "The image format is not supported. Supported formats are JPEG.")
	case m.Bytes > maxImage:
		return newRefusal(36000, 2207004, "The image is too large to download. It should be less than 8 MiB.")
	case c.Type == kindImage && !m.HasRatioWithin(leastRatio, mostRatio):
		return newRefusal(36003, 2207009, "The submitted image has an unsupported aspect ratio. It must be between 4:5 and 1.91:1.")
	}
	c.Media = q.Media
	return nil
}

// checkVideoSourceAndSetPending sets Pending if the video's bytes will be sent. Otherwise, the video must have an
// address.
func checkVideoSourceAndSetPending(params url.Values, c *metasim.Container, takesBytes bool) error {
	switch kind := params.Get("upload_type"); {
	case kind == "resumable" && takesBytes && c.MediaURL == "":
		c.Pending = true
		return nil
	case c.MediaURL == "":
		return metasim.Bad("The parameter video_url is required")
	case kind != "":
		return metasim.Bad("param upload_type is not allowed with video_url")
	}
	return metasim.CheckAddress("video_url", c.MediaURL)
}

// checkFile returns the subcode for a video that a container cannot have, or "" if it can. fetchErr says why there is
// no file.
func checkFile(c *metasim.Container, m sim.Media, fetchErr error) (subcodeOrEmpty string) {
	least, most, bytes, ratio := int64(3_000), int64(15*60_000), int64(maxReel), 0.01
	if c.Type == kindStoryVideo {
		most, bytes, ratio = 60_000, maxStory, 0.1
	}
	offset, _ := strconv.ParseInt(c.Extra["thumb_offset"], 10, 64)
	code := 0
	switch {
	case !isVideo(c.Type):
	case fetchErr != nil:
		code = badDownload
	case m.Kind != sim.MP4 || !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1"}, m.Video),
		m.Audio != "" && m.Audio != "mp4a" || m.Rate > 48_000 || m.Channels > 2,
		m.Bytes > bytes || m.Width > maxWide || m.Width > 0 && !m.HasRatioWithin(ratio, 10),
		m.FPS > 0 && (m.FPS < 23 || m.FPS > 60), (m.Ms > 0 || !m.Fragmented) && (m.Ms < least || m.Ms > most):
		code = badVideo
	case offset > 0 && offset >= m.Ms:
		code = badCover
	}
	if code == 0 {
		return ""
	}
	return strconv.Itoa(code)
}
