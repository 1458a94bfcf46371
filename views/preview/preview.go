// Package preview shows a post as its network would on a phone. The differences between networks are data, which each
// network provides (network.Preview).
//
// web.buildPreview returns a Model, which Post renders in the composer and on the page of a post.
package preview

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"belfry/internal/network"
)

// Model is a post as one network would show it.
type Model struct {
	network.Preview
	Platform, Network string // the network's id and name
	Account           Account
	Files             []File
}

// Account is the account of the post. Avatar is the address of its picture; without one, the first letter of its name
// is shown.
type Account struct{ Name, Username, Avatar string }

// File is a file of the post. Picture is the address of the picture that is shown for the file; "" if there is none.
type File struct {
	Name, Alt, Picture string
	Video              bool
	Length             time.Duration // of a video; 0 if it is not known
	Width, Height      int           // 0 if they are not known
}

// accountName returns the name or the username of the account, whichever the network shows.
func (m Model) accountName() string {
	if m.ByUsername && m.Account.Username != "" {
		return strings.TrimPrefix(m.Account.Username, "@")
	}
	return m.Account.Name
}

// filesWithCoverApplied returns the files in the post. A cover is not among them, but becomes the picture of its video.
func (m Model) filesWithCoverApplied() []File {
	if m.Cover < 1 || m.Cover > len(m.Files) {
		return m.Files
	}
	var shown []File
	cover := m.Files[m.Cover-1]
	for i, f := range m.Files {
		if i == m.Cover-1 {
			continue
		}
		if f.Video {
			f.Picture, f.Alt = cover.Picture, cover.Alt
		}
		shown = append(shown, f)
	}
	return shown
}

// mostTiles is the maximum number of files that are shown side by side.
const mostTiles = 4

// arrangementName returns how the files are arranged: "one" for a single file, or else as the network arranges several.
func (m Model) arrangementName(files []File) string {
	if len(files) == 1 || m.Several == "" {
		return "one"
	}
	return string(m.Several)
}

// shapes are the aspect ratios for which preview.css has a class, by width and height.
var shapes = []struct {
	name  string
	ratio float64
}{
	{"9x16", 9.0 / 16},
	{"2x3", 2.0 / 3},
	{"3x4", 3.0 / 4},
	{"4x5", 4.0 / 5},
	{"1x1", 1},
	{"4x3", 4.0 / 3},
	{"3x2", 3.0 / 2},
	{"16x9", 16.0 / 9},
	{"191x100", 1.91},
	{"2x1", 2},
}

// closestShapeName returns the name of the shape that is closest to the file's aspect ratio, within the network's
// limits.
func (m Model) closestShapeName(f File) string {
	ratio := 1.0
	switch {
	case f.Width > 0 && f.Height > 0:
		ratio = float64(f.Width) / float64(f.Height)
	case f.Video:
		ratio = network.RatioWide
	}
	ratio = max(ratio, m.MinRatio)
	if m.MaxRatio > 0 {
		ratio = min(ratio, m.MaxRatio)
	}
	best := shapes[0]
	for _, s := range shapes {
		if math.Abs(math.Log(s.ratio/ratio)) < math.Abs(math.Log(best.ratio/ratio)) {
			best = s
		}
	}
	return best.name
}

// altTextOrName returns the file's alternative text or, if it has none, its name.
func (f File) altTextOrName() string {
	if f.Alt != "" {
		return f.Alt
	}
	return f.Name
}

func (f File) lengthText() string {
	seconds := int(f.Length.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// span is a piece of text. Links, mentions and hashtags are marked.
type span struct {
	text   string
	marked bool
}

var markedText = regexp.MustCompile(`(?i)(?:https?://|www\.)[^\s<>"]*[^\s<>".,;:!?)\]}'’”»]|[#@][\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.]*`)

// splitLinksAndTags splits a text into links, mentions and hashtags, which are marked, and the text between them.
func splitLinksAndTags(text string) (spans []span) {
	rest := 0
	for _, at := range markedText.FindAllStringIndex(text, -1) {
		from, to := at[0], rest+len(strings.TrimRight(text[rest:at[1]], "."))
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		if sign := text[from]; (sign == '#' || sign == '@') && from > 0 && isWordOrAddressRune(before) {
			continue // an email address, or a part of a word
		}
		spans = append(spans, span{text[rest:from], false}, span{text[from:to], true})
		rest = to
	}
	return append(spans, span{text[rest:], false})
}

var word = regexp.MustCompile(`^[\p{L}\p{M}\p{N}_.@/]$`)

func isWordOrAddressRune(r rune) bool { return word.MatchString(string(r)) }

// foldText splits a text where the network would hide the rest, if possible between two words. foldedOrEmpty is empty
// if the network hides nothing.
func (m Model) foldText() (shown, foldedOrEmpty string) {
	text := strings.TrimSpace(m.Text)
	if m.Fold == 0 || utf8.RuneCountInString(text) <= m.Fold {
		return text, ""
	}
	cut := len(string([]rune(text)[:m.Fold]))
	if space := strings.LastIndexAny(text[:cut], " \n\t"); space > cut/2 {
		cut = space
	}
	return text[:cut], text[cut:]
}

// ShowsTitle reports whether the preview shows the title.
func (m Model) ShowsTitle() bool { return m.Title != "" && slices.Contains(m.Parts, network.PartTitle) }

// ShowsOnlyFile reports whether the post has one file and the preview shows it.
func (m Model) ShowsOnlyFile() bool {
	return len(m.Files) == 1 && slices.Contains(m.Parts, network.PartMedia)
}

// ShowsWholeText reports whether the preview shows the whole text of a post without unfolding.
func (m Model) ShowsWholeText(text string) bool {
	_, folded := m.foldText()
	text = strings.TrimSpace(text)
	return text != "" && folded == "" && slices.Contains(m.Parts, network.PartText) && strings.Contains(m.Text, text)
}

// ShowsAllTags reports whether the text of the preview contains each of the tags.
func (m Model) ShowsAllTags(tags []string) bool {
	shown := strings.ToLower(m.Text)
	return slices.Contains(m.Parts, network.PartText) && !slices.ContainsFunc(tags, func(tag string) bool {
		return !strings.Contains(shown, "#"+strings.ToLower(strings.TrimPrefix(tag, "#")))
	})
}

// linkHostWithoutWWW returns the host of a link without "www.", for the link's card.
func linkHostWithoutWWW(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		u, err = url.Parse("https://" + link)
	}
	if err != nil {
		return link
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}
