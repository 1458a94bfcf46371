package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const (
	// shownPosts is the maximum number of posts on the page, because benchmarks create many. The JSON has all posts.
	shownPosts = 100
	// newestPosts is the number of posts that are visible at first. Older posts are folded, because they would otherwise
	// push the other sections far down.
	newestPosts = 10
)

type controlPage struct {
	Networks   []sim.About
	Posts      []sim.Post
	OlderPosts []sim.Post // folded
	Unlisted   int        // the number of posts that the page does not list
	Total      int
	Faults     []sim.Fault
	Spent      []sim.Fault
	Kinds      []sim.Kind
	Calls      []string
	Options    []sim.Option
	People     []sim.Person
	Recent     []sim.CallRecord
	Now        time.Time
	Ahead      time.Duration
	Error      string
	Removed    string // the title of the network on which a person has just removed the app; "" for none
	Done       doneNotice
}

// doneNotice says what a form of the page has just done. Section is the id of the heading below which it is shown.
type doneNotice struct{ Section, Text string }

// nextPostFails is done by the form at the top of the page, which adds a fault.
const nextPostFails = "next-post-fails"

// doneNotices contains the notices, by the value of the parameter done. %s stands for the network.
var doneNotices = map[string]doneNotice{
	nextPostFails:   {"practice", "The next post on %s will fail. To prevent that, remove the fault under Faults."},
	"posts-deleted": {"posts", "All posts were deleted."},
	"fault-added":   {"faults", "The fault was added."},
	"fault-removed": {"faults", "The fault was removed."},
	"options-saved": {"switches", "The options were saved."},
	"clock-moved":   {"clock", "The clock was moved."},
}

func (c *control) showControlPage(w http.ResponseWriter, r *http.Request) {
	c.renderControlPage(w, r, http.StatusOK, "")
}

func (c *control) renderControlPage(w http.ResponseWriter, r *http.Request, status int, problemOrEmpty string) {
	posts := c.kit.Posts.All()
	total := len(posts)
	slices.Reverse(posts)
	newest, listed := min(total, newestPosts), min(total, shownPosts)
	p := controlPage{
		Networks: c.kit.Networks(), Posts: posts[:newest], OlderPosts: posts[newest:listed], Unlisted: total - listed,
		Total:  total,
		Faults: c.kit.Faults.ListActive(), Spent: c.kit.Faults.ListSpent(), Kinds: sim.FaultKinds(),
		Options: c.kit.ListOptions(), People: c.kit.ListPeople(),
		Recent: c.kit.Calls.ListLast(20), Now: c.kit.Now(), Ahead: c.kit.ClockOffset(), Error: problemOrEmpty,
		Done: doneNotices[r.URL.Query().Get("done")],
	}
	failing := "any network"
	slices.Reverse(p.Recent)
	p.Calls = []string{sim.AnyCall}
	for _, n := range p.Networks {
		if n.ID == r.URL.Query().Get("removed") {
			p.Removed = n.Title
		}
		if n.ID == r.URL.Query().Get("network") {
			failing = n.Title
		}
		for _, call := range n.Calls {
			if !slices.Contains(p.Calls, call) {
				p.Calls = append(p.Calls, call)
			}
		}
	}
	p.Done.Text = strings.Replace(p.Done.Text, "%s", failing, 1)
	c.kit.ServePage(w, r, status, "control", p)
}
