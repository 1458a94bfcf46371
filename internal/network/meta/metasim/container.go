package metasim

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const containerLife = 24 * time.Hour

// States of a container.
const (
	InProgress = "IN_PROGRESS"
	Finished   = "FINISHED"
	Published  = "PUBLISHED"
	Failed     = "ERROR"
	Outdated   = "EXPIRED"
)

// Container is a container, from which a post is published. No post has the same id.
type Container struct {
	ID       string   `json:"id"`
	Account  string   `json:"account"`
	Type     string   `json:"type"` // a word of the network's
	Text     string   `json:"text,omitempty"`
	Link     string   `json:"link,omitempty"`
	Alt      string   `json:"alt,omitempty"`
	Item     bool     `json:"item,omitempty"` // of a carousel
	Children []string `json:"children,omitempty"`
	// Extra is copied to the post's Extra.
	Extra map[string]string `json:"extra,omitempty"`
	// Stuck is true if a fault keeps the container unfinished.
	Stuck     bool      `json:"stuck,omitempty"`
	ArrivedAt time.Time `json:"arrivedAt"`
	CreatedAt time.Time `json:"createdAt"`

	MediaURL string    `json:"mediaUrl,omitempty"`
	Pending  bool      `json:"pending,omitempty"` // the file has not arrived yet
	Media    sim.Media `json:"media,omitzero"`
	Ready    time.Time `json:"ready,omitzero"` // when the file is processed
	Problem  string    `json:"problem,omitempty"`
	Post     string    `json:"post,omitempty"` // the id of the post once published

	PublishCalls int       `json:"publishCalls,omitempty"`
	FirstPublish time.Time `json:"firstPublish,omitzero"`
}

// State returns the state of the container.
func (c *Container) State(now time.Time) string {
	switch {
	case c.Post != "":
		return Published
	case now.Sub(c.CreatedAt) >= containerLife:
		return Outdated
	case c.Problem != "":
		return Failed
	case c.Pending || c.Stuck || now.Before(c.Ready):
		return InProgress
	}
	return Finished
}

// Containers are all containers of a network. The API's lock protects them.
type Containers struct {
	graph *Graph
	table *sim.Table[*Container]
	// check returns the network's message about a file that it does not accept for a container. err says why there is
	// no file.
	check func(c *Container, m sim.Media, err error) string
	// processing is the option that says how many seconds it takes to process a file.
	processing string
	made       map[string][]time.Time // creation times by account, except those that CountSince has dropped
}

// OpenContainers restores the containers of earlier runs and restarts downloads that were interrupted.
func OpenContainers(
	g *Graph, processing string, check func(c *Container, m sim.Media, err error) string,
) *Containers {
	cs := &Containers{
		graph: g, table: sim.OpenTable[*Container](g.API.Kit, g.API.Network, "container"), check: check,
		processing: processing, made: map[string][]time.Time{},
	}
	for _, p := range g.API.Kit.Posts.All() {
		// A sandbox that was killed may have stored the post but not its container.
		if c := cs.table.Get(p.Extra["container"]); c != nil && p.Network == g.API.Network {
			c.Post = p.ID
		}
	}
	for c := range cs.table.All() {
		cs.made[c.Account] = append(cs.made[c.Account], c.CreatedAt)
		if c.Pending && c.MediaURL != "" {
			cs.startFetchingFile(c)
		}
	}
	return cs
}

// Find returns a container of an account, or nil if there is none. No document says how long a published container can
// be queried: after containerLife, it no longer can.
func (cs *Containers) Find(account, id string) *Container {
	c := cs.table.Get(id)
	if c == nil || c.Account != account || c.Post != "" && cs.graph.API.Kit.Now().Sub(c.CreatedAt) >= containerLife {
		return nil
	}
	return c
}

// CountSince counts the containers that an account has created after a time. since must not be earlier than in the
// previous call.
func (cs *Containers) CountSince(account string, since time.Time) int {
	made := cs.made[account]
	for len(made) > 0 && !made[0].After(since) {
		made = made[1:]
	}
	cs.made[account] = made
	return len(made)
}

// Add stores a new container of the calling account, and starts to download its file. The children of a carousel must
// be finished items of the same account.
func (cs *Containers) Add(q *sim.Request, c *Container) (any, error) {
	now := cs.graph.API.Kit.Now()
	c.ID, c.Account, c.Stuck = cs.table.NewID("179", 17), q.Account, q.Unready
	c.CreatedAt, c.ArrivedAt = now, cs.graph.API.Kit.ArrivalTime(q.R)
	for i, id := range c.Children {
		child := cs.Find(c.Account, id)
		switch {
		case child == nil:
			return nil, NotFound("GET", id)
		case !child.Item:
			return nil, Bad("Param children: %s was not created with is_carousel_item=true", id)
		case slices.Contains(c.Children[:i], id):
			return nil, Bad("Param children: %s is listed twice", id)
		case child.State(now) != Finished:
			return nil, NotReady()
		}
	}
	c.Pending = c.Pending || c.MediaURL != "" && c.Media.SHA256 == ""
	if err := cs.table.Put(c.ID, c); err != nil {
		return nil, err
	}
	cs.made[c.Account] = append(cs.made[c.Account], now)
	if c.Pending && c.MediaURL != "" {
		cs.startFetchingFile(c)
	}
	return map[string]any{"id": c.ID}, nil
}

// startFetchingFile downloads a container's file in the background, as the networks do after they have returned its
// id.
func (cs *Containers) startFetchingFile(c *Container) {
	kit, address := cs.graph.API.Kit, c.MediaURL
	kit.RunJob(func(ctx context.Context) {
		media, err := kit.FetchFile(ctx, cs.graph.API.Network, c.Account, address)
		if ctx.Err() != nil {
			return // the sandbox is stopping; the next run downloads the file
		}
		cs.graph.API.Lock.Lock()
		defer cs.graph.API.Lock.Unlock()
		// If the result cannot be stored, the next run downloads the file again.
		_ = cs.StoreFile(c, media, err)
	})
}

// StoreFile stores a container's file, or the reason why there is none.
func (cs *Containers) StoreFile(c *Container, media sim.Media, err error) error {
	c.Pending, c.Media, c.Problem = false, media, cs.check(c, media, err)
	c.Ready = cs.graph.API.Kit.Now().Add(cs.graph.API.Kit.SecondsOption(cs.processing))
	return cs.table.Put(c.ID, c)
}

// FetchFile stores the address of a container's file and starts to download it.
func (cs *Containers) FetchFile(c *Container, address string) error {
	c.MediaURL = address
	if err := cs.table.Put(c.ID, c); err != nil {
		return err
	}
	cs.startFetchingFile(c)
	return nil
}

// CountAttempt counts a publishing call when it arrives, whatever its outcome. It is a route's Arrive.
func (cs *Containers) CountAttempt(q *sim.Request) {
	c := cs.Find(q.Account, q.Params.Get("creation_id"))
	if c == nil {
		return
	}
	if c.PublishCalls++; c.PublishCalls == 1 {
		c.FirstPublish = cs.graph.API.Kit.ArrivalTime(q.R)
	}
	if c.Post != "" {
		cs.graph.API.Kit.Posts.CountPublishCall(cs.graph.API.Network, c.Post)
	}
}

// CallText returns the text of a publishing call with which a fault's match is compared. It is a route's Text.
func (cs *Containers) CallText(q *sim.Request) string {
	if c := cs.Find(q.Account, q.Params.Get("creation_id")); c != nil {
		return c.Text
	}
	return ""
}

// Publish publishes a finished container as a post, which is irreversible. The caller sets the fields of the post that
// the container does not have.
func (cs *Containers) Publish(q *sim.Request, c *Container, p sim.Post) (any, error) {
	p.Network, p.Account, p.ID = cs.graph.API.Network, c.Account, sim.RandomDigits("180", 17)
	p.CreatedAt = cs.graph.API.Kit.Now()
	p.Text, p.Link, p.Media = c.Text, c.Link, cs.ListFiles(c)
	p.ArrivedAt, p.FirstCallAt = cs.graph.API.Kit.ArrivalTime(q.R), c.ArrivedAt
	p.FirstPublishCallAt, p.PublishCalls = c.FirstPublish, c.PublishCalls
	p.Extra = map[string]string{"container": c.ID, "media_type": c.Type, "alt_text": c.Alt}
	maps.Copy(p.Extra, c.Extra)
	p.Extra["shortcode"] = path.Base(strings.TrimSuffix(p.URL, "/"))
	if len(c.Children) > 0 {
		p.Extra["children"] = strings.Join(c.Children, ",")
	}
	if err := cs.graph.API.Kit.Posts.Put(p); err != nil {
		return nil, err
	}
	c.Post = p.ID
	return map[string]any{"id": p.ID}, cs.table.Put(c.ID, c)
}

// ListFiles returns the files of a container; those of a carousel in order.
func (cs *Containers) ListFiles(c *Container) []sim.Media {
	var all []sim.Media
	for _, id := range c.Children {
		if child := cs.table.Get(id); child != nil {
			all = append(all, cs.ListFiles(child)...)
		}
	}
	if c.Media.SHA256 != "" {
		m := c.Media
		m.Alt = c.Alt
		all = append(all, m)
	}
	return all
}

// NewShortcode returns a new id for a post's address.
func NewShortcode() string {
	raw := make([]byte, 8)
	_, _ = rand.Read(raw)
	return "D" + strings.ReplaceAll(base64.RawURLEncoding.EncodeToString(raw)[:10], "-", "_")
}

// CheckAddress returns an error unless a network can fetch a file from an address.
func CheckAddress(param, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil ||
		(u.Scheme != "https" && (u.Scheme != "http" || !sim.IsLoopback(u.Hostname()))) {
		return Bad("The media could not be fetched from this URI: %s must be a public https address", param)
	}
	return nil
}

// ChildNodes returns the children of a carousel.
func ChildNodes(p sim.Post) map[string]any {
	items := []any{}
	for id := range strings.SplitSeq(p.Extra["children"], ",") {
		items = append(items, map[string]any{"id": id})
	}
	return map[string]any{"data": items}
}
