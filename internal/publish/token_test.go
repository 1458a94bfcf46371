package publish_test

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
	"belfry/internal/secret"
)

// lapsing is a network whose access tokens lapse: it refuses each that it has not renewed itself.
type lapsing struct {
	network.Network
	mu       *sync.Mutex
	now      func() time.Time
	life     time.Duration // of a renewed token; 0 for an hour, less for one that never works
	renewals *int
	refused  *[]core.Action
	refuse   *network.Error // of each renewal; nil, or without a kind, for none
	until    core.Action    // the first call that is refused; "" for all
}

func (l *lapsing) RefreshToken(_ context.Context, t network.Token) (network.Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if *l.renewals++; l.refuse != nil && l.refuse.Kind != "" {
		return network.Token{}, l.refuse
	}
	t.Access, t.LapsesAt = "renewed", l.now().Add(l.life)
	return t, nil
}

// check returns an error for a lapsed token. It replaces a renewed one with the token that the wrapped network accepts.
func (l *lapsing) check(it *network.Item, do core.Action) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until == do {
		l.until = ""
	}
	if l.until == "" && (it.Token.Access != "renewed" || !l.now().Before(it.Token.LapsesAt)) {
		*l.refused = append(*l.refused, do)
		return &network.Error{Kind: network.Lapsed, Message: "The access token has lapsed."}
	}
	if it.Token.Access == "renewed" {
		it.Token.Access = it.Token.Extra["real"]
	}
	return nil
}

func (l *lapsing) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	if err := l.check(&it, core.DoCreate); err != nil {
		return "", err
	}
	return l.Network.CreateHandle(ctx, it)
}

func (l *lapsing) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if err := l.check(&it, core.DoStatus); err != nil {
		return network.Status{}, err
	}
	return l.Network.AdvanceStatus(ctx, it, handle)
}

func (l *lapsing) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if err := l.check(&it, core.DoPublish); err != nil {
		return network.Status{}, err
	}
	return l.Network.Publish(ctx, it, handle)
}

func (l *lapsing) VerifyToken(ctx context.Context, t network.Token) error {
	it := network.Item{Token: t}
	if err := l.check(&it, core.DoStatus); err != nil {
		return err
	}
	return l.Network.VerifyToken(ctx, it.Token)
}

func (l *lapsing) ExchangeCode(ctx context.Context, g network.AuthResponse) ([]network.Profile, error) {
	profiles, err := l.Network.ExchangeCode(ctx, g)
	for i := range profiles {
		t := &profiles[i].Token
		t.Extra, t.RefreshAt, t.ExpiresAt = map[string]network.Secret{"real": t.Access}, time.Time{}, time.Time{}
	}
	return profiles, err
}

// newLapsing returns l with its missing fields.
func (b *bench) newLapsing(l lapsing) lapsing {
	l.mu, l.now, l.renewals, l.refused, l.life = &sync.Mutex{}, b.Clock.Now, new(int), &[]core.Action{}, cmp.Or(l.life, time.Hour)
	return l
}

// lapses makes the networks' tokens lapse. It returns the number of renewals and the refused calls.
func (b *bench) lapses(l lapsing) (renewals *int, refused *[]core.Action) {
	l = b.newLapsing(l)
	b.App = b.through(func(n network.Network) network.Network {
		l := l
		l.Network = n
		return &l
	})
	return l.renewals, l.refused
}

func TestALapsedTokenIsRenewedAndTheCallRepeatedOnce(t *testing.T) {
	b := newBench(t)
	renewals, refused := b.lapses(lapsing{})
	account := b.ws.Account("threads")
	post := b.ws.Work(b.ws.Now("renewed", account))
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	if *renewals != 1 || len(*refused) != 1 || post.Attempts != 1 || b.ws.StatusOf(account) != "ok" {
		t.Errorf("%d renewals, refused %v, %d attempts", *renewals, *refused, post.Attempts)
	}
	// The next token is known to lapse, and is not used for any call after that.
	b.Clock.Advance(time.Hour)
	b.wants(b.ws.Work(b.ws.Now("again", account)), "live", 1, "created", "queued", "publishing", "live")
	if *renewals != 2 || len(*refused) != 1 {
		t.Errorf("%d renewals, refused %v", *renewals, *refused)
	}
}

// A token that the network refused right after its renewal cost the post three tries, and nobody was told to reconnect.
func TestATokenThatIsRefusedAfterItsRenewalLosesTheAccount(t *testing.T) {
	b := newBench(t)
	_, refused := b.lapses(lapsing{life: -1})
	account := b.ws.Account("threads")
	post := b.ws.Work(b.ws.Now("refused", account))
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	if post.Error.Code != "account_revoked" || b.ws.StatusOf(account) != "revoked" || len(*refused) != 2 {
		t.Errorf("error %+v, the account is %s, refused %v", post.Error, b.ws.StatusOf(account), *refused)
	}
}

// lapsedOnce is a network on which the token lapses during one call, and a person reconnects the account at the same
// time.
type lapsedOnce struct {
	network.Network
	during     core.Action // core.DoCreate, or core.DoStatus for the first status query after the publishing call
	reconnect  func()
	isCallMade bool
}

func (l *lapsedOnce) lapse(during core.Action) error {
	if l.during != during {
		return nil
	}
	l.during = ""
	l.reconnect()
	return &network.Error{Kind: network.Lapsed, Message: "The access token has lapsed."}
}

func (l *lapsedOnce) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	if err := l.lapse(core.DoCreate); err != nil {
		return "", err
	}
	return l.Network.CreateHandle(ctx, it)
}

func (l *lapsedOnce) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if l.isCallMade {
		if err := l.lapse(core.DoStatus); err != nil {
			return network.Status{}, err
		}
	}
	return l.Network.AdvanceStatus(ctx, it, handle)
}

func (l *lapsedOnce) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	l.isCallMade = true
	return l.Network.Publish(ctx, it, handle)
}

// lapseOnce returns the App with networks that are lapsedOnce. wrap wraps them once more.
func (b *bench) lapseOnce(a contract.Account, during core.Action, wrap func(network.Network) network.Network) *app.App {
	b.t.Helper()
	reconnect := func() {
		b.Clock.Advance(time.Second)
		b.ws.Reconnect(a)
	}
	return b.through(func(n network.Network) network.Network {
		return wrap(&lapsedOnce{Network: n, during: during, reconnect: reconnect})
	})
}

// A worker whose token had lapsed took the token of a new connection. The refusal of that token then counted as one of
// the old connection: the post stayed queued, although it could not be published any more.
func TestARefusalOfATokenFromAReconnectionDuringTheClaimCounts(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.App = b.lapseOnce(account, core.DoCreate, func(n network.Network) network.Network {
		return &silentAfterCall{Network: n}
	})
	b.Fault(fault("threads", "publish", "token_revoked"))
	post := b.ws.Work(b.ws.Now("refused", account))
	b.wants(post, "queued", 0, "created", "queued", "publishing")
	b.App = b.Replica()
	post = b.after(time.Minute, post)
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	if got := b.ws.StatusOf(account); got != "revoked" || post.Error == nil || post.Error.Code != "account_revoked" {
		t.Errorf("error %+v, the account is %s", post.Error, got)
	}
}

// The refusal of the old token then counted as one of the new token: the post failed, and the account was revoked.
func TestATokenFromAReconnectionDuringTheClaimDoesNotCountAsRefused(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.App = b.lapseOnce(account, core.DoStatus, func(n network.Network) network.Network { return n })
	b.Fault(fault("threads", "publish", "token_revoked"))
	post := b.ws.Work(b.ws.Now("new token", account))
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	if got := b.ws.StatusOf(account); got != "ok" {
		t.Errorf("the account is %s", got)
	}
}

// What is refused for a lapsed token may have been published all the same.
func TestAnIrreversibleCallWithALapsedTokenIsALostOne(t *testing.T) {
	b := newBench(t)
	renewals, refused := b.lapses(lapsing{until: core.DoPublish})
	post := b.ws.Work(b.ws.Now("careful", b.ws.Account("threads")))
	b.wants(post, "queued", 0, "created", "queued", "publishing")
	if *renewals != 1 || len(*refused) != 1 || (*refused)[0] != core.DoPublish {
		t.Errorf("%d renewals, refused %v", *renewals, *refused)
	}
	post = b.after(3*time.Minute, post)
	if post.Error == nil || post.Error.Code != core.ErrorUnreachable || post.Error.Hint == nil {
		t.Errorf("the error is %+v", post.Error)
	}
	post = b.after(time.Minute, post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "failed", "retried", "publishing", "live")
}

func TestARefusedRenewalLosesTheAccount(t *testing.T) {
	b := newBench(t)
	b.lapses(lapsing{refuse: &network.Error{Kind: network.Revoked, Message: "The grant was withdrawn."}})
	account := b.ws.Account("threads")
	post := b.ws.Work(b.ws.Now("lost", account))
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	if post.Error.Code != "account_revoked" || b.ws.StatusOf(account) != "revoked" {
		t.Errorf("error %+v, the account is %s", post.Error, b.ws.StatusOf(account))
	}
}

func TestARenewalThatFailsForAWhileHoldsThePosts(t *testing.T) {
	for name, c := range map[string]struct {
		refuse network.Error
		until  string
	}{
		"without a time":             {network.Error{Kind: network.Transient, Message: "Come back later."}, "09:01"},
		"with the network's own one": {network.Error{Kind: network.RateLimited, RetryAfter: time.Hour}, "10:00"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			renewals, _ := b.lapses(lapsing{refuse: &c.refuse})
			account := b.ws.Account("threads")
			one, two := b.ws.Work(b.ws.Now("one", account)), b.ws.Work(b.ws.Now("two", account))
			for _, post := range []contract.Post{one, two} {
				b.wants(post, "queued", 0, "created", "queued", "publishing", "queued")
				b.says(post, " · held until Mon 5 Oct 2026, "+c.until+" UTC")
			}
			if *renewals != 1 || b.ws.StatusOf(account) != "ok" {
				t.Errorf("%d renewals, want 1; the account is %s", *renewals, b.ws.StatusOf(account))
			}
			b.Clock.Set(b.next())
			b.ws.Work(one)
			if *renewals != 2 {
				t.Errorf("%d renewals after the wait, want 2", *renewals)
			}
		})
	}
}

// A check with a lapsed token would take every account for lost.
func TestACheckRenewsALapsedToken(t *testing.T) {
	b := newBench(t)
	renewals, _ := b.lapses(lapsing{})
	account := b.ws.Account("threads")
	b.ws.Work(b.ws.Now("first", account))
	b.Clock.Advance(25 * time.Hour)
	due, err := b.App.ListDueAccountChecks(b.Context())
	must(t, err)
	for _, check := range due {
		must(t, b.App.CheckAndUpdateDueAccount(b.Context(), check.Workspace, check.Account))
	}
	if len(due) != 1 || *renewals != 2 || b.ws.StatusOf(account) != "ok" {
		t.Errorf("%d checks, %d renewals, the account is %s", len(due), *renewals, b.ws.StatusOf(account))
	}
}

// A check that could not be made because the token was not renewed is made when the token may be renewed again.
func TestACheckIsRepeatedAfterAFailedRenewal(t *testing.T) {
	b := newBench(t)
	refuse := network.Error{}
	renewals, _ := b.lapses(lapsing{refuse: &refuse})
	account := b.ws.Account("threads")
	b.ws.Work(b.ws.Now("first", account))
	b.Clock.Advance(25 * time.Hour)
	refuse = network.Error{Kind: network.RateLimited, Message: "Slow down.", RetryAfter: 2 * time.Hour}
	must(t, b.App.CheckAndUpdateDueAccount(b.Context(), b.ws.ID, b.ws.AccountID(account)))
	b.Clock.Advance(2 * time.Hour)
	due, err := b.App.ListDueAccountChecks(b.Context())
	must(t, err)
	if *renewals != 2 || len(due) != 1 {
		t.Errorf("%d renewals, %d checks are due after the wait, want 2 and 1", *renewals, len(due))
	}
}

// Two workers with the same lapsed token: one renews it, and the other takes what that one got.
func TestOnlyOneWorkerRenewsALapsedToken(t *testing.T) {
	b := newBench(t)
	renewals, _ := b.lapses(lapsing{})
	account := b.ws.Account("threads")
	posts := []string{"one", "two", "three", "four"}
	ids := make([]core.PostID, len(posts))
	for i, text := range posts {
		var err error
		ids[i], err = core.ParseID[core.PostKind](b.ws.Now(text, account).ID)
		must(t, err)
	}
	done := make(chan error)
	for _, id := range ids {
		go func() { done <- b.App.Engine().PublishOrPrepare(b.Context(), "worker "+id.String(), b.ws.ID, id) }()
	}
	for range ids {
		must(t, <-done)
	}
	for range ids { // each lets the next of the account go on
		for _, id := range ids {
			must(t, b.App.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
		}
	}
	if *renewals != 1 || b.live() != len(posts) {
		t.Errorf("%d renewals, want 1; %d posts are live, want all", *renewals, b.live())
	}
}

// The account of a post that its network gave up because the access was withdrawn stayed "ok" until the daily check.
func TestAPostGivenUpForWantOfAccessLosesTheAccount(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("tiktok.fail_reason", "auth_removed"))
	account := b.ws.Account("tiktok")
	video := b.ws.File("video.mp4", mediatest.MP4(mediatest.Movie{
		Width: 1080, Height: 1920, Duration: 10 * time.Second, FPS: 30, Codec: "avc1", Audio: "mp4a", Rate: 48_000, Channels: 2,
	}))
	post := b.ws.Work(b.post(request("removed", now(), account), video))
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	if post.Error.Code != "account_revoked" || b.ws.StatusOf(account) != "revoked" {
		t.Errorf("error %+v, the account is %s", post.Error, b.ws.StatusOf(account))
	}
}

// rotating is a network during whose first call of CreateHandle the operator rotates the secret keys.
type rotating struct {
	lapsing
	rotate func()
}

func (r *rotating) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	if r.rotate != nil {
		r.rotate()
		r.rotate = nil
	}
	return r.lapsing.CreateHandle(ctx, it)
}

// The re-encrypted token was taken for another one. If the token had lapsed, the worker used it again instead of
// renewing it, and gave the account up. If its access was revoked, the account stayed "ok".
func TestARotationDuringAClaimDoesNotHideThatTheTokenIsTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		until         core.Action // the first call that is refused because the token has lapsed
		fault         string
		post, account string
	}{
		"a lapsed token": {until: core.DoCreate, post: "live", account: "ok"},
		"revoked access": {until: core.DoStop, fault: "token_revoked", post: "failed", account: "revoked"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			lapse := b.newLapsing(lapsing{until: c.until})
			rotate := func() {
				done, err := b.App.ReencryptSecretsWithNewestKey(b.Context())
				if must(t, err); done.Resealed == 0 {
					t.Errorf("the rotation did %+v", done)
				}
			}
			use := func(keys ...string) {
				ring, err := secret.ParseRing(keys...)
				must(t, err)
				b.Config.Ring = ring
				b.App = b.through(func(n network.Network) network.Network {
					lapse.Network = n
					return &rotating{lapse, rotate}
				})
			}
			old, fresh := secret.NewSecretKey(), secret.NewSecretKey()
			use(old)
			account := b.ws.Account("threads")
			use(fresh, old)
			if c.fault != "" {
				b.Fault(fault("threads", "create", c.fault))
			}
			post := b.ws.Work(b.ws.Now("rotated", account))
			if got := b.ws.StatusOf(account); post.Status != c.post || got != c.account {
				t.Errorf("the post is %s (%+v) and the account %s", post.StatusLine, post.Error, got)
			}
		})
	}
}
