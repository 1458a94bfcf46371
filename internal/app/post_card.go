package app

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// PostCard is a post as the dashboard shows it.
type PostCard struct {
	contract.Post
	AccountName string // also of an account that is disconnected by now
	Revision    string // core.Post.Revision
	// NextTryAt is when the worker tries again by itself, zero when it will not. Held tells that a queued
	// post waits until then for the network.
	NextTryAt time.Time
	Held      bool
	// Asking tells that the network is asked whether it took the post: at AskAt, or now where that is zero;
	// Sending that a worker has the post in its hands.
	Asking, Sending bool
	AskAt           time.Time
	// Preparing tells that the network works on what it was given.
	Preparing bool
	// Mend tells that the post failed for what is in it: it is to be changed rather than sent again.
	Mend bool
	// NetworkSaid tells that the message of the post's error is the network's own words.
	NetworkSaid bool
	// ProfileURL is where a browser finds the account at its network; only for a post of which a person is to tell
	// whether it is there, and "" where that is not known or the network is simulated.
	ProfileURL string
	// Acts are what the post's state and the caller's role allow.
	Acts []core.Act
}

// PostFiles reads the files that posts name, by their ids. One that was deleted since is among them, purged.
func (a *App) PostFiles(ctx context.Context, c core.Caller, ids []string) (map[string]contract.Media, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return nil, err
	}
	parsed := make([]core.MediaID, len(ids))
	for i, id := range ids {
		if parsed[i], err = core.ParseID[core.MediaKind](id); err != nil {
			return nil, err
		}
	}
	found, err := t.Files(ctx, parsed)
	files := make(map[string]contract.Media, len(found))
	for _, m := range found {
		files[m.ID.String()] = a.mediaOf(t, m)
	}
	return files, err
}

// PostCard reads a post with what its page says of its account and of what comes next.
func (a *App) PostCard(ctx context.Context, c core.Caller, id string) (PostCard, error) {
	t, p, err := a.readPost(ctx, c, id)
	if err != nil {
		return PostCard{}, err
	}
	card := a.cardOf(c, p)
	if !p.OutcomeUnknown() || a.cfg.NetworksURL != "" {
		return card, nil
	}
	account, err := t.Account(ctx, p.Account)
	if errors.Is(err, store.ErrNotFound) { // disconnected by now
		return card, nil
	}
	card.ProfileURL = a.profileURL(account)
	return card, err
}

// ListPostCards is ListPosts for the dashboard. next is empty on the last page.
func (a *App) ListPostCards(ctx context.Context, c core.Caller,
	in contract.ListPosts,
) (cards []PostCard, next string, err error) {
	posts, next, err := a.listPosts(ctx, c, in)
	return convertAll(posts, func(p core.Post) PostCard { return a.cardOf(c, p) }), next, err
}

func (a *App) cardOf(c core.Caller, p core.Post) PostCard {
	card := PostCard{
		Post: a.postOf(p), AccountName: p.AccountName, Revision: p.Revision(), NextTryAt: p.NextTryAt, Held: p.Held, Asking: p.Asking, AskAt: p.AskAt,
		Preparing: p.Preparing,
		Sending:   p.Busy && !p.Asking && !p.Held && p.Status == core.PostQueued,
	}
	if p.Error != nil {
		card.Mend, card.NetworkSaid = !p.Error.SendAsIs(), p.Error.FromNetwork
	}
	if c.Role().Writes() {
		now := a.cfg.Now()
		card.Acts = slices.DeleteFunc(core.Acts(), func(act core.Act) bool { return !p.Allows(act, now) })
	}
	return card
}

// profileURL is where a browser finds an account at its network; "" where that is not known.
func (a *App) profileURL(account core.Account) string {
	n, ok := a.cfg.Networks.Get(account.Platform)
	if !ok {
		return ""
	}
	address := n.Describe().ProfileURL
	if strings.Contains(address, "{username}") && account.Username == "" {
		return ""
	}
	return strings.NewReplacer("{id}", url.PathEscape(account.ExternalID), "{username}",
		url.PathEscape(account.Username)).Replace(address)
}
