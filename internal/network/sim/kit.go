// Package sim is what every simulated network shares: the mapping of real hosts, the journal, scripted
// faults, the record of visible posts and the pages people see. It depends on no network and on nothing of the product.
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

// Config says where the simulated networks live and whom they take for the app.
type Config struct {
	// Prefix precedes /{host}/{path}: "" when the simulators own the listener, "/sandbox" inside the product.
	Prefix string
	// JournalPath is the file that makes a restart forget nothing; empty keeps everything in memory.
	JournalPath string
	// Now is the networks' clock; nil means the machine's. The control surface may move it forward.
	Now func() time.Time
	// ClientID and ClientSecret are the app's credentials at every simulated network.
	ClientID, ClientSecret string
	// AppName is what consent pages call the app; Home is its address, where there is one to go back to.
	AppName, Home string
	// Outbox is where the app shows the emails that it keeps; optional.
	Outbox string
	// MediaPrefixes, when given, are the only addresses a simulator downloads media from.
	MediaPrefixes []string
	// CallbackURL is where the app takes calls of the networks, with /{network}/{event} after it; empty for nowhere.
	CallbackURL string
	// Options presets switches, by the names the control surface lists.
	Options map[string]string
}

// Network is one simulated network: an ordinary handler for some real host names. It sees the real
// host in Host(r) and the real path in r.URL, wherever it is mounted.
type Network interface {
	http.Handler
	About() About
	Hosts() []string
}

// About describes a network to the control surface.
type About struct {
	ID    string
	Title string
	Text  string
	Hosts []string
	// Calls are the names a fault may aim at.
	Calls []string
	// Containers says that the network publishes in two steps, so the faults about readiness make sense.
	Containers bool
	Options    []Option
	// Errors are the errors that a fault can ask for by their code alone.
	Errors []Documented
	// Style is a stylesheet of the network's own pages.
	Style []byte
}

// Kit is handed to every simulator.
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
	receiving map[string]bool // uploads of which a part is arriving
	busy      int             // works that have not ended
	idle      chan struct{}   // closed when busy is 0 again
}

type registration struct {
	about About
	reset func() error
}

// New opens the journal and returns a kit that the simulators of one sandbox share.
func New(cfg Config) (*Kit, error) {
	j, err := openJournal(cfg.JournalPath)
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

// checkRestored says why a network does not know all that earlier runs kept of it.
func (k *Kit) checkRestored(network string) error {
	if k.unreadable != nil {
		return k.unreadable
	}
	for key := range k.journal.past {
		if key.network == network {
			return fmt.Errorf("the sandbox journal has an unknown table %q of %q (move the file away to start afresh)",
				key.table, network)
		}
	}
	return nil
}

// Register makes a network known to the control surface, after it has opened its tables. reset forgets what belongs to
// posts, besides the posts themselves.
func (k *Kit) Register(about About, reset func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.networks = append(k.networks, registration{about: about, reset: reset})
	k.Faults.allowNetwork(about)
	return k.checkRestored(about.ID)
}

// Share returns what several networks of a sandbox have in common, made by the first that asks for it.
func Share[V any](k *Kit, name string, create func() V) V {
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

// Networks lists what was registered, in that order.
func (k *Kit) Networks() []About {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := make([]About, 0, len(k.networks))
	for _, n := range k.networks {
		list = append(list, n.about)
	}
	return list
}

// ResetPosts makes every network forget its visible posts; accounts, tokens and containers stay.
func (k *Kit) ResetPosts() error {
	k.mu.Lock()
	networks := append([]registration(nil), k.networks...)
	k.mu.Unlock()
	for _, n := range networks {
		if err := n.reset(); err != nil {
			return fmt.Errorf("reset posts of %s: %w", n.about.ID, err)
		}
	}
	return errors.Join(k.Posts.clearAll(), k.shelf.removeAll())
}

// Link maps an address of a real network to where this sandbox serves it, for pages the sandbox renders itself.
func (k *Kit) Link(address string) string {
	if rest, ok := strings.CutPrefix(address, "https://"); ok {
		return k.cfg.Prefix + "/" + rest
	}
	return address
}

// Prefix is the path before /{host}.
func (k *Kit) Prefix() string { return k.cfg.Prefix }

// AppName is what consent pages call the app.
func (k *Kit) AppName() string { return k.cfg.AppName }

// ClientID is the app id that every simulated network accepts.
func (k *Kit) ClientID() string { return k.cfg.ClientID }

// ClientSecret is the secret that belongs to ClientID.
func (k *Kit) ClientSecret() string { return k.cfg.ClientSecret }

// Go runs work that outlives its request; Close cancels ctx and waits for it. After Close nothing starts.
func (k *Kit) Go(work func(ctx context.Context)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil {
		return
	}
	if k.busy++; k.busy == 1 {
		k.idle = make(chan struct{})
	}
	k.work.Go(func() {
		defer k.jobEnded()
		work(k.ctx)
	})
}

// After does something after a time of the machine's clock, unless the sandbox ends before. WaitIdle does not wait for
// it.
func (k *Kit) After(d time.Duration, act func()) {
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

func (k *Kit) jobEnded() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.busy--; k.busy == 0 {
		close(k.idle)
	}
}

// WaitIdle waits until all work that outlives its request has ended, so that a test sees what it came to.
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

// Close ends slow answers and background work and closes the journal. It may come before the server's
// own stop, so that a scripted slowness of minutes holds nobody up.
func (k *Kit) Close() error {
	k.mu.Lock()
	k.cancel()
	k.mu.Unlock()
	k.work.Wait()
	return errors.Join(k.shelf.close(), k.journal.close())
}
