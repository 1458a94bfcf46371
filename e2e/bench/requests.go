package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	goalReads     = 0.75
	goalCreations = 0.7
	shownPosts    = 200
	noLimit       = "100000000/10m"
	// noCreateLimit has a short window: the program counts the creations in it, some 60 by default.
	noCreateLimit = "100000000/100ms"
)

// contender is one of the programs in a comparison.
type contender struct {
	name  string
	addr  string
	want  int
	next  request
	rates []float64
	each  []time.Duration // processor time of a request
}

// measureReads compares the program with bare handlers on the same database, for requests that get a post.
func measureReads(ctx context.Context, o options, folder string, t *table) error {
	return besideFloor(ctx, o, folder, func(s *service, seed seeded, floor string) error {
		ids, err := s.drafts(ctx, seed)
		if err != nil {
			return err
		}
		show := func(path string) request {
			made := make([][]byte, len(ids))
			for i, id := range ids {
				made[i] = head("GET", path+id, seed.Key, nil)
			}
			return func(client, n int) []byte { return made[(client*31+n)%len(made)] }
		}
		reads := []*contender{
			{name: "belfry", addr: s.addr, want: 200, next: show("/v1/posts/")},
			{name: "bare handler: count, key, row", addr: floor, want: 200, next: show("/three/")},
			{name: "bare handler: one query", addr: floor, want: 200, next: show("/one/")},
		}
		if err := compete(ctx, o, reads); err != nil {
			return err
		}
		t.section(fmt.Sprintf("GET /v1/posts/{id}, requests per second, %d clients, median of %d rounds of %s", o.clients,
			o.rounds, o.round))
		tell(t, reads, goalReads)
		return nil
	})
}

// measureCreations does the same for requests that create a scheduled post.
func measureCreations(ctx context.Context, o options, folder string, t *table) error {
	return besideFloor(ctx, o, folder, func(s *service, seed seeded, floor string) error {
		at := time.Now().UTC().Add(48 * time.Hour).Format("2006-01-02T15:04")
		create := func(path string) request {
			return func(client, n int) []byte {
				body := fmt.Sprintf(`{"targets":{"accountIds":[%q]},"text":"Creation %d of client %d at %s","when":{"publishAt":%q,"timezone":"UTC"},"confirm":true}`,
					seed.Accounts["threads"], n, client, path, at)
				return head("POST", path, seed.Key, []byte(body))
			}
		}
		creations := []*contender{
			{name: "belfry", addr: s.addr, want: 201, next: create("/v1/posts")},
			{name: "bare handler: the same inserts", addr: floor, want: 201, next: create("/create")},
		}
		if err := compete(ctx, o, creations); err != nil {
			return err
		}
		t.section("POST /v1/posts, scheduled posts per second in one workspace, measured the same way")
		tell(t, creations, goalCreations)
		return nil
	})
}

// besideFloor runs a measurement of the program, without its limits, and of the bare handlers on its database.
func besideFloor(ctx context.Context, o options, folder string,
	measure func(s *service, seed seeded, floor string) error,
) error {
	s, err := newService(o, folder, "BELFRY_LIMIT_ADDRESS="+noLimit,
		"BELFRY_LIMIT_CREATE="+noCreateLimit)
	if err != nil {
		return err
	}
	if _, err := s.serve(ctx); err != nil {
		return err
	}
	defer s.stop()
	seed, err := s.seedWorkspace(ctx)
	if err != nil {
		return err
	}
	floor, stop, err := startFloor(ctx, s)
	if err != nil {
		return err
	}
	defer stop()
	return measure(s, seed, floor)
}

// compete lets the contenders take turns, so that disturbances affect all of them equally.
func compete(ctx context.Context, o options, all []*contender) (err error) {
	loads := make([]*load, len(all))
	for i, c := range all {
		if loads[i], err = dial(ctx, c.addr, o.clients); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, loads[i].close()) }()
	}
	for round := range o.rounds + 1 {
		for i, c := range all {
			length := o.round
			if round == 0 {
				length = time.Second // warm-up
			}
			rate, each, err := loads[i].turn(ctx, length, c.want, c.next)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 {
				c.rates = append(c.rates, rate)
				c.each = append(c.each, each)
			}
		}
	}
	return nil
}

// tell adds the rates to the table, and the ratios of the first contender to the others.
func tell(t *table, all []*contender, goal float64) {
	for _, c := range all {
		t.row(c.name, fmt.Sprintf("%.0f /s, %d µs of a processor", median(c.rates), median(c.each).Microseconds()), "", nil)
	}
	for i, c := range all[1:] {
		ratios := make([]float64, len(c.rates))
		for n := range ratios {
			ratios[n] = all[0].rates[n] / c.rates[n]
		}
		text, met := "", new(bool)
		if i == 0 && goal > 0 {
			text, *met = fmt.Sprintf("≥ %.2f", goal), median(ratios) >= goal
		} else {
			met = nil
		}
		t.row("belfry / "+c.name, fmt.Sprintf("%.2f", median(ratios)), text, met)
	}
}

// head returns a request.
func head(method, path, key string, body []byte) []byte {
	var b strings.Builder
	b.WriteString(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key + "\r\n")
	if body != nil {
		b.WriteString("Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(body)
	return []byte(b.String())
}

// drafts creates the posts that are read, and returns their ids.
func (s *service) drafts(ctx context.Context, seed seeded) ([]string, error) {
	ids := make([]string, shownPosts)
	for i := range ids {
		var made struct{ Posts []struct{ ID string } }
		err := s.call(ctx, seed.Key, "POST", "/posts", map[string]any{
			"targets": map[string]any{"accountIds": []string{seed.Accounts["threads"]}}, "confirm": true, "when": "draft",
			"text": fmt.Sprintf("Draft %d: the bakery at the harbour opens an hour earlier from Monday on, and there is rye bread again.", i),
		}, &made)
		if err != nil {
			return nil, err
		}
		ids[i] = made.Posts[0].ID
	}
	return ids, nil
}

// startFloor starts another process of this program that serves the bare handlers.
func startFloor(ctx context.Context, s *service) (addr string, stop func(), err error) {
	database, err := s.database()
	if err != nil {
		return "", nil, err
	}
	if addr, err = freeAddr(); err != nil {
		return "", nil, err
	}
	p, err := startSelf(s.folder, "floor", addr, database)
	if err != nil {
		return "", nil, err
	}
	if err := s.await(ctx, "http://"+addr+"/"); err != nil {
		p.stop()
		return "", nil, err
	}
	return addr, p.stop, nil
}
