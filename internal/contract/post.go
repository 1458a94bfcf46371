package contract

import (
	"encoding/json"
	"time"

	"belfry/internal/core"
)

// Post is the post record (Spec §2, Post; decisions.md adds settings).
type Post struct {
	ID          string          `json:"id" doc:"The post's ID."`
	AccountID   string          `json:"accountId"`
	Platform    string          `json:"platform"`
	MediaIDs    []string        `json:"mediaIds" nullable:"false"`
	Text        string          `json:"text"`
	Title       *string         `json:"title"`
	Tags        []string        `json:"tags" nullable:"false"`
	Settings    json.RawMessage `json:"settings" doc:"The settings for the post's network."`
	PublishAt   *Time           `json:"publishAt" doc:"In UTC; null for a draft without a time."`
	TZ          string          `json:"tz"`
	Status      string          `json:"status" enum:"draft,queued,live,failed"`
	ExternalID  *string         `json:"externalId"`
	ExternalURL *string         `json:"externalUrl"`
	Error       *PostError      `json:"error,omitempty" doc:"Why the post failed; present only if the status is failed."`
	Attempts    int             `json:"attempts"`
	CreatedVia  string          `json:"createdVia" enum:"ui,api,mcp"`
	CreatedAt   Time            `json:"createdAt"`
	UpdatedAt   Time            `json:"updatedAt"`
	StatusLine  string          `json:"statusLine" doc:"The post's state in one line, as the dashboard shows it."`
	// StatusLineWithoutAccount is StatusLine without network and account.
	StatusLineWithoutAccount string `json:"-"`
}

// PostError is the reason why a post failed, with the network's own message.
type PostError struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Hint    *string `json:"hint"`
}

// Posts is the response to the creation of posts.
type Posts struct {
	Posts []Post `json:"posts" nullable:"false"`
}

// PostList is a page of a list of posts.
type PostList struct {
	Posts      []Post  `json:"posts" nullable:"false"`
	NextCursor *string `json:"nextCursor"`
}

// Targets are the accounts of a request: listed directly, selected by a group, or both.
type Targets struct {
	AccountIDs []string `json:"accountIds,omitempty" maxItems:"200" nullable:"false"`
	GroupID    *string  `json:"groupId,omitempty"`
}

// Override replaces the text, title or tags for the accounts on one network.
type Override struct {
	Text  *string   `json:"text,omitempty"`
	Title *string   `json:"title,omitempty"`
	Tags  *[]string `json:"tags,omitempty" maxItems:"200" nullable:"false"`
}

// When is the requested time: "now", "draft", or a local date-time with its zone.
type When struct {
	Word      string
	PublishAt string
	Timezone  string
	// Instant is an exact time in the zone Timezone. Only the dashboard sets it, to restore an earlier time.
	Instant time.Time
	// Delayed makes "now" a few seconds later, so that a person can undo sending. Only the dashboard sets it.
	Delayed bool
}

type whenObject struct {
	PublishAt string `json:"publishAt"`
	Timezone  string `json:"timezone,omitempty"`
}

// MarshalJSON encodes the word, or the object with the time if there is no word.
func (w When) MarshalJSON() ([]byte, error) {
	if w.Word != "" {
		return json.Marshal(w.Word)
	}
	return json.Marshal(whenObject{w.PublishAt, w.Timezone})
}

// UnmarshalJSON decodes both forms: a word, or an object with a time.
func (w *When) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &w.Word)
	}
	var o whenObject
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	w.PublishAt, w.Timezone = o.PublishAt, o.Timezone
	return nil
}

// PlanPosts is the body of a request to create posts, without confirm.
type PlanPosts struct {
	Targets     Targets                    `json:"targets"`
	MediaIDs    []string                   `json:"mediaIds,omitempty" maxItems:"200" nullable:"false" doc:"The post's files, in order. A file can be repeated."`
	Text        string                     `json:"text,omitempty"`
	Title       string                     `json:"title,omitempty"`
	Tags        []string                   `json:"tags,omitempty" maxItems:"200" nullable:"false"`
	PerPlatform map[string]json.RawMessage `json:"perPlatform,omitempty"`
	Overrides   map[string]Override        `json:"overrides,omitempty"`
	When        *When                      `json:"when,omitempty"`
	// Editing is the id of the post that is being edited. Only the dashboard sets it. A queued post already has its slot,
	// and its own text is not a repetition.
	Editing string `json:"-"`
}

// CreatePosts is the body of a request to create posts.
type CreatePosts struct {
	PlanPosts
	Confirm bool `json:"confirm,omitempty" doc:"Must be true, so that no post is created by accident."`
}

// EditPost is the request PATCH /posts/{id}.
type EditPost struct {
	ID       string                      `json:"-" path:"id"`
	Text     *string                     `json:"text,omitempty"`
	Title    Opt[string]                 `json:"title,omitzero"`
	Tags     *[]string                   `json:"tags,omitempty" maxItems:"200" nullable:"false"`
	MediaIDs *[]string                   `json:"mediaIds,omitempty" maxItems:"200" nullable:"false"`
	Settings *map[string]json.RawMessage `json:"settings,omitempty"`
	When     *When                       `json:"when,omitempty"`
	Status   string                      `json:"status,omitempty" enum:"queued"`
	// Revision is the revision of the post that the dashboard showed (core.Post.Revision), or "" to make the change
	// whatever the post's revision.
	Revision string `json:"-"`
	// InPlace allows changing the content of a queued post, which stays queued and keeps its slot. Only the dashboard
	// sets it.
	InPlace bool `json:"-"`
}

// RetryPost is the request POST /posts/{id}/retry.
type RetryPost struct {
	ID                  string `json:"-" path:"id"`
	ConfirmNotPublished bool   `json:"confirmNotPublished,omitempty" doc:"Confirms that a person has checked the network and has not found the post."`
}

// Plan is the response to a plan request.
type Plan struct {
	OK     bool      `json:"ok"`
	Status string    `json:"status" enum:"queued,draft"`
	Rows   []PlanRow `json:"rows" nullable:"false"`
	Quota  Quota     `json:"quota"`
	Table  string    `json:"table" doc:"The plan as a text table for a monospaced font."`
}

// PlanRow is the plan's row for one account.
type PlanRow struct {
	AccountID string  `json:"accountId"`
	Platform  string  `json:"platform"`
	PublishAt *Time   `json:"publishAt"`
	OK        bool    `json:"ok"`
	Issues    []Issue `json:"issues" nullable:"false"`
	Warnings  []Issue `json:"warnings" nullable:"false"`
}

// Issue is a reason why the post of a row cannot be created, or a warning.
type Issue struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	// Reason is the issue as data, from which the dashboard forms one sentence about several posts.
	Reason core.Issue `json:"-"`
}

// Quota is the month's quota. Requested is the number of slots that the request uses.
type Quota struct {
	Used      int64  `json:"used"`
	Limit     *int64 `json:"limit"`
	Requested int64  `json:"requested"`
}

// Events is a post's timeline, oldest first.
type Events struct {
	Events []Event `json:"events" nullable:"false"`
}

// Event is an entry in the timeline of a post.
type Event struct {
	Kind    string   `json:"kind"`
	At      Time     `json:"at"`
	Message string   `json:"message,omitempty"`
	Notes   []string `json:"notes,omitempty" nullable:"false"`
}

// ListPosts has the filters of GET /posts (decisions.md, Posts).
type ListPosts struct {
	Status    string `query:"status" doc:"Comma-separated statuses." example:"queued,failed"`
	AccountID string `query:"accountId" doc:"Only posts for this account." example:"acc_01m7zbv262e9sr6wggzz5c1nt8"`
	GroupID   string `query:"groupId" doc:"Only posts for the accounts in this group." example:"grp_01m7zbv2d1f5s9z3p6r8t0w2y4"`
	From      string `query:"from" doc:"Only posts on or after this date or time. The filter applies to publishAt or, for drafts without a time, createdAt." example:"2026-12-01"`
	To        string `query:"to" doc:"Only posts up to and including this date, or before this time." example:"2026-12-31"`
	Q         string `query:"q" doc:"Text to find in the post's text or title. Part of a word is enough." example:"rye"`
	Order     string `query:"order" enum:"asc,desc" doc:"desc (the default) lists the latest posts first, asc the earliest."`
	Limit     int    `query:"limit" minimum:"1" maximum:"100" default:"50" doc:"Rows per page."`
	Cursor    string `query:"cursor" doc:"nextCursor from the previous page."`
}

// PostOf converts a post to its record. networkName is the display name of its network, for the status line.
func PostOf(p core.Post, networkName string) Post {
	out := Post{
		ID: p.ID.String(), AccountID: p.Account.String(), Platform: string(p.Platform), MediaIDs: []string{}, Text: p.Text,
		Title: NilIfZero(p.Title), Tags: emptyIfNil(p.Tags), Settings: p.Settings, PublishAt: TimeOrNil(p.PublishAt),
		TZ:     p.Zone.Name(),
		Status: string(p.Status), ExternalID: NilIfZero(p.ExternalID), ExternalURL: NilIfZero(p.ExternalURL),
		Attempts: p.Attempts, CreatedVia: string(p.Via), CreatedAt: Time{p.CreatedAt}, UpdatedAt: Time{p.UpdatedAt},
		StatusLine: p.StatusLine(networkName), StatusLineWithoutAccount: p.StatusLineWithoutAccount(networkName),
	}
	for _, id := range p.MediaIDs {
		out.MediaIDs = append(out.MediaIDs, id.String())
	}
	if p.Status == core.PostFailed && p.Error != nil {
		out.Error = &PostError{Code: p.Error.Code, Message: p.Error.Message, Hint: NilIfZero(p.Error.Hint)}
	}
	return out
}

// PlanRowOf converts a row of a plan to its record.
func PlanRowOf(r core.PlanRow) PlanRow {
	return PlanRow{
		AccountID: r.Account.String(), Platform: string(r.Platform), PublishAt: TimeOrNil(r.PublishAt), OK: r.OK(),
		Issues: issuesOf(r.Issues), Warnings: issuesOf(r.Warnings),
	}
}

func issuesOf(issues []core.Issue) []Issue {
	out := make([]Issue, 0, len(issues))
	for _, i := range issues {
		out = append(out, Issue{Code: string(i.Code), Message: i.Message, Hint: i.Hint, Reason: i})
	}
	return out
}

func emptyIfNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ResolveOutcome is a person's answer about a post with an unknown outcome.
type ResolveOutcome struct {
	Live bool   `json:"live"`
	URL  string `json:"url,omitempty" doc:"The post's address on the network, if live is true."`
	// Revision is the revision of the post that the dashboard showed (core.Post.Revision), or "" to apply the answer to
	// the latest attempt.
	Revision string `json:"-"`
}
