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

// GetPostCard is a post as the dashboard shows it.
type PostCard struct {
	contract.Post
	AccountName string // also of an account that is disconnected by now
	// AccountAvatar is the path of the account's picture; "" without one.
	AccountAvatar string
	Revision      string // core.Post.Revision
	// NextTryAt is when the worker tries again automatically, or zero if it will not. Held reports that a queued post
	// waits for the network until then.
	NextTryAt time.Time
	Held      bool
	// Asking reports that the network is being asked whether it published the post: at AskAt, or now if that is zero.
	// Sending reports that a worker is publishing the post.
	Asking, Sending bool
	AskAt           time.Time
	// Preparing reports that the network is processing what it received.
	Preparing bool
	// Waiting reports that another post of the account is published first.
	Waiting bool
	// PrepareAt is when the network gets the post, ahead of its time; zero if it does not, or has it.
	PrepareAt time.Time
	// Mend reports that the content of the post made it fail: it must be changed rather than sent again.
	Mend bool
	// NetworkSaid reports that the message of the post's error is the network's own.
	NetworkSaid bool
	// ProfileURL is the address of the account's profile on its network. It is set only for a post with an unknown
	// outcome and a live one without a link, and empty if the address is not known or the network is simulated.
	ProfileURL string
	// Acts are the actions that the post's state and the caller's role allow.
	Acts []core.Act
}

// FindFilesByID returns the files of posts by their ids. Those whose bytes have been deleted are included, as purged;
// any that do not exist are left out.
func (a *App) FindFilesByID(ctx context.Context, c core.Caller, ids []string) (map[string]contract.Media, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return nil, err
	}
	var parsed []core.MediaID
	for _, id := range ids {
		if m, err := core.ParseID[core.MediaKind](id); err == nil {
			parsed = append(parsed, m)
		}
	}
	found, err := t.MediaRows(ctx, parsed)
	files := make(map[string]contract.Media, len(found))
	for _, m := range found {
		files[m.ID.String()] = a.mediaOf(t, m)
	}
	return files, err
}

// GetPostCard returns a post with what its page shows about its account and its next steps.
func (a *App) GetPostCard(ctx context.Context, c core.Caller, id string) (PostCard, error) {
	t, p, err := a.enterAndLoadPost(ctx, c, id)
	if err != nil {
		return PostCard{}, err
	}
	card := a.newPostCard(c, p)
	hasNoLink := p.Status == core.PostLive && p.ExternalURL == ""
	if !p.HasUnknownOutcome() && !hasNoLink || a.cfg.NetworksURL != "" {
		return card, nil
	}
	account, err := t.ConnectedAccount(ctx, p.Account)
	if errors.Is(err, store.ErrNotFound) { // disconnected by now
		return card, nil
	}
	card.ProfileURL = a.profileURL(account)
	return card, err
}

// ListPostCards is ListPosts for the dashboard, which can also list the posts on one network. next is empty on the last
// page. A list of the whole workspace has the counts of CountPosts as well, of the same moment; others have none.
func (a *App) ListPostCards(ctx context.Context, c core.Caller,
	in contract.ListPosts, platform core.Platform,
) (cards []PostCard, next string, counts map[core.PostStatus]int, err error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return nil, "", nil, err
	}
	read := func(t store.Tenant) error {
		posts, after, err := a.listPostsPage(ctx, t, in, platform)
		cards, next = convertAll(posts, func(p core.Post) PostCard { return a.newPostCard(c, p) }), after
		return err
	}
	if in.Q != "" || in.AccountID != "" || in.GroupID != "" || in.From != "" || in.To != "" || platform != "" {
		err = read(t)
		return cards, next, nil, err
	}
	err = t.ReadSnapshot(ctx, func(t store.Tenant) error {
		if err := read(t); err != nil {
			return err
		}
		counts, err = t.CountPostsByStatus(ctx)
		return err
	})
	return cards, next, counts, err
}

func (a *App) newPostCard(c core.Caller, p core.Post) PostCard {
	card := PostCard{
		Post: a.postOf(p), AccountName: p.AccountName,
		AccountAvatar: contract.AvatarPathOf(p.AccountAvatar), Revision: p.Revision(),
		NextTryAt: p.NextTryAt, Held: p.Held, Asking: p.Asking, AskAt: p.AskAt,
		Preparing: p.Preparing, Waiting: p.Waiting, PrepareAt: p.PrepareAt,
		Sending: p.Busy && !p.Asking && !p.Held && p.Status == core.PostQueued,
	}
	if p.Error != nil {
		card.Mend, card.NetworkSaid = !p.Error.CanResendUnchanged(), p.Error.FromNetwork
	}
	if c.Role().CanWrite() {
		now := a.cfg.Now()
		card.Acts = slices.DeleteFunc(core.Acts(), func(act core.Act) bool { return !p.Allows(act, now) })
	}
	return card
}

// profileURL returns the address of an account's profile on its network, or "" if it is not known.
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
