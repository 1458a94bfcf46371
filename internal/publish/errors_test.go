package publish_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
	"belfry/internal/network/all"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/sandbox"
)

var everyError = flag.Bool("every-error", false, "meet every error at every call, not a sample of them")

// sampled is how many cases one case of the sample represents.
const sampled = 16

// mostFailures is the number of cases after the first failure at which a network's test ends.
const mostFailures = 20

// kindsOfPosts are the kinds of post that are published in different ways. The main kinds are tested with every error
// of the network, and all kinds with every broken connection.
var kindsOfPosts = []postKind{
	{network: "threads", name: "text", main: true},
	{network: "threads", name: "image", files: "i"},
	{network: "threads", name: "carousel", files: "ii"},
	{network: "facebook", name: "text", main: true},
	{network: "facebook", name: "photos", files: "ii", main: true},
	{network: "facebook", name: "Reel", files: "v", settings: `{"contentType":"reels"}`, main: true},
	{network: "facebook", name: "video", files: "v"},
	{network: "facebook", name: "Story", files: "i", settings: `{"contentType":"stories"}`},
	{network: "instagram", name: "image", files: "i", main: true},
	{network: "instagram", name: "Reel", files: "v"},
	{network: "instagram", name: "carousel", files: "ii"},
	{network: "instagram", name: "Story", files: "i", settings: `{"contentType":"stories"}`},
	{network: "youtube", name: "video", files: "v", main: true},
	{network: "tiktok", name: "video", files: "v", main: true},
	{network: "tiktok", name: "photos", files: "ii"},
}

type postKind struct {
	network, name, files, settings string
	main                           bool
}

// step is a call for a post: the nth with its name, from the start or since the publishing call.
type step struct {
	call  string
	nth   int
	do    core.Action // what the worker is at
	armed bool        // whether the post may be visible by then
	reads bool
}

// follows reports whether the step comes after the publishing call.
func (s step) follows() bool { return s.armed && s.do != core.DoPublish }

// How a call ends.
const (
	refused     = "answered with the error"
	published   = "answered with the error, and done all the same"
	cutError    = "half of the error's answer"
	askedInVain = "its answer lost, and the question answered with the error"
	cut         = "half of the answer"
	resetBefore = "the connection reset before it"
	resetAfter  = "the connection reset after it"
	gateway     = "a page with status 502"
	tooSlow     = "a byte a second"
	lateAnswer  = "an answer after the deadline"
	lateEffect  = "an effect after the deadline"
)

// errorCase is one call with one result.
type errorCase struct {
	kind  postKind
	step  step
	way   string
	error sim.Documented // the zero value for a broken connection
}

func (c errorCase) String() string {
	name := fmt.Sprintf("%s %s, call %s", c.kind.network, c.kind.name, c.step.call)
	if c.step.nth > 0 {
		name += fmt.Sprintf(" %d", c.step.nth+1)
	}
	if c.step.follows() {
		name += " once it is published"
	}
	if c.error.Class != "" {
		name += ", " + c.error.Name()
	}
	return name + ": " + c.way
}

// TestEveryDocumentedError runs the real engine with every documented error at every call for a post, and with every
// kind of broken connection. Two posts must never be visible. The post, its error, the account, its other posts and the
// number of attempts must be as the network's documents and docs/publishing.md say.
func TestEveryDocumentedError(t *testing.T) {
	var mu sync.Mutex
	counts := map[string]int{}
	t.Cleanup(func() {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			t.Logf("%d cases: %s", counts[name], name)
		}
	})
	for _, n := range []string{"threads", "facebook", "instagram", "youtube", "tiktok"} {
		t.Run(n, func(t *testing.T) {
			t.Parallel()
			b := newErrorBench(t, n)
			all, failures := b.allCases(), 0
			for i, c := range all {
				if !*everyError && i%sampled != 0 {
					continue
				}
				b.meet(c)
				mu.Lock()
				counts["in all"]++
				counts[n+", "+strings.Fields(cmp.Or(c.error.Class, "connection"))[0]]++
				mu.Unlock()
				if t.Failed() {
					if failures++; failures == mostFailures {
						t.Fatalf("and so on; this was case %d of %d", i, len(all))
					}
				}
			}
		})
	}
}

// errorBench is a workspace in which each post meets an error.
type errorBench struct {
	*bench
	network string
	files   map[rune]contract.Media
	account contract.Account
	name    string      // of the account at the network
	made    int         // accounts
	posts   int         // since the account was made
	tainted bool        // the account must not be used again
	steps   []step      // of the post that is sent last
	hit     step        // the one that a fault has met
	later   []sim.Fault // come with the call that publishes
}

func newErrorBench(t *testing.T, platform string) *errorBench {
	t.Helper()
	h := apptest.New(t, func(c *app.Config) {
		c.Log = slog.New(slog.DiscardHandler)
		c.LimitCreate = app.Rate{Max: 1_000_000, Window: time.Hour}
		c.LimitAddress = app.Rate{Max: 10_000_000, Window: time.Hour}
		impatient(t, c)
	})
	b := &errorBench{bench: &bench{h, t, h.Workspace("one")}, network: platform, tainted: true}
	for option, value := range map[string]string{
		"youtube.uploads_per_day": "100000", "youtube.units_per_day": "10000000", "youtube.channel_uploads_per_day": "100000",
		"tiktok.posts_a_day": "100000", "instagram.quota_total": "100000", "threads.quota_total": "100000",
	} {
		must(t, h.Sim.SetOption(option, value))
	}
	b.App = b.through(b.noted)
	b.files = map[rune]contract.Media{
		'i': b.photo(),
		'v': b.ws.File("video.mp4", mediatest.MP4(mediatest.Movie{
			Width: 1080, Height: 1920, Duration: 10 * time.Second, FPS: 30, Codec: "avc1", Audio: "mp4a", Rate: 48_000, Channels: 2,
			Size: 600 << 10,
		})),
	}
	return b
}

// patience is the time limit of a call, so that tests do not wait long for a call that never ends.
const patience = 700 * time.Millisecond

// impatient sets short timeouts for calls in the configuration.
func impatient(t *testing.T, c *app.Config) {
	t.Helper()
	base, err := url.Parse(c.NetworksURL)
	must(t, err)
	c.Client = network.NewClient(network.ClientConfig{NetworksURL: base, Now: c.Now, Timeout: patience})
	t.Cleanup(c.Client.CloseIdleConnections)
	c.Networks, err = network.NewSet(all.Drivers(), network.Environment{Client: c.Client, Get: readVariable, Now: c.Now})
	must(t, err)
}

// readVariable returns the value of a network's variable: the sandbox's credentials, or its default.
func readVariable(name string) string {
	for _, d := range all.Drivers() {
		for _, v := range d.Variables {
			if v.Name == name && !strings.HasSuffix(name, "_CLIENT_ID") && !strings.HasSuffix(name, "_CLIENT_SECRET") {
				return v.Default
			}
		}
	}
	return sandbox.Credentials
}

// allCases lists every case of the network.
func (b *errorBench) allCases() []errorCase {
	var documents []sim.Documented
	for _, about := range b.Sim.Networks() {
		if about.ID == b.network {
			documents = about.Errors
		}
	}
	var all []errorCase
	for _, kind := range kindsOfPosts {
		if kind.network != b.network {
			continue
		}
		steps := b.stepsOf(kind)
		for _, s := range steps {
			for _, way := range []string{cut, resetBefore, resetAfter, gateway, tooSlow, lateAnswer, lateEffect} {
				all = append(all, errorCase{kind: kind, step: s, way: way})
			}
		}
		if kind.main {
			all = append(all, casesOfErrors(kind, steps, b.questionsOf(kind), documents)...)
		}
	}
	return all
}

// casesOfErrors lists the cases in which a call, or the status query after a lost response, returns an error.
func casesOfErrors(kind postKind, steps, questions []step, documents []sim.Documented) []errorCase {
	var all []errorCase
	for _, d := range documents {
		for _, s := range steps {
			if d.Calls != nil && !slices.Contains(d.Calls, s.call) {
				continue
			}
			all = append(all, errorCase{kind, s, refused, d})
			if !s.reads {
				all = append(all, errorCase{kind, s, published, d})
			}
			if s.do == core.DoPublish {
				all = append(all, errorCase{kind, s, cutError, d})
			}
		}
		for _, s := range questions {
			if d.Calls == nil || slices.Contains(d.Calls, s.call) {
				all = append(all, errorCase{kind, s, askedInVain, d})
			}
		}
	}
	return all
}

// noting is a network that records its calls and their purposes.
type noting struct {
	network.Network
	b *errorBench
}

// noted returns a network that records its calls.
func (b *errorBench) noted(n network.Network) network.Network {
	if r, ok := n.(network.Refresher); ok {
		return struct {
			noting
			network.Refresher
		}{noting{n, b}, r}
	}
	return noting{n, b}
}

func (n noting) CreateHandle(ctx context.Context, it network.Item) (handle string, err error) {
	n.note(core.DoCreate, it, func() { handle, err = n.Network.CreateHandle(ctx, it) })
	return handle, err
}

func (n noting) AdvanceStatus(ctx context.Context, it network.Item, handle string) (st network.Status, err error) {
	n.note(core.DoStatus, it, func() { st, err = n.Network.AdvanceStatus(ctx, it, handle) })
	return st, err
}

func (n noting) Publish(ctx context.Context, it network.Item, handle string) (st network.Status, err error) {
	n.note(core.DoPublish, it, func() { st, err = n.Network.Publish(ctx, it, handle) })
	n.b.Fault(n.b.later...)
	n.b.later = nil
	return st, err
}

func (n noting) FindPost(ctx context.Context, it network.Item) (st network.Status, err error) {
	n.note(core.DoFind, it, func() { st, err = n.Network.FindPost(ctx, it) })
	return st, err
}

func (n noting) note(do core.Action, it network.Item, call func()) {
	before := n.b.Sim.Calls.CountCalls()
	call()
	made := n.b.Sim.Calls.CountCalls() - before
	if made == 0 {
		return
	}
	for _, rec := range n.b.Sim.Calls.ListLast(made) {
		if rec.Call == "" || rec.Call == sim.CallFetch {
			continue
		}
		s := step{call: rec.Call, do: do, armed: !it.ArmedAt.IsZero(), reads: rec.Method == http.MethodGet}
		for _, other := range n.b.steps {
			if other.call == s.call && other.follows() == s.follows() {
				s.nth++
			}
		}
		if n.b.steps = append(n.b.steps, s); rec.Fault != "" {
			n.b.hit = s
		}
	}
}

// stepsOf returns the calls for a post without errors. Of several calls with the same name and purpose, it returns the
// first.
func (b *errorBench) stepsOf(kind postKind) []step {
	b.t.Helper()
	b.renewAccount()
	b.carry(b.send(kind, "watched"))
	seen := map[step]bool{}
	return slices.DeleteFunc(b.steps, func(s step) bool {
		s.nth = 0
		double := seen[s]
		seen[s] = true
		return double
	})
}

// questionsOf returns the calls that follow a publishing call whose response was lost.
func (b *errorBench) questionsOf(kind postKind) []step {
	b.t.Helper()
	b.renewAccount()
	b.Fault(sim.Fault{Network: b.network, Call: "publish", Kind: sim.DropAfterAccept})
	b.carry(b.send(kind, "watched closely"))
	b.Sim.Faults.Clear()
	steps := b.steps
	last := slices.IndexFunc(steps, func(s step) bool { return s.do == core.DoPublish })
	if last < 0 || last+1 == len(steps) {
		return nil
	}
	return steps[last+1 : last+2]
}

// renewAccount connects another account if the last one can no longer be used.
func (b *errorBench) renewAccount() {
	b.t.Helper()
	if b.posts++; !b.tainted && b.posts%25 != 0 {
		return
	}
	b.made++
	b.name = fmt.Sprintf("account_%d", b.made)
	b.account, b.tainted = b.ws.Account(b.network, b.name), false
}

// send creates a post that is due immediately.
func (b *errorBench) send(kind postKind, text string) contract.Post {
	b.t.Helper()
	b.steps, b.hit = nil, step{}
	return b.sendTo(b.account, kind, text)
}

func (b *errorBench) sendTo(account contract.Account, kind postKind, text string) contract.Post {
	b.t.Helper()
	in := request(text, now(), account)
	if kind.network == "youtube" {
		in.Title = "A title"
	}
	if strings.Contains(kind.settings, "stories") {
		in.Text = ""
	}
	if kind.settings != "" {
		in.PerPlatform = map[string]json.RawMessage{kind.network: json.RawMessage(kind.settings)}
	}
	var files []contract.Media
	for _, f := range kind.files {
		files = append(files, b.files[f])
	}
	return b.post(in, files...)
}

func (b *errorBench) id(p contract.Post) core.PostID {
	b.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	must(b.t, err)
	return id
}

// nextAt returns when a worker acts on a post again; zero if none will.
func (b *errorBench) nextAt(p contract.Post) time.Time {
	b.t.Helper()
	var at *time.Time
	must(b.t, b.Pool.QueryRow(b.Context(),
		`SELECT coalesce(prepare_at, next_action_at) FROM publications WHERE post_id = $1`, b.id(p)).Scan(&at))
	if at == nil {
		return time.Time{}
	}
	return *at
}

const mostClaims = 60

// carry runs the worker until nothing is left to do for a post, and returns the post.
func (b *errorBench) carry(p contract.Post) contract.Post {
	b.t.Helper()
	for range mostClaims {
		must(b.t, b.App.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, b.id(p)))
		must(b.t, b.Sim.WaitIdle(b.Context()))
		at := b.nextAt(p)
		if at.IsZero() {
			return b.ws.Post(p)
		}
		b.reconnectIfLost()
		b.Clock.Set(maxTime(at, b.Clock.Now().Add(time.Second)))
	}
	b.t.Fatalf("the post does not end: %+v", b.ws.Post(p))
	return p
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// reconnectIfLost reconnects the account if it cannot be used.
func (b *errorBench) reconnectIfLost() {
	b.t.Helper()
	if b.ws.StatusOf(b.account) == "ok" {
		return
	}
	b.tainted = true
	start, err := b.App.StartReconnect(b.Context(), b.ws.Owner, b.account.ID)
	must(b.t, err)
	_, err = b.App.FinishConnectOrReconnect(b.Context(), b.ws.Owner, b.network, b.Consent(start.AuthorizeURL, b.name))
	must(b.t, err)
}

// script returns the faults of a case, and those for the publishing call.
func (c errorCase) script() (first, later []sim.Fault) {
	f := sim.Fault{
		Network: c.kind.network, Call: c.step.call, Skip: c.step.nth, Code: c.error.Code, Subcode: c.error.Subcode,
		Reason: c.error.Reason,
	}
	const forever = 600_000
	switch c.way {
	case refused, published:
		f.Kind, f.Accept = sim.Error, c.way == published
	case cutError, cut:
		f.Kind = sim.TruncatedJSON
	case askedInVain:
		f.Kind = sim.Error
		return []sim.Fault{{Network: c.kind.network, Call: "publish", Kind: sim.DropAfterAccept}}, []sim.Fault{f}
	case resetBefore:
		f.Kind = sim.DropBeforeAccept
	case resetAfter:
		f.Kind = sim.DropAfterAccept
	case gateway:
		f.Kind = sim.BadGateway
	case tooSlow:
		f.Kind, f.DelayMs = sim.Trickle, 1000
	case lateAnswer, lateEffect:
		f.Kind, f.DelayMs, f.Accept = sim.Slow, forever, c.way == lateAnswer
	}
	if c.step.follows() {
		return nil, []sim.Fault{f}
	}
	return []sim.Fault{f}, nil
}

// meet runs one case and checks the result.
func (b *errorBench) meet(c errorCase) {
	b.t.Helper()
	b.Clock.Advance(time.Minute) // beyond the limits of calls
	_, err := b.Pool.Exec(b.Context(), `WITH free AS (DELETE FROM network_holds) UPDATE accounts SET held_until = NULL`)
	must(b.t, err)
	b.renewAccount()
	text := "Case: " + c.String()
	before := len(b.Sim.Posts.All())
	post := b.send(c.kind, text)
	first, later := c.script()
	b.Fault(first...)
	b.later = later
	began := b.Clock.Now()
	for post = b.ws.Work(post); b.hit == (step{}) && !b.nextAt(post).IsZero(); post = b.ws.Work(post) {
		must(b.t, b.Sim.WaitIdle(b.Context())) // its files are fetched
		b.Clock.Set(maxTime(b.nextAt(post), b.Clock.Now().Add(time.Second)))
		began = b.Clock.Now()
	}
	if c.way == lateAnswer || c.way == lateEffect {
		b.Sim.Faults.Clear() // which ends the delay
		b.landed()
	}
	c.step.do, c.step.armed = b.hit.do, b.hit.armed
	want := c.wanted(b)
	if want.held > 0 {
		b.checkHeld(c, want, began)
	}
	if want.account == "" {
		want.account = "ok"
	}
	accountStatus := b.ws.StatusOf(b.account)
	if accountStatus != "ok" {
		b.tainted = true
	}
	post = b.carry(post)
	if status := b.ws.StatusOf(b.account); status != "ok" {
		accountStatus, b.tainted = status, true
	}
	if left := append(b.Sim.Faults.ListActive(), b.later...); len(left) != 0 {
		b.t.Errorf("%s: the fault was not met: %+v", c, left)
	}
	b.Sim.Faults.Clear()
	b.later = nil
	b.compare(c, want, post, accountStatus, len(b.Sim.Posts.All())-before)
}

// landed waits until calls whose callers have hung up have ended.
func (b *errorBench) landed() {
	b.t.Helper()
	b.Eventually("all calls are over", func() bool {
		return !slices.ContainsFunc(b.Sim.Calls.ListLast(20), func(r sim.CallRecord) bool {
			return r.Status == 0 && strings.HasPrefix(r.Fault, sim.Slow)
		})
	})
	must(b.t, b.Sim.WaitIdle(b.Context()))
}

// broken reports whether the response does not arrive. The transport then repeats reads, and lost parts of files are
// sent again without counting as an attempt.
func (c errorCase) broken() bool { return c.way != refused && c.way != published }

// wanted is the expected result of a case.
type wanted struct {
	status, code string
	account      string // its status; "" for ok
	words        bool   // the post fails with the network's words and good advice
	visible      int
	tries        int
	// held is how long the account's other posts wait, or all posts of the app.
	held time.Duration
	app  bool
	// queued is true if the post itself waits too.
	queued bool
}

// wanted returns the result of the case according to docs/publishing.md.
func (c errorCase) wanted(b *errorBench) wanted {
	live := wanted{status: "live", visible: 1}
	class := nt.Class{Kind: network.Unknown}
	if c.error.Class != "" && c.way != cutError {
		class = nt.ParseClass(b.t, c.error.Class, b.Clock.Now())
	}
	if c.way == askedInVain || c.step.armed && c.step.do != core.DoPublish {
		return live // whatever a question is answered with, it is asked again
	}
	effect := slices.Contains([]string{published, cut, resetAfter, tooSlow, lateAnswer, lateEffect}, c.way)
	if c.step.do == core.DoPublish {
		return c.wantedOfPublish(b, live, class, effect)
	}
	switch class.Kind {
	case network.Rejected:
		return wanted{status: "failed", code: core.ErrorRejected, words: true, held: class.Wait}
	case network.RateLimited:
		live.held, live.app, live.queued = class.Wait, class.Scope == network.ScopeApp, true
	case network.Revoked, network.Expired:
		return wanted{status: "failed", code: "account_" + string(class.Kind), account: string(class.Kind), words: true}
	case network.Transient, network.Unknown:
		live.tries = 1
		if c.step.do == core.DoStatus && c.step.call == "upload" { // a lost part is sent again
			live.tries = 0
		}
	}
	return live
}

func (c errorCase) wantedOfPublish(b *errorBench, live wanted, class nt.Class, effect bool) wanted {
	repeatable := b.flowOf(c.kind).CanRepeatCall()
	switch {
	case effect:
		return live
	case class.Kind == network.Rejected:
		return wanted{status: "failed", code: core.ErrorRejected, words: true, held: class.Wait}
	case class.Kind == network.Revoked, class.Kind == network.Expired:
		return wanted{status: "failed", code: "account_" + string(class.Kind), account: string(class.Kind), words: true}
	case class.Kind == network.RateLimited:
		live.held, live.app, live.queued = class.Wait, class.Scope == network.ScopeApp, true
		return live
	case !repeatable:
		return wanted{status: "failed", code: core.ErrorOutcomeUnknown}
	}
	live.tries = 1
	return live
}

func (b *errorBench) flowOf(kind postKind) core.Flow {
	b.t.Helper()
	n, _ := b.Config.Networks.FindConnector(core.Platform(b.network))
	d := network.Draft{Settings: json.RawMessage(cmp.Or(kind.settings, "{}"))}
	for _, f := range kind.files {
		d.Media = append(d.Media, map[rune]core.Media{'i': nt.Image(), 'v': nt.Video()}[f])
	}
	return n.DeliveryFor(d).Flow
}

// checkHeld checks that another post of the account waits without a call, and that a post of another account waits only
// if the throttle is on the whole app.
func (b *errorBench) checkHeld(c errorCase, want wanted, began time.Time) {
	b.t.Helper()
	b.tainted = true
	before := b.Sim.Calls.CountCalls()
	sibling := b.ws.Work(b.sendTo(b.account, c.kind, "Meanwhile: "+c.String()))
	if calls := b.Sim.Calls.CountCalls() - before; calls != 0 || sibling.Status != "queued" {
		b.t.Errorf("%s: another post of the account is %s after %d calls", c, sibling.Status, calls)
	}
	until := b.nextAt(sibling).Sub(began)
	if until < want.held-time.Second || until > want.held+time.Minute {
		b.t.Errorf("%s: another post of the account waits for %s, want %s", c, until, want.held)
	}
	must(b.t, b.cancel(sibling))
	b.made++
	other := b.ws.Account(b.network, fmt.Sprintf("account_%d", b.made))
	before = b.Sim.Calls.CountCalls()
	free := b.sendTo(other, c.kind, "Elsewhere: "+c.String())
	must(b.t, b.App.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, b.id(free)))
	if called := b.Sim.Calls.CountCalls() > before; called == want.app {
		b.t.Errorf("%s: calls for a post of another account: %v", c, called)
	}
	if want.app {
		must(b.t, b.cancel(b.ws.Post(free)))
	}
}

// cancel cancels a queued post.
func (b *errorBench) cancel(p contract.Post) error {
	_, err := b.App.CancelPost(b.Context(), b.ws.Owner, p.ID)
	return err
}

// compare checks the final state of a post.
func (b *errorBench) compare(c errorCase, want wanted, post contract.Post, account string, visible int) {
	b.t.Helper()
	got := contract.PostError{}
	if post.Error != nil {
		got = *post.Error
	}
	if post.Status != want.status || got.Code != want.code {
		b.t.Errorf("%s: the post is %s (%+v), want %s %s", c, post.Status, got, want.status, want.code)
	}
	texts := b.Visible(post.Text)
	if c.kind.name == "Story" {
		texts = visible
	}
	if texts != want.visible {
		b.t.Errorf("%s: %d posts are visible, want %d", c, texts, want.visible)
	}
	if account != want.account && !(c.way == askedInVain || want.status == "live" && account != "ok") {
		b.t.Errorf("%s: the account is %s, want %s", c, account, want.account)
	}
	var tries int
	err := b.Pool.QueryRow(b.Context(), `SELECT tries FROM publications WHERE post_id = $1`, b.id(post)).Scan(&tries)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		b.t.Fatal(err)
	}
	if tries != want.tries && (tries > want.tries || !c.broken()) {
		b.t.Errorf("%s: it took %d tries, want %d", c, tries, want.tries)
	}
	if !want.words {
		return
	}
	hint := ""
	if got.Hint != nil {
		hint = *got.Hint
	}
	if got.Message != c.error.Message || hint == "" ||
		want.account == "ok" && !strings.Contains(strings.ToLower(hint), strings.ToLower(c.error.Advice)) {
		b.t.Errorf("%s: the post fails with %q and %q, want the network's words and %q", c, got.Message, hint, c.error.Advice)
	}
}
