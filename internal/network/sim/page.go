package sim

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed page
var pages embed.FS

// contentSecurity is for pages without scripts and inline styles. A consent form redirects back to the app, and
// browsers also apply form-action to that redirect.
const contentSecurity = "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self' http: https:; " +
	"frame-ancestors 'none'; base-uri 'none'; font-src 'self'"

// Choice is a check box or a radio button.
type Choice struct {
	Type    string // radio or checkbox
	Name    string
	Value   string
	Label   string
	Note    string
	Picture string
	Checked bool
}

// Group is a titled list of choices, with an optional free field below it.
type Group struct {
	Title   string
	Choices []Choice
	// Apart are the choices that stand for no account. They come after the others, and are never selected at first.
	Apart []Choice
	// Field is the name of a text field for something that is not in the list.
	Field, FieldLabel, FieldHint string
	// Folded hides the group behind its title until it is opened.
	Folded bool
}

// Consent is the page on which a person lets the app act for them.
type Consent struct {
	Network string // id
	Title   string
	Heading string
	Lead    string
	Action  string
	Hidden  [][2]string
	Groups  []Group
	Allow   string
}

// PostPage is the public page of a post.
type PostPage struct {
	Network string
	Title   string
	Name    string
	Handle  string
	Picture string
	Text    string
	Topic   string
	Link    string
	Media   []Shown
	At      time.Time
	Counts  []string
}

// ProfilePage is the public page of an account.
type ProfilePage struct {
	Network, Title, Name, Handle, Picture string
	Counts                                []string
	Posts                                 []*PostPage
	// Days are the last days, newest first. Countries are the countries of the followers.
	Days      []DayFigures
	Countries []CountryFigures
}

// DayFigures are the figures of an account on one day.
type DayFigures struct {
	Day time.Time
	Figures
	NewFollowers int
}

// CountryFigures is the number of followers in a country.
type CountryFigures struct {
	Country   string
	Followers int
}

// Shown is an image or a video on the page of a post.
type Shown struct {
	Media
	URL string
}

// Notice is a page with a message and no controls.
type Notice struct {
	Network string
	Title   string
	Heading string
	Text    string
}

// ServePage renders one of the pages in the folder page.
func (k *Kit) ServePage(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	t, err := template.New("frame.html").Funcs(template.FuncMap{
		"link":    k.SandboxURL,
		"base":    k.Prefix,
		"app":     k.AppName,
		"network": k.titleOrID,
		"home":    func() string { return k.cfg.Home },
		"mails":   func() string { return k.cfg.Outbox },
		"tokens":  func() string { return k.cfg.Tokens },
		"icon":    func() string { return k.cfg.Icon },
		"excerpt": excerptOrPlaceholder,
		"time":    func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05 UTC") },
		"date":    func(t time.Time) string { return t.UTC().Format("2 January 2006") },
		"clock":   func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
		"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"deref":   func(n *int) int { return *n },
	}).ParseFS(pages, "page/frame.html", "page/article.html", "page/"+name+".html")
	var body bytes.Buffer
	if err == nil {
		err = t.Execute(&body, data)
	}
	if err != nil {
		http.Error(w, "The sandbox could not render this page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	k.updateRequestRecord(r, func(rec *CallRecord) { rec.Status = status })
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", contentSecurity)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}

// excerptOrPlaceholder returns the beginning of a post's text, by which people recognize the post, or words that say
// that there is no text.
func excerptOrPlaceholder(text string) string {
	const longest = 160
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return cmp.Or(text, "Post without text")
}

// NewPostPage returns the page of a post on a site. The caller adds the account's data.
func (k *Kit) NewPostPage(p Post, site string) *PostPage {
	page := &PostPage{
		Network: p.Network, Name: p.AccountName, Text: p.Text, Link: p.Link, At: p.CreatedAt,
		Counts: k.PostFigures(p).formatCounts(),
	}
	for _, m := range p.Media {
		page.Media = append(page.Media, Shown{Media: m, URL: MediaURL(site, m)})
	}
	return page
}

// MediaURL returns the address of a file on a site; "" for no file.
func MediaURL(site string, m Media) string {
	if m.SHA256 == "" {
		return ""
	}
	return "https://" + site + "/media/" + m.SHA256
}

// ServeProfile serves the public page of an account, with its newest visible posts.
func (k *Kit) ServeProfile(w http.ResponseWriter, r *http.Request, profile ProfilePage, site, account string) {
	followers := k.CountFollowers(account, k.Now())
	profile.Counts = []string{fmt.Sprintf("%d followers", followers)}
	profile.Days = k.listLastDays(account)
	byCountry := SplitByCountry(followers)
	for _, country := range Countries {
		profile.Countries = append(profile.Countries, CountryFigures{country, byCountry[country]})
	}
	for p := range k.Posts.Newest(profile.Network, account) {
		if len(profile.Posts) == shownOnProfile {
			break
		}
		if p.IsVisible() {
			profile.Posts = append(profile.Posts, k.NewPostPage(p, site))
		}
	}
	k.ServePage(w, r, http.StatusOK, "profile", profile)
}

// listLastDays returns the figures of an account on each of the last days, newest first.
func (k *Kit) listLastDays(account string) []DayFigures {
	var days []DayFigures
	today := k.Now().UTC().Truncate(day)
	for ago := range shownDays {
		began := today.Add(-time.Duration(ago) * day)
		ended := began.Add(day)
		if now := k.Now(); ended.After(now) {
			ended = now
		}
		days = append(days, DayFigures{
			Day: began, Figures: k.DayFigures(account, began),
			NewFollowers: k.CountFollowers(account, ended) - k.CountFollowers(account, began),
		})
	}
	return days
}

const (
	day = 24 * time.Hour
	// shownDays is the number of days for which an account's page shows statistics.
	shownDays = 7
)

// shownOnProfile is how many posts the page of an account shows.
const shownOnProfile = 50

// ServePost serves the public page of a post; nil is a post that the public cannot see.
func (k *Kit) ServePost(w http.ResponseWriter, r *http.Request, page *PostPage) {
	if page == nil {
		k.ServePage(w, r, http.StatusNotFound, "notice", Notice{
			Heading: "This content is not available", Text: "The content was deleted, has expired, is private or was never published.",
		})
		return
	}
	k.ServePage(w, r, http.StatusOK, "post", page)
}

// ServeSite serves the pages that every network's site has: fetched files below /media/, and profile pictures below
// /picture/. For any other path, it responds not found.
func (k *Kit) ServeSite(w http.ResponseWriter, r *http.Request, network, title string) {
	folder, name := path.Split(r.URL.Path)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	case folder == pictureFolder:
		k.ServePicture(w, r, name)
	case folder == "/media/":
		k.ServeMedia(w, r, name)
	default:
		k.ServePage(w, r, http.StatusNotFound, "notice", Notice{
			Network: network, Title: title, Heading: "This page is not available",
			Text: "The address may be wrong, or the page may have been removed.",
		})
	}
}

// Stylesheet returns the style sheet of all pages, followed by each network's own.
func (k *Kit) Stylesheet() []byte {
	style, err := pages.ReadFile("page/style.css")
	if err != nil {
		return nil
	}
	for _, about := range k.Networks() {
		style = append(append(style, '\n'), about.Style...)
	}
	return style
}
