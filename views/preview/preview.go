// Package preview draws a post as its network shows it on a phone. What belongs to a network is data that its folder
// gives (network.Preview); nothing here knows one of them.
//
// web.buildPreview returns a Model. Post(m) draws it, on the composer's page and on a post's.
package preview

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"belfry/internal/network"
)

// Model is a post as one network shows it.
type Model struct {
	network.Preview
	Platform, Network string // the network's id and name
	Account           Account
	Files             []File
}

// Account is whose post it is. Avatar is the address of its picture; without one, its first letter stands for it.
type Account struct{ Name, Username, Avatar string }

// File is a file of the post. Picture is the address of what is shown of it; "" if there is none.
type File struct {
	Name, Alt, Picture string
	Video              bool
	Length             time.Duration // of a video; 0 if it is not known
	Width, Height      int           // 0 if they are not known
}

// accountName is what the network calls the account.
func (m Model) accountName() string {
	if m.ByUsername && m.Account.Username != "" {
		return strings.TrimPrefix(m.Account.Username, "@")
	}
	return m.Account.Name
}

// shownFiles returns the files in the post; a cover is shown on its video.
func (m Model) shownFiles() []File {
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

// mostTiles is how many of several files are shown at once.
const mostTiles = 4

// arrangement is how the files are shown: "one" for a single one.
func (m Model) arrangement(files []File) string {
	if len(files) == 1 || m.Several == "" {
		return "one"
	}
	return string(m.Several)
}

// shapes are the shapes that preview.css knows, width by height.
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

// shape returns the shape nearest to a file's own, within the network's bounds.
func (m Model) shape(f File) string {
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

// description is what is heard of a file.
func (f File) description() string {
	if f.Alt != "" {
		return f.Alt
	}
	return f.Name
}

func (f File) length() string {
	seconds := int(f.Length.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// span is a piece of a text. Networks mark links, mentions and hashtags.
type span struct {
	text   string
	marked bool
}

var markedText = regexp.MustCompile(`(?i)(?:https?://|www\.)[^\s<>"]*[^\s<>".,;:!?)\]}'’”»]|[#@][\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.]*`)

// splitSpans divides a text into pieces that are marked and pieces that are not.
func splitSpans(text string) (spans []span) {
	rest := 0
	for _, at := range markedText.FindAllStringIndex(text, -1) {
		from, to := at[0], rest+len(strings.TrimRight(text[rest:at[1]], "."))
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		if sign := text[from]; (sign == '#' || sign == '@') && from > 0 && isWord(before) {
			continue // an email address, or a part of a word
		}
		spans = append(spans, span{text[rest:from], false}, span{text[from:to], true})
		rest = to
	}
	return append(spans, span{text[rest:], false})
}

var word = regexp.MustCompile(`^[\p{L}\p{M}\p{N}_.@/]$`)

func isWord(r rune) bool { return word.MatchString(string(r)) }

// foldText divides a text at the place where the network asks for more, between two words.
func (m Model) foldText() (shown, folded string) {
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

// host returns what a link's card says of its address.
func host(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		u, err = url.Parse("https://" + link)
	}
	if err != nil {
		return link
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}
