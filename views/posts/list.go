package posts

import (
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
)

// ListModel is the list of posts.
type ListModel struct {
	Frame  layout.Frame
	Filter link.Filter
	// Counts are the posts by state under the filter's other conditions; nil leaves the figures out.
	Counts map[string]int64
	Rows   []Row
	// Next is the cursor of the following page; empty on the last.
	Next string
	// Accounts tells whether any account is connected, for the first steps.
	Accounts bool
}

// Row is a post in the list.
type Row struct {
	contract.Post
	Network string // its name
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
	return link.Posts(f)
}

func (m ListModel) count(t tab) (int64, bool) {
	if m.Counts == nil {
		return 0, false
	}
	if t.status != "" {
		return m.Counts[t.status], true
	}
	var all int64
	for _, n := range m.Counts {
		all += n
	}
	return all, true
}

func (m ListModel) nextURL() string {
	f := m.Filter
	f.Cursor = m.Next
	return link.Posts(f)
}

func (m ListModel) firstURL() string {
	f := m.Filter
	f.Cursor = ""
	return link.Posts(f)
}

func (m ListModel) narrowed() bool { return m.Filter.Query != "" || m.Filter.Account != "" }

// excerpt is the beginning of a text on one line.
func excerpt(p contract.Post) string {
	text := p.Text
	if p.Title != nil {
		text = *p.Title
	}
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "No text"
	}
	const longest = 160
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
