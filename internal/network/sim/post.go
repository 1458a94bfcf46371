package sim

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// Post is a post that the public can see on a simulated network. Tests check the service's records against it.
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
	// FirstCallAt is when the first call for this post reached the network, including the creation of a container.
	FirstCallAt time.Time `json:"firstCallAt"`
	// FirstPublishCallAt is when the first call that could have published it arrived.
	FirstPublishCallAt time.Time `json:"firstPublishCallAt"`
	// PublishCalls counts the calls that tried to publish this post, including late ones.
	PublishCalls int `json:"publishCalls"`
	// Draft and DeletedAt hide a post from the public.
	Draft     bool      `json:"draft,omitempty"`
	DeletedAt time.Time `json:"deletedAt,omitzero"`
}

// IsVisible reports whether the public can see the post.
func (p Post) IsVisible() bool { return !p.Draft && p.DeletedAt.IsZero() }

type postKey struct{ network, id string }

func (k postKey) String() string { return k.network + "/" + k.id }

// Posts holds the posts of all networks. Posts are replaced and never modified, so copies can share their maps.
type Posts struct {
	mu    sync.Mutex
	table *Table[*Post]
	owned map[postKey][]*Post // by account, oldest first
}

func newPosts(k *Kit) *Posts {
	p := &Posts{table: OpenTable[*Post](k, "", "post"), owned: map[postKey][]*Post{}}
	for post := range p.table.All() {
		owner := postKey{post.Network, post.Account}
		p.owned[owner] = append(p.owned[owner], post)
	}
	for _, owned := range p.owned {
		sortOldestFirst(owned)
	}
	return p
}

// sortOldestFirst keeps the order of posts with the same time.
func sortOldestFirst(posts []*Post) {
	slices.SortStableFunc(posts, func(a, b *Post) int { return a.CreatedAt.Compare(b.CreatedAt) })
}

// Put adds or replaces a post. A draft that becomes visible becomes the newest post of its account.
func (p *Posts) Put(post Post) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.putLocked(post)
}

// putLocked is Put for a caller that holds p.mu.
func (p *Posts) putLocked(post Post) error {
	if post.Extra == nil {
		post.Extra = map[string]string{}
	}
	if post.Media == nil {
		post.Media = []Media{}
	}
	key, owner := postKey{post.Network, post.ID}.String(), postKey{post.Network, post.Account}
	old := p.table.Get(key)
	if err := p.table.Put(key, &post); err != nil {
		return err
	}
	if i := slices.Index(p.owned[owner], old); old != nil && i >= 0 {
		if !old.Draft || post.Draft {
			p.owned[owner][i] = &post
			return nil
		}
		p.owned[owner] = slices.Delete(p.owned[owner], i, i+1)
	}
	p.owned[owner] = append(p.owned[owner], &post)
	return nil
}

// Get returns a post that is not deleted.
func (p *Posts) Get(network, id string) (Post, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	post := p.table.Get(postKey{network, id}.String())
	if post == nil || !post.DeletedAt.IsZero() {
		return Post{}, false
	}
	return *post, true
}

// Backdate makes a post look as if it had been published at an earlier time.
func (p *Posts) Backdate(network, id string, at time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.table.Get(postKey{network, id}.String())
	if found == nil || !found.DeletedAt.IsZero() {
		return fmt.Errorf("there is no post %q on the network %q", id, network)
	}
	if at.IsZero() || at.After(found.CreatedAt) {
		return fmt.Errorf("at must be a time no later than %s, when the post was published", found.CreatedAt)
	}
	post := *found
	post.CreatedAt = at.UTC()
	err := p.putLocked(post)
	sortOldestFirst(p.owned[postKey{network, post.Account}])
	return err
}

// CountPublishCall counts another publishing call for a post. An error while storing the count is ignored.
func (p *Posts) CountPublishCall(network, id string) {
	if post, ok := p.Get(network, id); ok {
		post.PublishCalls++
		_ = p.Put(post)
	}
}

// Newest yields an account's posts, newest first, including drafts and deleted posts. It holds no lock during the
// iteration.
func (p *Posts) Newest(network, account string) iter.Seq[Post] {
	owner := postKey{network, account}
	return func(yield func(Post) bool) {
		for i := p.countOwned(owner) - 1; i >= 0; i-- {
			if post, ok := p.ownedAt(owner, i); ok && !yield(post) {
				return
			}
		}
	}
}

func (p *Posts) countOwned(owner postKey) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.owned[owner])
}

func (p *Posts) ownedAt(owner postKey, i int) (Post, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i >= len(p.owned[owner]) {
		return Post{}, false
	}
	return *p.owned[owner][i], true
}

// CountSince counts an account's posts after a time, including deleted posts.
func (p *Posts) CountSince(network, account string, since time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	owned := p.owned[postKey{network, account}]
	first, _ := slices.BinarySearchFunc(owned, since, func(q *Post, at time.Time) int {
		if q.CreatedAt.After(at) {
			return 1
		}
		return -1
	})
	return len(owned) - first
}

// All returns the visible posts of all networks, oldest first.
func (p *Posts) All() []Post {
	p.mu.Lock()
	defer p.mu.Unlock()
	var visible []*Post
	for post := range p.table.All() {
		if post.IsVisible() {
			visible = append(visible, post)
		}
	}
	sortOldestFirst(visible)
	copies := make([]Post, len(visible))
	for i, post := range visible {
		copies[i] = *post
	}
	return copies
}

func (p *Posts) clearAll() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.owned)
	return p.table.Clear()
}
