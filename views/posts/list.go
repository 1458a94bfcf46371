package posts

import (
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
)

// ListModel is the list of posts.
type ListModel struct {
	Frame  layout.Frame
	Filter link.Filter
	// Counts are the numbers of posts by status under the filter's other conditions; nil hides them.
	Counts map[core.PostStatus]int
	Rows   []Row
	// Next is the cursor of the next page; empty on the last.
	Next string
	// Accounts reports whether any account is connected, for the first steps.
	Accounts bool
	// Poll is how often the list is polled; zero if none of its posts changes automatically.
	Poll time.Duration
}

// Version changes if the list would look different. A reader who sends it with link.PostsSince needs no new response
// until then.
func (m ListModel) Version() string {
	shown := []any{m.Poll, m.Next}
	for _, t := range tabs {
		n, _ := m.tabCount(t)
		shown = append(shown, n)
	}
	for _, r := range m.Rows {
		shown = append(shown, r.ID, r.StatusLine, r.UpdatedAt.UnixMilli())
	}
	return contentHash(shown...)
}

func (m ListModel) pollTrigger() string { return "every " + m.Poll.String() }

// Row is a post in the list.
type Row struct {
	contract.Post
	Network string // its name
	Files   []File
}

type tab struct {
	status string
	name   string
}

var tabs = []tab{
	{"", "All"},
	{string(core.PostQueued), "Queued"},
	{string(core.PostDraft), "Drafts"},
	{string(core.PostLive), "Live"},
	{string(core.PostFailed), "Failed"},
}

func (m ListModel) tabURL(t tab) string {
	f := m.Filter
	f.Status, f.Cursor = t.status, ""
	return m.Frame.Link.Posts(f)
}

func (m ListModel) tabCount(t tab) (int, bool) {
	if m.Counts == nil {
		return 0, false
	}
	if t.status != "" {
		return m.Counts[core.PostStatus(t.status)], true
	}
	var all int
	for _, n := range m.Counts {
		all += n
	}
	return all, true
}

func (m ListModel) nextURL() string {
	f := m.Filter
	f.Cursor = m.Next
	return m.Frame.Link.Posts(f)
}

func (m ListModel) firstPageURL() string {
	f := m.Filter
	f.Cursor = ""
	return m.Frame.Link.Posts(f)
}

func (m ListModel) isFiltered() bool { return m.Filter.Query != "" || m.Filter.Account != "" }

// rowText returns the post on one line: its text, or the name of its first file.
func (r Row) rowText() string {
	if r.hasNoText() && len(r.Files) > 0 {
		return r.Files[0].Name
	}
	return TitleOrText(r.Post, rowExcerpt)
}

func (r Row) hasNoText() bool { return r.Text == "" && r.Title == nil }

// TitleOrText returns a post's title, or its text if it has none, on one line. At most longest characters of it are
// kept, the last of which is an ellipsis if some are missing.
func TitleOrText(p contract.Post, longest int) string {
	text := p.Text
	if p.Title != nil {
		text = *p.Title
	}
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "No text"
	}
	if runes := []rune(text); len(runes) > longest {
		return strings.TrimSpace(string(runes[:longest-1])) + "…"
	}
	return text
}

// rowExcerpt is the maximum length of a text in a row.
const rowExcerpt = 160
