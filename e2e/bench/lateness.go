package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	callTakes        = 200 * time.Millisecond
	goalLatenessHalf = 500 * time.Millisecond
	goalLateness     = 1200 * time.Millisecond
	// floodPosts is how many posts are due in one second. All must be live within goalFlood, or goalTextFlood if they are
	// texts.
	floodPosts    = 10_000
	goalFlood     = time.Minute
	goalTextFlood = 20 * time.Second
	// manyAccounts is how many accounts of each network share many posts. Posts of one account are published one after
	// another, so the 5,000 texts of each network in a flood need more accounts: on 40, the slow calls of each account
	// alone would take 25 seconds.
	manyAccounts  = 40
	floodAccounts = 200
)

// measureLateness schedules posts for the same moment, on networks with slow calls, and compares that moment with the
// networks' own records.
func measureLateness(ctx context.Context, o options, folder string, t *table) error {
	late, err := publishAtOnce(ctx, o, folder, manyAccounts, o.posts, chooseText)
	if err != nil {
		return err
	}
	t.section(fmt.Sprintf("%d posts due in one second, each network call taking %s", o.posts, callTakes))
	half, most := median(late.called) < goalLatenessHalf, quantile(late.called, 0.99) < goalLateness
	t.row("due time to first network call, p50", seconds(median(late.called)), "< 0.5 s", &half)
	t.row("due time to first network call, p99", seconds(quantile(late.called, 0.99)), "< 1.2 s", &most)
	t.row("due time to visible on the network, p50 / p99", late.arrived.halfAndMost(), "", nil)
	t.row("due time to live, p50 / p99", late.live.halfAndMost(), "", nil)
	return nil
}

// measureFlood does the same on every network, with ten times as many posts as the service is likely to have.
func measureFlood(ctx context.Context, o options, folder string, t *table) error {
	for _, flood := range []struct {
		networks string
		accounts int
		choose   chooseKind
		goal     time.Duration
	}{
		{"five networks", manyAccounts, chooseAny, goalFlood},
		{"two networks, texts only,", floodAccounts, chooseText, goalTextFlood},
	} {
		part := filepath.Join(folder, strconv.Itoa(flood.accounts))
		late, err := publishAtOnce(ctx, o, part, flood.accounts, floodPosts, flood.choose)
		if err != nil {
			return err
		}
		last := slices.Max(late.live)
		met := last < flood.goal
		t.section(fmt.Sprintf("%d posts on %s due in one second, %d accounts on each network, each network call taking %s",
			floodPosts, flood.networks, flood.accounts, callTakes))
		t.row("texts: due time to first network call, p50 / p99", late.called.halfAndMost(), "", nil)
		t.row("due time to all posts live", seconds(last), "< "+seconds(flood.goal), &met)
	}
	return nil
}

// lateness is how late each post reached a step, in any order.
type lateness []time.Duration

func (l lateness) halfAndMost() string {
	return seconds(median(l)) + " / " + seconds(quantile(l, 0.99))
}

// latenesses are how late posts that are due at the same moment reached three steps: the first call to the network,
// their arrival there, and being live according to the program.
type latenesses struct{ called, arrived, live lateness }

// publishAtOnce starts a service and lets it publish posts that are due at the same moment.
func publishAtOnce(
	ctx context.Context, o options, folder string, accounts, posts int, choose chooseKind,
) (latenesses, error) {
	s, err := startWithNetworks(ctx, o, folder, accounts)
	if err != nil {
		return latenesses{}, err
	}
	defer s.stop()
	if err := s.slowDown(ctx); err != nil {
		return latenesses{}, err
	}
	return s.publishAtOnce(ctx, posts, choose)
}

// publisher is a service without limits, with simulated networks in a separate process.
type publisher struct {
	*service
	networks *process
	control  string // the address of the networks' control page
	seed     seeded
	files    map[string]string // ids by name
}

// startWithNetworks starts a service with a workspace that has the given number of accounts on each network.
func startWithNetworks(ctx context.Context, o options, folder string, accounts int) (p *publisher, err error) {
	networks, err := freeAddr()
	if err != nil {
		return nil, err
	}
	p = &publisher{control: "http://" + networks + "/_/", files: map[string]string{}}
	env := []string{
		"BELFRY_LIMIT_ADDRESS=" + noLimit, "BELFRY_LIMIT_CREATE=" + noCreateLimit, "BELFRY_NETWORKS_URL=http://" + networks,
		"BELFRY_YOUTUBE_UPLOADS_PER_DAY=0",
	}
	for _, name := range []string{"FACEBOOK", "INSTAGRAM", "THREADS", "TIKTOK", "YOUTUBE"} {
		env = append(env, "BELFRY_"+name+"_CLIENT_ID=sandbox", "BELFRY_"+name+"_CLIENT_SECRET=sandbox")
	}
	if p.service, err = newService(o, folder, env...); err != nil {
		return nil, err
	}
	if p.networks, err = start(p.folder, "sandbox", nil, o.binary, "sandbox", "--addr", networks); err != nil {
		return nil, err
	}
	if _, err = p.serve(ctx); err == nil {
		p.seed, err = p.service.seedWorkspace(ctx, fmt.Sprint("--accounts=", accounts))
	}
	if err == nil {
		options := map[string]string{
			"threads.quota_total": "100000", "instagram.quota_total": "100000", "facebook.refuse_duplicates": "off",
			"tiktok.posts_a_day": "1000", "youtube.uploads_per_day": "1000",
		}
		err = call(ctx, "POST", p.control+"options", "", options, nil)
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// slowDown makes each call to the networks slow.
func (p *publisher) slowDown(ctx context.Context) error {
	slow := map[string]any{"kind": "slow", "call": "any", "delayMs": callTakes.Milliseconds(), "times": 0}
	return call(ctx, "POST", p.control+"faults", "", slow, nil)
}

func (p *publisher) stop() {
	if p.process != nil {
		p.process.stop()
	}
	p.networks.stop()
}

// publishAtOnce schedules posts for the same moment and returns how late they were.
func (p *publisher) publishAtOnce(ctx context.Context, posts int, choose chooseKind) (late latenesses, err error) {
	due, err := p.schedulePosts(ctx, posts, choose)
	if err != nil {
		return late, err
	}
	if late.called, late.arrived, err = sent(ctx, p.control, posts, due); err != nil {
		return late, err
	}
	late.live, err = p.waitUntilLive(ctx, posts, due)
	return late, err
}

const benchText = "Lateness bench, post "

// schedulePosts creates the posts and returns when they are due: at the first full minute that leaves enough time to
// create them all.
func (p *publisher) schedulePosts(ctx context.Context, posts int, choose chooseKind) (time.Time, error) {
	if err := p.uploadFiles(ctx, posts, choose); err != nil {
		return time.Time{}, err
	}
	ahead := 30*time.Second + time.Duration(posts)*5*time.Millisecond
	due := time.Now().Add(ahead).Truncate(time.Minute).Add(time.Minute).UTC()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.clients)
	for i := range posts {
		group.Go(func() error {
			kind := choose(i)
			body := map[string]any{
				"targets": map[string]any{"accountIds": []string{p.seed.account(kind.network, i+i/1000)}}, "confirm": true,
				"when": map[string]string{"publishAt": due.Format("2006-01-02T15:04"), "timezone": "UTC"},
				"text": fmt.Sprintf("%s%d at %s", benchText, i, due),
			}
			if kind.file != "" {
				body["title"], body["mediaIds"] = "A file", []string{p.files[kind.file]}
			}
			if kind.settings != nil {
				body["perPlatform"] = map[string]any{kind.network: kind.settings}
			}
			return p.call(ctx, p.seed.Key, "POST", "/posts", body, nil)
		})
	}
	if err := group.Wait(); err != nil {
		return due, err
	}
	if ahead := time.Until(due); ahead < 2*time.Second {
		return due, fmt.Errorf("creating %d posts took too long: they are due in %s", posts, ahead)
	}
	return due, nil
}

// sent waits until the networks show all posts, and returns how late the first call for each post was and how late each
// post became visible.
func sent(ctx context.Context, control string, posts int, due time.Time) (called, arrived []time.Duration, err error) {
	var out struct {
		Posts []struct {
			Network, Text          string
			FirstCallAt, ArrivedAt time.Time
		}
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for deadline := due.Add(2 * time.Minute); ; {
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-tick.C:
		}
		if time.Now().Before(due) {
			continue
		}
		out.Posts = nil
		if err := call(ctx, "GET", control+"posts", "", nil, &out); err != nil {
			return nil, nil, err
		}
		called, arrived = nil, nil
		for _, p := range out.Posts {
			if !strings.HasPrefix(p.Text, benchText) || p.ArrivedAt.Before(due) { // not of this moment
				continue
			}
			arrived = append(arrived, p.ArrivedAt.Sub(due))
			if p.Network != oneCall && !p.FirstCallAt.Before(due) { // not prepared ahead
				called = append(called, p.FirstCallAt.Sub(due))
			}
		}
		if len(arrived) >= posts {
			asked, err := questions(ctx, control, due)
			return append(called, asked...), arrived, err
		}
		if time.Now().After(deadline) {
			return nil, nil, fmt.Errorf("only %d of %d posts were published", len(arrived), posts)
		}
	}
}

// oneCall is the network whose first call for a post does not name the post: it checks whether the Page's token works.
const oneCall = "facebook"

// questions returns how late those calls were, one for each post.
func questions(ctx context.Context, control string, due time.Time) ([]time.Duration, error) {
	var out struct {
		Calls []struct {
			At            time.Time
			Network, Call string
		}
	}
	if err := call(ctx, "GET", control+"calls", "", nil, &out); err != nil {
		return nil, err
	}
	var late []time.Duration
	for _, c := range out.Calls {
		if c.Network == oneCall && c.Call == "profile" && !c.At.Before(due) {
			late = append(late, c.At.Sub(due))
		}
	}
	return late, nil
}

// waitUntilLive waits until all posts are live, and returns how late each post was live according to the program.
func (p *publisher) waitUntilLive(ctx context.Context, posts int, due time.Time) ([]time.Duration, error) {
	for deadline := time.Now().Add(time.Minute); ; {
		var late []time.Duration
		for cursor := ""; ; {
			var page struct {
				Posts []struct {
					Status    string
					PublishAt *time.Time
					UpdatedAt time.Time
				}
				NextCursor *string
			}
			list := "/posts?status=live&limit=100&from=" + due.AddDate(0, 0, -1).Format(time.DateOnly) + cursor
			if err := p.call(ctx, p.seed.Key, "GET", list, nil, &page); err != nil {
				return nil, err
			}
			for _, post := range page.Posts {
				if post.PublishAt != nil && post.PublishAt.Equal(due) {
					late = append(late, post.UpdatedAt.Sub(due))
				}
			}
			if page.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + *page.NextCursor
		}
		if len(late) >= posts {
			return late, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("only %d of %d posts are live", len(late), posts)
		}
	}
}
