package facebooksim

import (
	"crypto/sha256"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"belfry/internal/network/sim"
)

const (
	// maxMessage is counted in UTF-16 units, the strictest reading of a limit the network does not document.
	maxMessage = 63_206
	triesKept  = 100_000
)

// post is a Page post, visible once Published.
type post struct {
	ID        string    `json:"id"`
	Page      string    `json:"page"`
	Message   string    `json:"message"`
	Link      string    `json:"link"`
	Photos    []string  `json:"photos,omitempty"`
	Published bool      `json:"published"`
	At        time.Time `json:"at"`
	// How it came about, stored so that a restart does not change what tests read.
	ArrivedAt    time.Time `json:"arrivedAt"`
	FirstCall    time.Time `json:"firstCall"`
	FirstPublish time.Time `json:"firstPublish"`
	Calls        int       `json:"calls"`
}

// publishAttempt counts the calls with one content until one of them makes a post: a lost call leaves no other trace.
type publishAttempt struct {
	calls int
	first time.Time
}

var feedParams = []string{"message", "link", "published", "unpublished_content_type", "fields"}

// createPost publishes a text, a link or uploaded photos in one call.
func (s *Sim) createPost(q *apiCall, p *page) {
	key := s.countAttempt(q, p)
	text := q.params.Get("message") + " " + q.params.Get("link")
	s.runCall(q, []string{callPublish, callFeed}, text, func() sim.Answer {
		if a, refused := mayPublish(q, p); refused {
			return a
		}
		fresh, refusal := readPost(q.params)
		if refusal != nil {
			return *refusal
		}
		return s.addPost(q, p, fresh, key)
	})
}

type attemptKey [sha256.Size]byte

// countAttempt counts a publishing call when it arrives, whatever its outcome.
func (s *Sim) countAttempt(q *apiCall, p *page) attemptKey {
	content := []string{p.ID, q.params.Get("message"), q.params.Get("link")}
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, _ := attachedPhotos(q.params)
	for _, m := range s.photoFiles(ids) {
		content = append(content, m.SHA256)
	}
	key := attemptKey(sha256.Sum256([]byte(strings.Join(content, "\x00"))))
	t := s.tries[key]
	if t == nil {
		if len(s.tries) >= triesKept {
			clear(s.tries) // texts that never made it; forgetting them only makes a later count smaller
		}
		t = &publishAttempt{first: s.kit.Arrived(q.r)}
		s.tries[key] = t
	}
	t.calls++
	return key
}

// mayPublish checks what publishing needs: the Page's own token, the task and the permissions.
func mayPublish(q *apiCall, p *page) (sim.Answer, bool) {
	switch {
	case q.token.Page != p.ID:
		return noPermission(200, "(#200) A Page access token of this Page is required to publish to it"), true
	case !p.hasTask(taskCreate):
		return noPermission(200, "(#200) The user does not have the permission to create content on this Page"), true
	case !q.token.hasScope(scopeManagePosts) || !q.token.hasScope(scopeReadEngagement):
		return noPermission(200, "(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts "+
			"permissions"), true
	}
	return sim.Answer{}, false
}

// readPost turns the parameters of a feed call into a post, or says what the network would refuse.
func readPost(params url.Values) (*post, *sim.Answer) {
	no := func(a sim.Answer) (*post, *sim.Answer) { return nil, &a }
	photos, problem := attachedPhotos(params)
	if problem != "" {
		return no(badParameter(problem))
	}
	rest := maps.Clone(params)
	maps.DeleteFunc(rest, func(name string, _ []string) bool { return strings.HasPrefix(name, "attached_media") })
	if name, odd := sim.UnknownParam(rest, feedParams...); odd {
		return no(badParameter("Param " + name + " is not simulated"))
	}
	p := &post{Message: params.Get("message"), Link: params.Get("link"), Photos: photos, Published: true}
	switch params.Get("published") {
	case "", "true", "1":
	case "false", "0":
		p.Published = false
	default:
		return no(badParameter("Param published must be a boolean"))
	}
	if kind := params.Get("unpublished_content_type"); kind != "" && (p.Published || kind != "DRAFT") {
		return no(badParameter("Param unpublished_content_type must be DRAFT, together with published=false"))
	}
	switch {
	case strings.TrimSpace(p.Message) == "" && p.Link == "" && len(photos) == 0:
		return no(badParameter("Missing message or attachment"))
	case p.Link != "" && len(photos) > 0:
		return no(badParameter("Param link does not go together with attached_media"))
	case !utf8.ValidString(p.Message) || strings.ContainsRune(p.Message, 0):
		return no(badParameter("Param message must be valid UTF-8"))
	case len(utf16.Encode([]rune(p.Message))) > maxMessage:
		return no(badParameter("Param message must be at most 63206 characters long"))
	}
	if params.Has("link") {
		if a := checkLink(p.Link); a != nil {
			return nil, a
		}
	}
	return p, nil
}

// checkLink refuses what is no address, an address of Facebook, and one that cannot be fetched.
func checkLink(link string) *sim.Answer {
	no := func(subcode int, message string) *sim.Answer {
		a := graphError(100, subcode, "(#100) "+message)
		return &a
	}
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") ||
		strings.ContainsAny(link, " \t\r\n") {
		return no(2061006, "The URL you supplied is invalid")
	}
	host := strings.ToLower(u.Hostname())
	for _, own := range []string{"facebook.com", "fb.com", "fb.me", "fb.watch", "fbcdn.net"} {
		if host == own || strings.HasSuffix(host, "."+own) {
			return no(1609008, "You can't share links to Facebook this way")
		}
	}
	if strings.HasSuffix(host, ".invalid") {
		return no(1609005, "The link could not be scraped")
	}
	return nil
}

func (s *Sim) addPost(q *apiCall, owner *page, p *post, key attemptKey) sim.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.kit.Now()
	t := s.tries[key]
	if a := s.checkPhotos(owner, p.Photos); a != nil {
		return *a
	}
	if last := s.lastVisible(owner); last != nil && last.Message == p.Message && last.Link == p.Link &&
		len(last.Photos)+len(p.Photos) == 0 &&
		s.kit.Option(OptDuplicates) == On {
		delete(s.tries, key)
		last.Calls++
		s.kit.Posts.Called(Name, last.ID)
		// A count that cannot be stored does not change the answer.
		_ = s.kit.Record(Name, recCalled, last.ID)
		return sim.GraphError{
			Code: 506, Subcode: 1455006, Type: oauthError, Message: "(#506) Duplicate status message",
			Title: "Duplicate Status Update", Detail: "This status update is identical to the last one you posted.",
		}.Answer()
	}
	p.Page, p.At, p.ArrivedAt = owner.ID, now, s.kit.Arrived(q.r)
	p.FirstCall, p.Calls = p.ArrivedAt, 1
	if t != nil {
		p.FirstCall, p.Calls = t.first, t.calls
	}
	if p.FirstPublish = p.FirstCall; !p.Published {
		p.FirstPublish, p.Calls = time.Time{}, 0
	}
	for p.ID == "" || s.posts[p.ID] != nil {
		p.ID = owner.ID + "_" + sim.Digits("122", 17)
	}
	body := map[string]any{"id": p.ID}
	if asked := q.params.Get("fields"); asked != "" {
		picked, refusal := pickFields(asked, s.postNode(p), postFields, "id", "PagePost")
		if refusal != nil {
			return *refusal
		}
		body = picked
	}
	if err := s.kit.Record(Name, recPost, p); err != nil {
		return sim.InternalError(err)
	}
	delete(s.tries, key)
	if err := s.storePost(p); err != nil {
		return sim.InternalError(err)
	}
	return sim.OK(body)
}

func (s *Sim) lastVisible(owner *page) *post {
	for _, p := range slices.Backward(owner.posts) {
		if p.Published {
			return p
		}
	}
	return nil
}

// storePost adds a recorded post, and shows it when it is published. The caller holds the lock, or the network
// is still starting.
func (s *Sim) storePost(p *post) error {
	owner, err := sim.Find(s.pages, p.Page)
	if err != nil {
		return err
	}
	s.posts[p.ID] = p
	s.markUsed(p.Photos, p.ID)
	owner.posts = append(owner.posts, p)
	if p.Published {
		s.showPost(p)
	}
	return nil
}

func (s *Sim) showPost(p *post) {
	owner := s.pages[p.Page]
	s.kit.Posts.Add(sim.Post{
		Network: Name, Account: p.Page, AccountName: owner.Name, ID: p.ID, URL: postURL(p), Text: p.Message, Link: p.Link,
		Media:     s.photoFiles(p.Photos),
		CreatedAt: p.At, ArrivedAt: p.ArrivedAt, FirstCallAt: p.FirstCall, FirstPublishCallAt: p.FirstPublish,
		PublishCalls: p.Calls,
	})
}

type publishing struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	ArrivedAt time.Time `json:"arrivedAt"`
}

// publishDraft publishes a post that was created unpublished; doing it again changes nothing.
func (s *Sim) publishDraft(q *apiCall, p *post) {
	s.runCall(q, []string{callPublish}, p.Message+" "+p.Link, func() sim.Answer {
		if a, refused := mayPublish(q, s.pages[p.Page]); refused {
			return a
		}
		if name, odd := sim.UnknownParam(q.params, "is_published"); odd {
			return badParameter("Param " + name + " is not simulated")
		}
		if q.params.Get("is_published") != "true" {
			return badParameter("Param is_published must be true")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.posts[p.ID] == nil {
			return notFoundError(q.r.Method, p.ID)
		}
		if p.Published {
			p.Calls++
			s.kit.Posts.Called(Name, p.ID)
			_ = s.kit.Record(Name, recCalled, p.ID)
			return sim.OK(map[string]any{"success": true})
		}
		change := publishing{ID: p.ID, At: s.kit.Now(), ArrivedAt: s.kit.Arrived(q.r)}
		if err := s.kit.Record(Name, recPublish, change); err != nil {
			return sim.InternalError(err)
		}
		s.revealPost(p, change)
		return sim.OK(map[string]any{"success": true})
	})
}

// revealPost makes an unpublished post visible. It moves to the end of the Page's posts, which stay in order of time.
func (s *Sim) revealPost(p *post, change publishing) {
	p.Published, p.At, p.ArrivedAt, p.FirstPublish = true, change.At, change.ArrivedAt, change.ArrivedAt
	p.Calls++
	owner := s.pages[p.Page]
	owner.posts = append(slices.DeleteFunc(owner.posts, func(o *post) bool { return o == p }), p)
	s.showPost(p)
}
