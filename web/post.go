package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/preview"
)

// showPost shows a post. If the request polls and nothing has changed, the response is empty.
func (r *request) showPost() error { return r.renderPost(http.StatusOK, func(*posts.ShowModel) {}) }

// renderPost renders a post's page. adjust may change the model, for example to add why an action failed.
func (r *request) renderPost(status int, adjust func(*posts.ShowModel)) error {
	card, err := r.web.cfg.App.GetPostCard(r.context(), r.caller, r.pathID())
	if err != nil {
		return err
	}
	events, err := r.web.cfg.App.ListPostEventsAndNextRetry(r.context(), r.caller, r.pathID())
	if err != nil {
		return err
	}
	m := r.convertPostCard(card, events.Events)
	if err := r.loadPublishingObstacles(&m); err != nil {
		return err
	}
	if m.Beside, err = r.loadOtherCalendarEntryPosts(card); err != nil {
		return err
	}
	if r.isPollWithoutNews(m) {
		return r.echo.NoContent(http.StatusNoContent)
	}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return err
	}
	section := layout.SectionPosts
	if m.CalendarURL = r.findBackToCalendarURL(); m.CalendarURL != "" {
		section = layout.SectionCalendar
	}
	if m.Frame, err = r.loadFrameAndPopFlash(tabTitle(m), section); err != nil {
		return err
	}
	if m.Reconnect != "" { // the page says so itself, and the notice's link would not send the post again
		m.Frame.Notices = slices.DeleteFunc(m.Frame.Notices, func(n layout.Notice) bool {
			return n.URL == r.link.Reconnect(card.AccountID)
		})
	}
	if m.PostZone, err = core.ParseZone(card.TZ); err != nil {
		return err
	}
	if err := r.loadFilesAndPreview(&m, card); err != nil {
		return err
	}
	m.At = r.timeInputOrProposal(card.PublishAt, m.PostZone)
	adjust(&m)
	return r.render(status, posts.Show(m), posts.ShowPart(m))
}

// mostBeside is the maximum number of other posts to which a post's page links.
const mostBeside = 5

// loadOtherCalendarEntryPosts loads the posts that were created with a post for the same time. It returns at most
// mostBeside of them, but counts all.
func (r *request) loadOtherCalendarEntryPosts(card app.PostCard) (b posts.Beside, err error) {
	if card.PublishAt == nil {
		return b, nil
	}
	entry, err := r.web.cfg.App.ListCalendarEntryPosts(r.context(), r.caller,
		contract.ListPosts{Limit: mostBeside + 1}, "", card.ID)
	if core.CodeOf(err) == core.CodeNotFound { // the post has lost its time since it was read
		return b, nil
	}
	if err != nil {
		return b, err
	}
	b.Total, b.URL = entry.Total-1, r.link.PostsOfCalendarEntry(card.ID, link.Filter{})
	for _, p := range entry.Posts {
		if p.ID != card.ID && len(b.Posts) < mostBeside {
			network := r.web.cfg.Networks.DisplayName(p.Platform)
			b.Posts = append(b.Posts, posts.OtherPost{Account: p.Account, Network: network, URL: r.link.Post(p.ID)})
		}
	}
	return b, nil
}

// titleLength is how many characters of a post's text the browser tab shows.
const titleLength = 40

// tabTitle returns a title that distinguishes the tabs of posts.
func tabTitle(m posts.ShowModel) string {
	return posts.TitleOrText(m.Post, titleLength) + " · " + m.Account
}

// loadFilesAndPreview loads the post's files and account, and adds the files and the preview.
func (r *request) loadFilesAndPreview(m *posts.ShowModel, card app.PostCard) error {
	found, err := r.web.cfg.App.FindFilesIncludingDeleted(r.context(), r.caller, card.MediaIDs)
	if err != nil {
		return err
	}
	account, err := r.findAccountOrNil(card.AccountID)
	if err != nil {
		return err
	}
	in := newPreviewInputWithoutAccount(card, found)
	in.Account = newPreviewAccount(card, account)
	m.Files = convertFilesByID(card.MediaIDs, found)
	if shown, ok := r.web.buildPreview(in); ok {
		if !shown.Fills { // the page has room for the whole text
			shown.Fold = 0
		}
		m.Preview = preview.Post(shown)
		m.ShowsTitle, m.ShowsText = shown.ShowsTitle(), shown.ShowsWholeText(card.Text)
		m.ShowsTags, m.ShowsOnlyFile = shown.ShowsAllTags(card.Tags), shown.ShowsOnlyFile()
	}
	return nil
}

// findAccountOrNil returns the account with the id, even if it must be reconnected, or nil if it was disconnected.
func (r *request) findAccountOrNil(id string) (*contract.Account, error) {
	accounts, err := r.loadAccounts()
	for i := range accounts {
		if accounts[i].ID == id {
			return &accounts[i], err
		}
	}
	return nil, err
}

// convertPostCard returns the model of a post's page, without its files, preview and obstacles.
func (r *request) convertPostCard(card app.PostCard, events []contract.Event) posts.ShowModel {
	m := posts.ShowModel{
		Post: card.Post, Revision: card.Revision, Form: newFormID(), Account: card.AccountName, Avatar: card.AccountAvatar,
		Network: card.Platform,
		Events:  events, NextTry: card.NextTryAt,
		Held:   card.Held,
		Asking: card.Asking, AskAt: card.AskAt, Sending: card.Sending, Preparing: card.Preparing,
		Waiting: card.Waiting, PrepareAt: card.PrepareAt, Acts: card.Acts,
		RetryableOnceReconnected: card.RetryableOnceReconnected,
		Mend:                     card.Mend, NetworkSaid: card.NetworkSaid,
		ProfileURL: card.ProfileURL,
		ReplacedBy: card.ReplacedBy,
	}
	if n, ok := r.web.cfg.Networks.FindConnector(core.Platform(card.Platform)); ok {
		about := n.Describe()
		m.Network, m.NoLink, m.Settings = about.Name, about.NoLink, settingsForDisplay(about.Fields, card.Settings)
	}
	if card.Status == string(core.PostLive) {
		m.LiveURL = liveURL(card.Post)
		m.AwaitsLink = m.LiveURL == "" && r.web.cfg.Now().Sub(card.UpdatedAt.Time) < linkWait
		return m
	}
	if m.ProfileURL == "" && slices.Contains(card.Acts, core.ActSettle) {
		m.ProfileURL = r.web.sandboxControlURL() // shows the posts of the simulated networks
	}
	return m
}

// loadPublishingObstacles adds what prevents the post from being published: that publishing is on hold, or its
// account's state.
func (r *request) loadPublishingObstacles(m *posts.ShowModel) (err error) {
	if m.Post.Status == string(core.PostQueued) {
		if m.OnHold, _, err = r.web.cfg.App.FindPublishingHold(r.context(), r.caller); err != nil {
			return err
		}
	}
	account, err := r.findAccountOrNil(m.Post.AccountID)
	if err != nil || account == nil || account.Status == string(core.AccountOK) || m.Post.Status == string(core.PostLive) {
		return err
	}
	m.AccountTrouble = m.Account + " on " + m.Network + ": " + disconnectedReasons[account.Status]
	m.NotSetUp = !r.web.isNetworkSetUp(account.Platform)
	if r.caller.Role().CanManage() && !m.NotSetUp {
		m.Reconnect = r.link.Reconnect(account.ID)
		if m.RetriesOnceReconnected() {
			m.Reconnect = r.link.ReconnectForPost(m.Post.ID)
		}
	}
	return nil
}

// linkWait is how long after a post goes live its page says that Belfry is fetching the link.
const linkWait = 2 * time.Minute

// settingsForDisplay returns a post's settings with the labels of the form for display.
func settingsForDisplay(fields []network.Field, block json.RawMessage) []posts.Setting {
	var list []posts.Setting
	values := settingInputValues(fields, block)
	for _, f := range fields {
		value, ok := values[f.Name]
		if !ok {
			continue
		}
		if f.VideoTime {
			value += " s"
		}
		if f.Kind == network.FieldSwitch {
			value = map[string]string{"true": "Yes", "false": "No"}[value]
		}
		for _, c := range f.Choices {
			if c.Value == value {
				value = c.Label
			}
		}
		list = append(list, posts.Setting{Label: f.Label, Value: value})
	}
	return list
}

// settingInputValues returns the values of a settings block as texts for the form's inputs, by the setting's name. It
// returns nil if it cannot parse the block.
func settingInputValues(fields []network.Field, block json.RawMessage) (textsByNameOrNil map[string]string) {
	values := map[string]json.RawMessage{}
	if json.Unmarshal(block, &values) != nil {
		return nil
	}
	texts := map[string]string{}
	for _, f := range fields {
		var text string
		var lines []string
		var ms float64
		var index int
		raw, ok := values[f.Name]
		switch {
		case !ok:
			continue
		case f.Kind == network.FieldList && json.Unmarshal(raw, &lines) == nil:
			text = strings.Join(lines, "\n")
		case f.VideoTime && json.Unmarshal(raw, &ms) == nil:
			text = strconv.FormatFloat(ms/1000, 'f', -1, 64)
		case f.FileIndex && json.Unmarshal(raw, &index) == nil:
			text = strconv.Itoa(index + 1)
		case json.Unmarshal(raw, &text) == nil:
		default:
			text = string(raw) // a number or a switch
		}
		texts[f.Name] = text
	}
	return texts
}

// timeInputOrProposal returns the value of a form's time: the given time or, if it is nil, the full hour that is one to
// two hours away.
func (r *request) timeInputOrProposal(atOrNil *contract.Time, zone core.Zone) string {
	proposed := r.web.cfg.Now().Add(2 * time.Hour).In(zone.Location())
	proposed = proposed.Add(-time.Duration(proposed.Minute()) * time.Minute)
	if atOrNil != nil {
		proposed = atOrNil.In(zone.Location())
	}
	return proposed.Format(wallTime)
}

// wallTime is the format of the value of an input for date and time.
const wallTime = "2006-01-02T15:04"
