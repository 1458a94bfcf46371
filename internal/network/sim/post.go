package sim

import (
	"slices"
	"sync"
	"time"
)

// Post is something the public can see at a simulated network: the truth every test asks.
type Post struct {
	Network     string            `json:"network"`
	Account     string            `json:"account"`
	AccountName string            `json:"accountName"`
	ID          string            `json:"id"`
	URL         string            `json:"url"`
	Text        string            `json:"text"`
	Link        string            `json:"link"`
	Media       []Media           `json:"media"` // what the network fetched, in the post's order
	CreatedAt   time.Time         `json:"createdAt"`
	Extra       map[string]string `json:"extra"`
	// ArrivedAt is when the call that made the post visible reached the network.
	ArrivedAt time.Time `json:"arrivedAt"`
	// FirstCallAt is when the first call for this post reached the network, creation of a container included.
	FirstCallAt time.Time `json:"firstCallAt"`
	// FirstPublishCallAt is when the first call that could have made it visible arrived.
	FirstPublishCallAt time.Time `json:"firstPublishCallAt"`
	// PublishCalls counts the calls that tried to make exactly this post visible, late ones included.
	PublishCalls int `json:"publishCalls"`
}

// Posts holds what is visible at all networks.
type Posts struct {
	mu   sync.Mutex
	list []*Post
	byID map[[2]string]*Post
}

func newPosts() *Posts { return &Posts{byID: map[[2]string]*Post{}} }

// Add shows a post.
func (p *Posts) Add(post Post) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if post.Extra == nil {
		post.Extra = map[string]string{}
	}
	if post.Media == nil {
		post.Media = []Media{}
	}
	kept := &post
	p.list = append(p.list, kept)
	p.byID[[2]string{post.Network, post.ID}] = kept
}

// Called counts one more publishing call for a post that is visible already.
func (p *Posts) Called(network, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if post, ok := p.byID[[2]string{network, id}]; ok {
		post.PublishCalls++
	}
}

// Remove removes a deleted post.
func (p *Posts) Remove(network, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := [2]string{network, id}
	delete(p.byID, key)
	p.list = slices.DeleteFunc(p.list, func(q *Post) bool { return q.Network == network && q.ID == id })
}

// Clear forgets all posts of a network.
func (p *Posts) Clear(network string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.list {
		if q.Network == network {
			delete(p.byID, [2]string{network, q.ID})
		}
	}
	p.list = slices.DeleteFunc(p.list, func(q *Post) bool { return q.Network == network })
}

// All returns copies, oldest first.
func (p *Posts) All() []Post {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Post, 0, len(p.list))
	for _, q := range p.list {
		all = append(all, *q)
	}
	return all
}
