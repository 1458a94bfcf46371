package main

import (
	"context"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"belfry/internal/store/storetest"
)

const (
	goalList        = 50 * time.Millisecond
	goalShortSearch = time.Second
	goalNeighbor    = 150 * time.Millisecond
	goalLateRatio   = 1.3
	// asked is how often each list is requested.
	asked = 40
	// searchers search at once, while another workspace reads its posts neighborReads times.
	searchers     = 10
	neighborReads = 400
)

// searched are words, parts of words and symbols. Some occur often, some rarely and some nowhere.
var searched = []string{
	"harbour", "Number", "zyzzyva", "item4711", "щука", "龍虎豹", "焼きたて", "Number 123456 of", "rye oven",
	"honey bread rye", "lemon salt warm", "harbour bakery opens", "the smile item", "golden crust seeds",
	"zyzzyva qwert asdfg", "winter evening offer recipe", "apple the harbour", "op", "qx", "tb", "zz", "é", "q", "🍞",
	"🍞🥐", "!!", "ж", "#", "新鮮",
}

// measureSize reads lists and publishes posts with many posts in the database, of which a third belong to two accounts
// of one workspace. Then it publishes as many posts with an empty database.
func measureSize(ctx context.Context, o options, folder string, t *table) error {
	p, err := startWithNetworks(ctx, o, folder, manyAccounts)
	if err != nil {
		return err
	}
	defer p.stop()
	database, err := p.database()
	if err != nil {
		return err
	}
	if _, err := storetest.Fill(ctx, database, o.filled); err != nil {
		return err
	}
	p.process.stop()
	if _, err := p.serve(ctx); err != nil {
		return err
	}
	t.section(fmt.Sprintf("Lists of a workspace with a third of %d posts: the slowest of each kind, p95", o.filled))
	if err := p.measureLists(ctx, t); err != nil {
		return err
	}
	if err := p.measureNeighbor(ctx, t); err != nil {
		return err
	}
	if err := p.slowDown(ctx); err != nil {
		return err
	}
	filled, err := p.publishAtOnce(ctx, o.posts, chooseText)
	if err != nil {
		return err
	}
	p.process.stop()
	empty, err := publishAtOnce(ctx, o, folder+"-empty", manyAccounts, o.posts, chooseText)
	if err != nil {
		return err
	}
	t.section(fmt.Sprintf("%d posts due in one second there and in an empty database", o.posts))
	t.row("due time to first network call, p50 / p99", filled.called.halfAndMost(), "", nil)
	t.row("due time to first network call in an empty database, p50 / p99", empty.called.halfAndMost(), "", nil)
	ratio := quantile(filled.called, 0.99).Seconds() / quantile(empty.called, 0.99).Seconds()
	met := ratio <= goalLateRatio
	t.row("ratio of this p99 to the p99 in an empty database", fmt.Sprintf("%.2f", ratio), "<= 1.3", &met)
	return nil
}

func (p *publisher) measureLists(ctx context.Context, t *table) error {
	account := "accountId=" + p.seed.Accounts["threads"]
	lists := []string{
		"", "order=asc", "status=failed", "status=queued", account, account + "&status=failed",
		"from=2023-01-01&to=2023-06-01",
	}
	searches := []string{"q=harbour&status=failed", "q=lemon+salt&status=draft&" + account}
	var short []string
	for _, q := range searched {
		if query := "q=" + url.QueryEscape(q); utf8.RuneCountInString(q) < 3 {
			short = append(short, query)
		} else {
			searches = append(searches, query)
		}
	}
	for _, kind := range []struct {
		name    string
		queries []string
		goal    time.Duration
	}{
		{"lists and filters", lists, goalList},
		{"searches", searches, goalList},
		{"searches of one or two characters", short, goalShortSearch},
	} {
		var slowest time.Duration
		var query string
		for _, q := range kind.queries {
			took, err := p.timeList(ctx, p.seed.Key, q, asked)
			if err != nil {
				return err
			}
			if most := quantile(took, 0.95); most > slowest {
				slowest, query = most, q
			}
		}
		query, err := url.QueryUnescape(query)
		if err != nil {
			return err
		}
		met := slowest < kind.goal
		t.row(fmt.Sprintf("%s: %q", kind.name, query), milliseconds(slowest), "< "+milliseconds(kind.goal), &met)
	}
	return nil
}

// measureNeighbor measures how long listing the posts of one workspace takes while clients search another.
func (p *publisher) measureNeighbor(ctx context.Context, t *table) error {
	neighbor, err := p.service.seedWorkspace(ctx)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	var done atomic.Bool
	for i := range searchers {
		group.Go(func() error {
			for n := i; !done.Load(); n++ {
				if _, err := p.timeList(ctx, p.seed.Key, "q="+url.QueryEscape(searched[n%len(searched)]), 1); err != nil {
					return err
				}
			}
			return nil
		})
	}
	took, err := p.timeList(ctx, neighbor.Key, "", neighborReads)
	done.Store(true)
	if errSearch := group.Wait(); errSearch != nil {
		return errSearch
	}
	if err != nil {
		return err
	}
	met := quantile(took, 0.99) < goalNeighbor
	t.row(fmt.Sprintf("another workspace's list, with %d clients searching, p99", searchers),
		milliseconds(quantile(took, 0.99)), "< "+milliseconds(goalNeighbor), &met)
	return nil
}

// timeList requests a list several times and returns how long each request took.
func (p *publisher) timeList(ctx context.Context, key, query string, times int) (took []time.Duration, err error) {
	for range times {
		began := time.Now()
		if err := p.call(ctx, key, "GET", "/posts?limit=50&"+query, nil, nil); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d)/1e6) }
