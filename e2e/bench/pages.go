package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"belfry/internal/media/mediatest"
	"belfry/internal/store/storetest"
)

const (
	// monthPosts are scheduled in one month. Five accounts share a text.
	monthPosts    = 5000
	accountsAText = 5
	// olderPosts come on top, with 20,000 files.
	olderPosts = 3000
	// newPictures are the newest files. A third of the posts of the month have one.
	newPictures = 60

	goalPage     = 50 * time.Millisecond
	goalCalendar = 100 * time.Millisecond
	goalPageSize = 300 << 10
	// pageLoads is how often each page is read.
	pageLoads = 60
)

// dashboardPage is a page of the dashboard and how quickly it must be answered.
type dashboardPage struct {
	name, path string
	goal       time.Duration
}

// measurePages reads every kind of page in a workspace with 5,000 posts in a month, 200 accounts and 20,000 files. Time
// and size are those of the page itself, uncompressed, without its pictures.
func measurePages(ctx context.Context, o options, folder string, t *table) error {
	p, err := startWithNetworks(ctx, o, folder, manyAccounts)
	if err != nil {
		return err
	}
	defer p.stop()
	database, err := p.database()
	if err != nil {
		return err
	}
	if _, err := storetest.Fill(ctx, database, olderPosts); err != nil {
		return err
	}
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	post, err := p.fillMonth(ctx, month)
	if err != nil {
		return err
	}
	visitor, home, err := p.signIn(ctx)
	if err != nil {
		return err
	}
	t.section(fmt.Sprintf("Pages with %d posts in the month, %d accounts and 20,000 files, p95 / size",
		monthPosts, 5*manyAccounts))
	for _, page := range p.dashboardPages(home, month, post) {
		slowest, size, err := p.timePage(ctx, visitor, page.path)
		if err != nil {
			return err
		}
		met := slowest < page.goal && size < goalPageSize
		t.row(page.name, fmt.Sprintf("%s / %d KB", milliseconds(slowest), size>>10),
			fmt.Sprintf("< %s / %d KB", milliseconds(page.goal), goalPageSize>>10), &met)
	}
	return p.judgePages(ctx, visitor, home, t)
}

// fillMonth spreads posts over the days and hours of a month that has not begun, and returns the id of one.
func (p *publisher) fillMonth(ctx context.Context, month time.Time) (post string, err error) {
	pictures := make([]string, newPictures)
	for i := range pictures {
		if pictures[i], err = p.uploadFile(ctx, fmt.Sprintf("counter-%d.jpg", i), mediatest.JPEG(1080, 1080+i)); err != nil {
			return "", err
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.clients)
	texts := monthPosts / accountsAText
	apart := 28 * 24 * time.Hour / time.Duration(texts)
	for i := range texts {
		group.Go(func() error {
			var accounts []string
			for n := range accountsAText {
				at := i*accountsAText + n
				accounts = append(accounts, p.seed.account(chooseText(at).network, at/2))
			}
			files := []string{}
			if i%3 == 0 {
				files = pictures[i%newPictures : i%newPictures+1]
			}
			var made struct{ Posts []struct{ ID string } }
			err := p.call(ctx, p.seed.Key, http.MethodPost, "/posts", map[string]any{
				"targets": map[string]any{"accountIds": accounts}, "confirm": true,
				"when": map[string]string{
					"publishAt": month.Add(time.Duration(i) * apart).Format("2006-01-02T15:04"), "timezone": "UTC",
				},
				"mediaIds": files,
				"text":     fmt.Sprintf("Offer %d: the bakery at the harbour opens an hour earlier, and there is rye bread.", i),
			}, &made)
			if err == nil && i == 0 {
				post = made.Posts[0].ID
			}
			return err
		})
	}
	err = group.Wait()
	return post, err
}

// signIn returns a client that has signed in, and the path of its workspace, such as "/w/harbour-bakery".
func (p *publisher) signIn(ctx context.Context) (visitor *http.Client, home string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, "", err
	}
	visitor = &http.Client{Jar: jar}
	form := url.Values{"email": {p.seed.Email}, "password": {p.seed.Password}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.addr+"/sign-in",
		strings.NewReader(form.Encode()))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := visitor.Do(r)
	if err != nil {
		return nil, "", err
	}
	if err := answer.Body.Close(); err != nil {
		return nil, "", err
	}
	home, isPosts := strings.CutSuffix(answer.Request.URL.Path, "/posts")
	if answer.StatusCode != http.StatusOK || !isPosts {
		return nil, "", fmt.Errorf("signing in redirects to %s, which responds with status %s", answer.Request.URL, answer.Status)
	}
	return visitor, home, nil
}

// dashboardPages returns the pages to measure. The month is the busy one, and the post is one of it.
func (p *publisher) dashboardPages(home string, month time.Time, post string) []dashboardPage {
	date := "date=" + month.AddDate(0, 0, 9).Format(time.DateOnly)
	pages := []dashboardPage{
		{name: "Up next", path: "/posts"},
		{name: "all posts", path: "/posts?status=all"},
		{name: "live posts", path: "/posts?status=live"},
		{name: "failed posts", path: "/posts?status=failed"},
		{name: "posts of an account", path: "/posts?accountId=" + p.seed.Accounts["threads"]},
		{name: "posts found by a text search", path: "/posts?status=all&q=rye+harbour"},
		{name: "a post", path: "/posts/" + post},
		{name: "compose", path: "/compose"},
		{name: "a queued post in the composer", path: "/posts/" + post + "/edit"},
		{name: "calendar, month", path: "/calendar?" + date, goal: goalCalendar},
		{name: "calendar, week", path: "/calendar?view=week&" + date, goal: goalCalendar},
		{name: "calendar, day", path: "/calendar?view=day&" + date, goal: goalCalendar},
		{name: "calendar, list", path: "/calendar?view=list&" + date, goal: goalCalendar},
		{name: "media", path: "/media"},
		{name: "media as a list", path: "/media?view=list"},
		{name: "media found by a text search", path: "/media?q=bakery-1"},
		{name: "media, largest first", path: "/media?sort=largest"},
		{name: "accounts", path: "/accounts"},
		{name: "groups", path: "/groups"},
		{name: "new group", path: "/groups/new"},
		{name: "search", path: "/search?q=harbour"},
		{name: "workspace settings", path: "/settings/workspace"},
		{name: "members", path: "/settings/members"},
		{name: "API keys", path: "/settings/keys"},
		{name: "plan", path: "/settings/plan"},
		{name: "profile", path: "/settings/profile"},
		{name: "password and sessions", path: "/settings/security"},
		{name: "audit log", path: "/settings/audit"},
	}
	for i := range pages {
		pages[i].path = home + pages[i].path
		pages[i].goal = max(pages[i].goal, goalPage)
	}
	return pages
}

// timePage reads a page some times and returns how long most of the answers took, and the size of the page in bytes.
func (p *publisher) timePage(ctx context.Context, visitor *http.Client, path string) (time.Duration, int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.addr+path, nil)
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Accept-Encoding", "identity")
	var took []time.Duration
	var body []byte
	for range pageLoads {
		began := time.Now()
		answer, err := visitor.Do(r)
		if err != nil {
			return 0, 0, err
		}
		body, err = io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return 0, 0, err
		}
		took = append(took, time.Since(began))
		if answer.StatusCode != http.StatusOK || answer.Request.URL.Path != r.URL.Path {
			return 0, 0, fmt.Errorf("%s redirects to %s, which responds with status %s", path, answer.Request.URL, answer.Status)
		}
	}
	return quantile(took, 0.95), len(body), nil
}
