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

// PostCard is a post as the dashboard shows it, without a title that its network does not publish.
type PostCard struct {
	contract.Post
	AccountName string // also set if the account has been disconnected
	// AccountAvatar is the path of the account's picture; "" if it has none.
	AccountAvatar string
	Revision      string // core.Post.Revision
	// NextTryAt is when the worker tries again automatically; zero if it will not. Held reports that a network's limit or
	// throttle delays a queued post until then.
	NextTryAt time.Time
	Held      bool
	// Asking reports that the worker will ask the network at AskAt whether the post was published, or is asking now if
	// AskAt is zero. Sending reports that a worker is publishing the post.
	Asking, Sending bool
	AskAt           time.Time
	// Preparing reports that the network is processing the post's content.
	Preparing bool
	// NeedsReconnecting reports that Belfry has lost access to the account.
	NeedsReconnecting bool
	// RetryableOnceReconnected reports that the post failed and can be sent again once its account is reconnected.
	RetryableOnceReconnected bool
	// Waiting reports that another post to the account must be published first.
	Waiting bool
	// PrepareAt is when the content is sent to the network ahead of the post's time; zero if it is not sent ahead, or
	// has been sent.
	PrepareAt time.Time
	// Mend reports that the post failed because of its content, which must be changed before a retry.
	Mend bool
	// NetworkSaid reports that the error message comes from the network.
	NetworkSaid bool
	// ProfileURL is the address of the account's profile on its network. It is set only for a post with an unknown
	// outcome, or a live post without a link. The address must be known, and the network must not be simulated.
	ProfileURL string
	// ReplacedBy is the id of the newest live copy of a failed post; "" if no copy replaces it.
	ReplacedBy string
	// Acts lists the actions that the post's state and the caller's role allow.
	Acts []core.Act
	// BulkActs lists those of BulkActs that the post's state and the caller's role allow.
	BulkActs []core.Act
}

// FindFilesIncludingDeleted returns the files with the given ids, by id. It includes files whose bytes have been
// deleted, and leaves out ids that are malformed or unknown.
func (a *App) FindFilesIncludingDeleted(ctx context.Context, c core.Caller,
	ids []string,
) (filesByID map[string]contract.Media, err error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return nil, err
	}
	var parsed []core.MediaID
	for _, id := range ids {
		if m, err := core.ParseID[core.MediaKind](id); err == nil {
			parsed = append(parsed, m)
		}
	}
	found, err := t.MediaIncludingDeleted(ctx, parsed)
	filesByID = make(map[string]contract.Media, len(found))
	for _, m := range found {
		filesByID[m.ID.String()] = a.mediaOf(t, m)
	}
	return filesByID, err
}

// GetPostCard returns a post with all data for its page.
func (a *App) GetPostCard(ctx context.Context, c core.Caller, id string) (PostCard, error) {
	t, p, err := a.authorizeReadAndLoadPost(ctx, c, id)
	if err != nil {
		return PostCard{}, err
	}
	card := a.newPostCard(c, p)
	hasNoLink := p.Status == core.PostLive && p.ExternalURL == ""
	if !p.HasUnknownOutcome() && !hasNoLink || a.cfg.NetworksURL != "" {
		return card, nil
	}
	account, err := t.ConnectedAccount(ctx, p.Account)
	if errors.Is(err, store.ErrNotFound) { // the account has been disconnected
		return card, nil
	}
	card.ProfileURL = a.profileURL(account)
	return card, err
}

// FindPostCards returns the posts with the first MaxBulk of the ids, in their order and without ProfileURL. It omits
// those that do not exist.
func (a *App) FindPostCards(ctx context.Context, c core.Caller, ids []string) (cards []PostCard, err error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return nil, err
	}
	parsed := uniqueValidPostIDs(ids[:min(len(ids), MaxBulk)])
	found, err := t.PostsByID(ctx, parsed)
	for _, id := range parsed {
		if p, ok := found[id]; ok {
			cards = append(cards, a.newPostCard(c, p))
		}
	}
	return cards, err
}

// ListPostCards is ListPosts for the dashboard. If platformOrEmpty is not "", it lists only the posts on that network.
// Among failed posts alone, it leaves out those that have a live copy. next is the cursor of the next page, or "" on
// the last page. countsIfUnfiltered contains the number of posts by status at the same moment, as
// CountPostsByStatusCapped returns it; it is nil if a filter other than the status is set.
func (a *App) ListPostCards(ctx context.Context, c core.Caller,
	in contract.ListPosts, platformOrEmpty core.Platform,
) (cards []PostCard, next string, countsIfUnfiltered map[core.PostStatus]int, err error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return nil, "", nil, err
	}
	read := func(t store.Tenant) error {
		posts, after, err := a.listPostsPage(ctx, t, in, platformOrEmpty, in.Status == string(core.PostFailed))
		cards, next = convertAll(posts, func(p core.Post) PostCard { return a.newPostCard(c, p) }), after
		return err
	}
	if in.Q != "" || in.AccountID != "" || in.GroupID != "" || in.From != "" || in.To != "" || platformOrEmpty != "" {
		err = read(t)
		return cards, next, nil, err
	}
	err = t.ReadSnapshot(ctx, func(t store.Tenant) error {
		if err := read(t); err != nil {
			return err
		}
		countsIfUnfiltered, err = t.CountPostsByStatusCapped(ctx)
		return err
	})
	return cards, next, countsIfUnfiltered, err
}

// newPostCard returns the card of a post for a caller, without ProfileURL.
func (a *App) newPostCard(c core.Caller, p core.Post) (withoutProfileURL PostCard) {
	card := PostCard{
		Post: a.postOfWithoutUnusedTitle(p), AccountName: p.AccountName,
		AccountAvatar: contract.AvatarPathOf(p.AccountAvatar), Revision: p.Revision(),
		NextTryAt: p.NextTryAt, Held: p.Held, Asking: p.Asking, AskAt: p.AskAt,
		NeedsReconnecting: p.AccountStatus != core.AccountOK, RetryableOnceReconnected: p.IsRetryableOnceReconnected(),
		Preparing: p.Preparing, Waiting: p.Waiting, PrepareAt: p.PrepareAt,
		Sending: p.Busy && !p.Asking && !p.Held && p.Status == core.PostQueued,
	}
	if !p.ReplacedBy.IsZero() {
		card.ReplacedBy = p.ReplacedBy.String()
	}
	if p.Error != nil {
		card.Mend, card.NetworkSaid = p.Error.MayBeCausedByContent(), p.Error.FromNetwork
	}
	if c.Role().CanWrite() {
		now := a.cfg.Now()
		card.Acts = slices.DeleteFunc(core.Acts(), func(act core.Act) bool { return !p.Allows(act, now) })
		card.BulkActs = slices.DeleteFunc(BulkActs(), func(act core.Act) bool { return !p.AllowsInBulk(act, now) })
	}
	return card
}

// postOfWithoutUnusedTitle is postOf without a title that the network does not publish.
func (a *App) postOfWithoutUnusedTitle(p core.Post) contract.Post {
	p.Title = a.titleOrEmptyIfUnused(p.Platform, p.Title)
	return a.postOf(p)
}

// titleOrEmptyIfUnused returns the title of a post, or "" if no post on the network has one.
func (a *App) titleOrEmptyIfUnused(platform core.Platform, title string) string {
	if n, ok := a.cfg.Networks.FindConnector(platform); ok && n.Describe().Limits.Title == nil {
		return ""
	}
	return title
}

// profileURL returns the address of an account's profile on its network, or "" if it is not known.
func (a *App) profileURL(account core.Account) (urlOrEmpty string) {
	n, ok := a.cfg.Networks.FindConnector(account.Platform)
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
