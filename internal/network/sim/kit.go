// Package sim contains what all simulated networks share: the mapping of real hosts, the journal, scripted faults,
// the record of visible posts and the pages for people. It depends on no network and on no product code.
package sim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Config configures where the simulated networks are served and which app they accept.
type Config struct {
	// Prefix precedes /{host}/{path}: "" if the simulators have their own listener, "/sandbox" inside the product.
	Prefix string
	// JournalPath is the file that stores the state across restarts; empty keeps the state in memory only.
	JournalPath string
	// JournalAlone makes New fail with ErrJournalInUse if another process uses the journal.
	JournalAlone bool
	// Now is the networks' clock; nil means the machine's. The control page can move it forward.
	Now func() time.Time
	// ClientID and ClientSecret are the app's credentials at every simulated network.
	ClientID, ClientSecret string
	// AppName is the name of the app on consent pages; Home is its address, if there is one to return to.
	AppName, Home string
	// Outbox is the address where the app shows the emails that it keeps; optional.
	Outbox string
	// Tokens and Icon are the addresses of a style sheet with the app's colors and font, and of its icon; optional.
	Tokens, Icon string
	// MediaPrefixes, if set, are the only addresses from which media is downloaded.
	MediaPrefixes []string
	// CallbackURL is where the app receives calls from the networks, followed by /{network}/{event}; empty for
	// nowhere.
	CallbackURL string
	// Options sets options in advance, by the names that the control page lists.
	Options map[string]string
}

// Network is one simulated network: a handler for some real host names. It sees the real host in RequestHost(r) and the
// real path in r.URL, wherever it is mounted.
type Network interface {
	http.Handler
	About() About
	Hosts() []string
}

// About describes a network on the control page.
type About struct {
	ID    string
	Title string
	Text  string
	Hosts []string
	// Calls are the names of calls that a fault can target.
	Calls []string
	// Containers is true if the network publishes in two steps, so faults about readiness make sense.
	Containers bool
	Options    []Option
	// Errors are the documented errors. A fault that returns one of them needs only its code.
	Errors []Documented
	// Style is a style sheet for the network's own pages.
	Style []byte
}

// Kit holds the state and helpers that all simulators of a sandbox share.
type Kit struct {
	cfg     Config
	now     func() time.Time
	journal *journal
	shelf   *mediaStore
	Faults  *Faults
	Posts   *Posts
	Calls   *Calls

	mu       sync.Mutex
	networks []registration
	options  *Table[string]
	offset   *Table[time.Duration]
	shared   map[string]any
	logins   []*OAuth
	// unreadable is why a table could not be restored.
	unreadable error

	ctx       context.Context // the life of the simulators, ended by Close
	cancel    context.CancelFunc
	work      sync.WaitGroup
	receiving map[string]bool // ids of uploads of which a part is arriving
	busy      int             // number of jobs that have not ended
	idle      chan struct{}   // closed when busy is 0 again
}

type registration struct {
	about About
	reset func() error
}

// New opens the journal and returns a kit that the simulators of one sandbox share.
func New(cfg Config) (*Kit, error) {
	j, err := openAndLockJournal(cfg.JournalPath, cfg.JournalAlone)
	if err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.AppName == "" {
		cfg.AppName = "Belfry"
	}
	ctx, cancel := context.WithCancel(context.Background())
	k := &Kit{
		cfg: cfg, now: cfg.Now, journal: j, shelf: newMediaStore(cfg.JournalPath), Faults: newFaults(),
		Calls: newCalls(callsKept), shared: map[string]any{}, receiving: map[string]bool{}, ctx: ctx, cancel: cancel,
	}
	k.options, k.offset = OpenTable[string](k, "", "option"), OpenTable[time.Duration](k, "", "clock")
	k.Posts = newPosts(k)
	if err := k.checkRestored(""); err != nil {
		cancel()
		_ = j.close()
		return nil, err
	}
	return k, nil
}

// checkRestored returns an error if the network's earlier state could not be restored.
func (k *Kit) checkRestored(network string) error {
	if k.unreadable != nil {
		return k.unreadable
	}
	for key := range k.journal.past {
		if key.network == network {
			return fmt.Errorf("the sandbox journal has an unknown table %q for %q (to start over, move the file away)",
				key.table, network)
		}
	}
	return nil
}

// Register adds a network to the control page, after the network has opened its tables. reset deletes the network's
// own data about posts.
func (k *Kit) Register(about About, reset func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.networks = append(k.networks, registration{about: about, reset: reset})
	k.Faults.registerNetwork(about)
	return k.checkRestored(about.ID)
}

// ShareOnce returns a value that several networks of a sandbox share. The first caller creates it.
func ShareOnce[V any](k *Kit, name string, create func() V) V {
	k.mu.Lock()
	common, ok := k.shared[name].(V)
	k.mu.Unlock()
	if !ok {
		common = create()
		k.mu.Lock()
		k.shared[name] = common
		k.mu.Unlock()
	}
	return common
}

// Networks returns the registered networks, in order.
func (k *Kit) Networks() []About {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := make([]About, 0, len(k.networks))
	for _, n := range k.networks {
		list = append(list, n.about)
	}
	return list
}

// titleOrID returns the title of the network with this id, or the id if there is none.
func (k *Kit) titleOrID(network string) string {
	for _, about := range k.Networks() {
		if about.ID == network {
			return about.Title
		}
	}
	return network
}

// ResetPosts deletes the posts of every network. Accounts, tokens and containers stay.
func (k *Kit) ResetPosts() error {
	k.mu.Lock()
	networks := append([]registration(nil), k.networks...)
	k.mu.Unlock()
	for _, n := range networks {
		if err := n.reset(); err != nil {
			return fmt.Errorf("reset the posts of %s: %w", n.about.ID, err)
		}
	}
	return errors.Join(k.Posts.clearAll(), k.shelf.removeAll())
}

// SandboxURL returns the path at which this sandbox serves an address of a real network, for its own pages.
func (k *Kit) SandboxURL(address string) string {
	if rest, ok := strings.CutPrefix(address, "https://"); ok {
		return k.cfg.Prefix + "/" + rest
	}
	return address
}

// Prefix is the path before /{host}.
func (k *Kit) Prefix() string { return k.cfg.Prefix }

// AppName returns the name of the app on consent pages.
func (k *Kit) AppName() string { return k.cfg.AppName }

// ClientID returns the app id that every simulated network accepts.
func (k *Kit) ClientID() string { return k.cfg.ClientID }

// ClientSecret returns the secret for ClientID.
func (k *Kit) ClientSecret() string { return k.cfg.ClientSecret }

// RunJob runs work in the background, independent of a request. Close cancels ctx and waits until work has returned.
// After Close, RunJob does nothing.
func (k *Kit) RunJob(work func(ctx context.Context)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil {
		return
	}
	if k.busy++; k.busy == 1 {
		k.idle = make(chan struct{})
	}
	k.work.Go(func() {
		defer k.countEndedJob()
		work(k.ctx)
	})
}

// RunAfter calls act after d by the machine's clock, unless the sandbox closes first. WaitIdle does not wait for it.
func (k *Kit) RunAfter(d time.Duration, act func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil {
		return
	}
	k.work.Go(func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			act()
		case <-k.ctx.Done():
		}
	})
}

func (k *Kit) countEndedJob() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.busy--; k.busy == 0 {
		close(k.idle)
	}
}

// WaitIdle waits until all background work has ended, so a test can see its results.
func (k *Kit) WaitIdle(ctx context.Context) error {
	k.mu.Lock()
	busy, idle := k.busy, k.idle
	k.mu.Unlock()
	if busy == 0 {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends delayed responses and background work, and closes the journal. It can be called before the server stops,
// so long scripted delays do not hold up the stop.
func (k *Kit) Close() error {
	k.mu.Lock()
	k.cancel()
	k.mu.Unlock()
	k.work.Wait()
	return errors.Join(k.shelf.removeAllIfTemporary(), k.journal.close())
}
