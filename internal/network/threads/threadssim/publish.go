package threadssim

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

// post is what the public sees; its id is not the container's.
type post struct {
	ID        string    `json:"id"`
	Container string    `json:"container"`
	Account   string    `json:"account"`
	Code      string    `json:"code"`
	At        time.Time `json:"at"`
	ArrivedAt time.Time `json:"arrivedAt"`
	// How it came about, stored so that a restart does not change what tests read.
	Calls        int       `json:"calls"`
	FirstPublish time.Time `json:"firstPublish"`

	container *container
}

// servePublish makes a container visible: the one irreversible call.
func (s *Sim) servePublish(q *apiCall) {
	id := q.params.Get("creation_id")
	c, text := s.countAttempt(q, id)
	s.runCall(q, callPublish, text, func(bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "creation_id"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		if !q.token.hasScope(scopePublish) {
			return noPermission(scopePublish)
		}
		if id == "" {
			return badParameter("The parameter creation_id is required")
		}
		if c == nil {
			return notFound()
		}
		return s.publishContainer(q, c)
	})
}

// countAttempt counts a publishing call when it arrives, whatever its outcome.
func (s *Sim) countAttempt(q *apiCall, id string) (*container, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.containers[id]
	if !ok || c.Account != q.owner.ID {
		return nil, ""
	}
	if c.publishCalls++; c.publishCalls == 1 {
		c.firstPublish = s.kit.Arrived(q.r)
	}
	if c.post != "" {
		s.kit.Posts.Called(Name, c.post)
		// A count that cannot be stored does not change the answer.
		_ = s.kit.Record(Name, recCalled, c.post)
	}
	return c, c.Text
}

func (s *Sim) publishContainer(q *apiCall, c *container) sim.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.kit.Now()
	switch c.statusAt(now) {
	case published:
		if s.kit.Option(OptRepeatPublish) == RepeatSameID {
			return sim.OK(map[string]any{"id": c.post})
		}
		return notFound()
	case expired:
		return notFound()
	case inProgress:
		return notReady()
	case failed:
		return badParameter("The media container failed: " + c.problem)
	}
	if c.Item {
		return badParameter("A carousel item cannot be published by itself")
	}
	if used := s.quotaUsage(q.owner, now); used >= s.kit.Number(OptQuota) {
		return quotaUsed()
	}
	p := &post{
		ID: sim.Digits("180", 17), Container: c.ID, Account: c.Account, Code: newShortcode(), At: now,
		ArrivedAt: s.kit.Arrived(q.r), Calls: c.publishCalls, FirstPublish: c.firstPublish,
	}
	if err := s.kit.Record(Name, recPost, p); err != nil {
		return sim.InternalError(err)
	}
	if err := s.showPost(p); err != nil {
		return sim.InternalError(err)
	}
	return sim.OK(map[string]any{"id": p.ID})
}

func newShortcode() string {
	raw := make([]byte, 8)
	_, _ = rand.Read(raw)
	return "D" + strings.ReplaceAll(base64.RawURLEncoding.EncodeToString(raw)[:10], "-", "_")
}

// showPost makes a recorded post visible. The caller holds the lock, or the network is still starting.
func (s *Sim) showPost(p *post) error {
	c, err := sim.Find(s.containers, p.Container)
	if err != nil {
		return err
	}
	a, err := sim.Find(s.accounts, p.Account)
	if err != nil {
		return err
	}
	p.container, c.post = c, p.ID
	c.publishCalls, c.firstPublish = p.Calls, p.FirstPublish
	s.posts[p.ID], s.byCode[p.Code] = p, p
	a.posts = append(a.posts, p)
	a.published = append(a.published, p.At)
	s.kit.Posts.Add(sim.Post{
		Network: Name, Account: a.ID, AccountName: a.Username, ID: p.ID, URL: postURL(a, p), Text: c.Text, Link: c.Link,
		Media:     s.containerFiles(c),
		CreatedAt: p.At, ArrivedAt: p.ArrivedAt, FirstCallAt: c.ArrivedAt, FirstPublishCallAt: p.FirstPublish,
		PublishCalls: p.Calls,
		Extra: map[string]string{
			"container": c.ID, "shortcode": p.Code, "media_type": c.Type, "topic_tag": c.Topic, "alt_text": c.Alt,
		},
	})
	return nil
}

// hidePost removes a deleted post. The caller holds the lock, or the network is still starting.
func (s *Sim) hidePost(p *post) {
	delete(s.posts, p.ID)
	delete(s.byCode, p.Code)
	a := s.accounts[p.Account]
	for i, q := range a.posts {
		if q == p {
			a.posts = append(a.posts[:i:i], a.posts[i+1:]...)
			break
		}
	}
	s.kit.Posts.Remove(Name, p.ID)
}

// resetPosts forgets visible posts and what they used of quotas; containers keep their state.
func (s *Sim) resetPosts() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.kit.Record(Name, recReset, true); err != nil {
		return err
	}
	s.forgetPosts()
	return nil
}

func (s *Sim) forgetPosts() {
	clear(s.posts)
	clear(s.byCode)
	for _, a := range s.accounts {
		a.posts, a.published, a.deleted = nil, nil, nil
	}
	s.kit.Posts.Clear(Name)
}
