package publish

import (
	"context"
	"sync"

	"belfry/internal/core"
	"belfry/internal/store"
)

// claimsAtOnce bounds how many posts one statement claims: those claimed first are on their way to the network
// while the next are claimed.
const claimsAtOnce = 32

// combiner brings the claims of one moment together: while one statement is on its way, those that come meanwhile
// wait and go as the next. A lone claim waits for nobody. The zero value is ready for use.
type combiner struct {
	mu    sync.Mutex
	lines map[claimant]*line
}

// claimant is on whose behalf posts are claimed.
type claimant struct {
	workspace core.WorkspaceID
	owner     string
}

// line is who waits for a claimant's next statement. It exists while a statement is on its way.
type line struct{ waiting []*claimed }

// claimed is one post's share of a statement.
type claimed struct {
	post  core.PostID
	lead  chan struct{} // closed: this one carries out the next statement
	done  chan struct{} // closed: what follows is set
	value store.Claimed
	err   error
}

// claimFunc claims posts; those that it cannot claim are missing from its answer.
type claimFunc func(context.Context, []core.PostID) (map[core.PostID]store.Claimed, error)

// join claims a post together with others. A post that cannot be claimed is not_found.
func (c *combiner) join(ctx context.Context, by claimant, post core.PostID, claim claimFunc) (store.Claimed, error) {
	me := &claimed{post: post, lead: make(chan struct{}), done: make(chan struct{})}
	if c.waitInLine(by, me) {
		select {
		case <-me.done:
			return me.value, me.err
		case <-me.lead:
		}
	}
	c.carryOut(ctx, by, c.takeWaiting(by, me), claim)
	return me.value, me.err
}

// carryOut runs one statement and tells everyone what came of it, whatever becomes of the statement.
func (c *combiner) carryOut(ctx context.Context, by claimant, together []*claimed, claim claimFunc) {
	posts := make([]core.PostID, len(together))
	for i, one := range together {
		posts[i], one.err = one.post, store.ErrNotFound
	}
	defer func() {
		c.passLead(by)
		for _, one := range together {
			close(one.done)
		}
	}()
	all, err := claim(ctx, posts)
	for _, one := range together {
		if value, ok := all[one.post]; ok || err != nil {
			one.value, one.err = value, err
			delete(all, one.post) // of two that want one post, only one has it
		}
	}
}

// waitInLine joins the line behind a statement that is on its way. False: there is none, and this one leads.
func (c *combiner) waitInLine(by claimant, me *claimed) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.lines[by]; l != nil {
		l.waiting = append(l.waiting, me)
		return true
	}
	if c.lines == nil {
		c.lines = map[claimant]*line{}
	}
	c.lines[by] = &line{}
	return false
}

// takeWaiting is who goes with the statement that me carries out.
func (c *combiner) takeWaiting(by claimant, me *claimed) []*claimed {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lines[by]
	n := min(len(l.waiting), claimsAtOnce-1)
	together := append([]*claimed{me}, l.waiting[:n]...)
	l.waiting = l.waiting[n:]
	return together
}

// passLead gives the lead to the first who waits.
func (c *combiner) passLead(by claimant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lines[by]
	if len(l.waiting) == 0 {
		delete(c.lines, by)
		return
	}
	close(l.waiting[0].lead)
	l.waiting = l.waiting[1:]
}
