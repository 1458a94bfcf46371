package threadssim

import (
	"slices"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const containerLife = 24 * time.Hour

// Media types of a container.
const (
	typeText     = "TEXT"
	typeImage    = "IMAGE"
	typeVideo    = "VIDEO"
	typeCarousel = "CAROUSEL"
)

// States of a container.
const (
	inProgress = "IN_PROGRESS"
	finished   = "FINISHED"
	published  = "PUBLISHED"
	failed     = "ERROR"
	expired    = "EXPIRED"
)

// container is a post in the making. Its ids share no space with those of posts.
type container struct {
	ID        string    `json:"id"`
	Account   string    `json:"account"`
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	Link      string    `json:"link,omitempty"`
	Topic     string    `json:"topic,omitempty"`
	Alt       string    `json:"alt,omitempty"`
	MediaURL  string    `json:"mediaUrl,omitempty"`
	Item      bool      `json:"item,omitempty"`
	Children  []string  `json:"children,omitempty"`
	Stuck     bool      `json:"stuck,omitempty"`
	ArrivedAt time.Time `json:"arrivedAt"`
	CreatedAt time.Time `json:"createdAt"`

	pending bool // media is still being downloaded
	media   sim.Media
	ready   time.Time // when media is processed
	problem string    // error_message of state ERROR
	post    string    // id of the post once published

	publishCalls int
	firstPublish time.Time
}

// statusAt is what GET tells. The caller holds the lock.
func (c *container) statusAt(now time.Time) string {
	switch {
	case c.post != "":
		return published
	case now.Sub(c.CreatedAt) >= containerLife:
		return expired
	case c.problem != "":
		return failed
	case c.pending || c.Stuck || now.Before(c.ready):
		return inProgress
	}
	return finished
}

func (c *container) applyMedia(end mediaEnd) {
	c.pending, c.problem, c.media, c.ready = false, end.Problem, end.Media, end.Ready
}

// createContainer makes a container, the reversible half of publishing.
func (s *Sim) createContainer(q *apiCall) {
	s.runCall(q, callCreate, q.params.Get("text"), func(neverReady bool) sim.Answer {
		if !q.token.hasScope(scopePublish) {
			return noPermission(scopePublish)
		}
		c, problem := readContainer(q.params)
		if problem != "" {
			return badParameter(problem)
		}
		now := s.kit.Now()
		c.ID, c.Account, c.Stuck = sim.Digits("179", 17), q.owner.ID, neverReady
		c.CreatedAt, c.ArrivedAt = now, s.kit.Arrived(q.r)
		return s.addContainer(c, now)
	})
}

func (s *Sim) addContainer(c *container, now time.Time) sim.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if problem := s.checkChildren(c, now); problem != nil {
		return *problem
	}
	for s.containers[c.ID] != nil {
		c.ID = sim.Digits("179", 17)
	}
	if err := s.kit.Record(Name, recContainer, c); err != nil {
		return sim.InternalError(err)
	}
	s.containers[c.ID] = c
	if c.MediaURL != "" {
		c.pending = true
		s.fetchMedia(c)
	}
	return sim.OK(map[string]any{"id": c.ID})
}

// checkChildren holds a carousel to items of the same profile that are ready and used nowhere else.
func (s *Sim) checkChildren(c *container, now time.Time) *sim.Answer {
	no := func(a sim.Answer) *sim.Answer { return &a }
	for i, id := range c.Children {
		child, ok := s.containers[id]
		switch {
		case !ok || child.Account != c.Account:
			return no(notFoundError("GET", id))
		case !child.Item:
			return no(badParameter("Param children: " + id + " was not created with is_carousel_item=true"))
		case slices.Contains(c.Children[:i], id):
			return no(badParameter("Param children: " + id + " is listed twice"))
		case child.statusAt(now) != finished:
			return no(notReady())
		}
	}
	return nil
}

// readContainerStatus tells how far a container is, and never which post it became.
func (s *Sim) readContainerStatus(q *apiCall, c *container) {
	s.runCall(q, callStatus, c.Text, func(neverReady bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "fields"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		s.mu.Lock()
		state, problem := c.statusAt(s.kit.Now()), c.problem
		s.mu.Unlock()
		if neverReady && state == finished {
			state = inProgress
		}
		node := map[string]any{"id": c.ID, "status": state}
		if state == failed {
			node["error_message"] = problem
		}
		return pickAnswer(q, node, sim.Known("id", "status", "error_message"), "id")
	})
}

// pickAnswer is the answer with the requested fields of a node.
func pickAnswer(q *apiCall, node map[string]any, known map[string]bool, byDefault string) sim.Answer {
	picked, refusal := pickFields(q.params.Get("fields"), node, known, byDefault)
	if refusal != nil {
		return *refusal
	}
	return sim.OK(picked)
}

func pickFields(
	asked string, node map[string]any, known map[string]bool, byDefault string,
) (map[string]any, *sim.Answer) {
	if strings.TrimSpace(asked) == "" {
		asked = byDefault
	}
	fields, err := sim.ParseFields(asked)
	if err != nil {
		a := badParameter("Syntax error in fields: " + err.Error())
		return nil, &a
	}
	picked, stranger := sim.Pick(node, known, fields)
	if stranger != "" {
		a := noField(stranger)
		return nil, &a
	}
	return picked, nil
}
