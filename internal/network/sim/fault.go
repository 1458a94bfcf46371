package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Kinds of faults, as the control page spells them. FaultKinds says what each does.
const (
	Reject           = "reject"
	Error            = "error"
	RateLimited      = "rate_limited"
	Slow             = "slow"
	TokenExpired     = "token_expired"
	TokenRevoked     = "token_revoked"
	DropAfterAccept  = "drop_after_accept"
	DropBeforeAccept = "drop_before_accept"
	NeverReady       = "never_ready"
	NotReadyRace     = "not_ready_race"
	ServerError      = "server_error"
	TruncatedJSON    = "truncated_json"
	Trickle          = "trickle"
	BreakOff         = "break_off"
	BadGateway       = "bad_gateway"
)

// Kind is a kind of fault and what it does, in a sentence.
type Kind struct{ Name, Does string }

// noEffect says whether a call takes effect despite its response.
const noEffect = "The call has no effect unless you choose to accept the call first."

// FaultKinds returns every kind, in an order that suits people.
func FaultKinds() []Kind {
	return []Kind{
		{Reject, "The network responds with a permanent error. " + noEffect},
		{Error, "The network responds with the error code that you enter. " + noEffect},
		{
			RateLimited,
			"The network refuses the call and asks for a pause of 30 seconds, or of the number of seconds that you enter.",
		},
		{Slow, "The response is delayed by the number of milliseconds that you enter."},
		{
			TokenExpired,
			"The access token of the call expires. An account without a refresh token must be reconnected.",
		},
		{TokenRevoked, "Access to the account is revoked. The account must be reconnected."},
		{
			DropAfterAccept,
			"The call succeeds, but the connection breaks before the response. Belfry must find out what happened.",
		},
		{DropBeforeAccept, "The connection breaks, and the call has no effect."},
		{NeverReady, "A container is never ready to publish. Applies only to networks that publish in two steps."},
		{
			NotReadyRace,
			"The publishing call returns “not found” for a container that was ready. Applies only to networks that publish in two steps.",
		},
		{ServerError, "The network responds with HTTP 500. " + noEffect},
		{BadGateway, "A server in front of the network responds with HTTP 502 and a web page. " + noEffect},
		{
			TruncatedJSON,
			"The call succeeds, but only half of the response arrives. If you enter an error code, the call fails, and half of the error response arrives.",
		},
		{
			Trickle,
			"The call succeeds, but its response arrives one byte at a time: every second, or at the interval that you enter.",
		},
		{
			BreakOff,
			"The connection breaks each time the network has received the number of bytes that you enter. Applies only to calls that send a file.",
		},
	}
}

// Kinds returns the names of FaultKinds.
func Kinds() []string {
	explained := FaultKinds()
	names := make([]string, len(explained))
	for i, k := range explained {
		names[i] = k.Name
	}
	return names
}

// AnyCall targets every call.
const AnyCall = "any"

const (
	maxDelay          = 10 * time.Minute
	maxFaults         = 1000
	spentKept         = 100
	oneTime           = 1
	minStatus         = 400
	maxStatus         = 599
	defaultRetryAfter = 30
)

// Fault is one scripted fault of a network.
type Fault struct {
	ID      string `json:"id"`
	Network string `json:"network,omitempty"` // empty: all of them
	Call    string `json:"call"`
	Kind    string `json:"kind"`
	Code    int    `json:"code,omitempty"`
	Subcode int    `json:"subcode,omitempty"`
	Reason  string `json:"reason,omitempty"` // instead of Code, where the network's codes are words
	Status  int    `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
	// RetryAfter is in seconds.
	RetryAfter int `json:"retryAfter,omitempty"`
	DelayMs    int `json:"delayMs,omitempty"`
	// AfterBytes is the number of bytes, over all matching calls, after which a connection breaks.
	AfterBytes int `json:"afterBytes,omitempty"`
	// Skip is the number of matching calls that pass before it fires.
	Skip int `json:"skip,omitempty"`
	// Times is how often it fires; 0 means until it is deleted. The default is once.
	Times   *int   `json:"times"`
	Account string `json:"account,omitempty"`
	Match   string `json:"match,omitempty"`
	// Accept lets the call take effect before a slow or failed response, as sometimes happens on real networks.
	Accept bool `json:"accept,omitempty"`
	Fired  int  `json:"fired"`

	counted int // of AfterBytes
}

// Faults holds the scripted faults of all networks.
type Faults struct {
	mu       sync.Mutex
	next     int
	active   []*Fault
	spent    []Fault
	cleared  chan struct{} // closed by Clear
	networks map[string]About
}

func newFaults() *Faults { return &Faults{cleared: make(chan struct{}), networks: map[string]About{}} }

func (f *Faults) registerNetwork(about About) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.networks[about.ID] = about
}

// Add adds all of the faults, or returns an error and adds none.
func (f *Faults) Add(faults ...Fault) ([]Fault, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.active)+len(faults) > maxFaults {
		return nil, fmt.Errorf("there can be at most %d faults", maxFaults)
	}
	for i := range faults {
		if err := f.setDefaultsAndCheckLocked(&faults[i]); err != nil {
			return nil, err
		}
	}
	for i := range faults {
		f.next++
		faults[i].ID = "f" + strconv.Itoa(f.next)
		faults[i].Fired = 0
		kept := faults[i]
		f.active = append(f.active, &kept)
	}
	return faults, nil
}

// setDefaultsAndCheckLocked completes a fault and checks that it can occur. The caller holds f.mu.
func (f *Faults) setDefaultsAndCheckLocked(x *Fault) error {
	if x.Call == "" {
		x.Call = AnyCall
	}
	if x.Times == nil {
		x.Times = new(oneTime)
	}
	if x.Network == AnyCall {
		x.Network = ""
	}
	if x.Kind == Trickle && x.DelayMs == 0 {
		x.DelayMs = int(time.Second.Milliseconds())
	}
	if x.Kind == RateLimited && x.RetryAfter == 0 {
		x.RetryAfter = defaultRetryAfter
	}
	if !slices.Contains(Kinds(), x.Kind) {
		return fmt.Errorf("kind %q is unknown; use one of %s", x.Kind, strings.Join(Kinds(), ", "))
	}
	if err := x.checkNumbers(); err != nil {
		return err
	}
	if err := f.checkCode(x); err != nil {
		return err
	}
	return f.checkTarget(x)
}

// checkCode refuses a code that the network does not document, which is usually a typo. With a status, it accepts any
// code.
func (f *Faults) checkCode(x *Fault) error {
	if !x.HasCode() || x.Kind == RateLimited || x.Status != 0 {
		return nil
	}
	for id, about := range f.networks {
		if _, documented := FindDocumented(about.Errors, *x); documented && (x.Network == "" || x.Network == id) {
			return nil
		}
	}
	return fmt.Errorf("code %s is not documented; also specify a status, or use another code",
		Documented{Code: x.Code, Subcode: x.Subcode, Reason: x.Reason}.Name())
}

func (x *Fault) checkNumbers() error {
	switch {
	case *x.Times < 0:
		return fmt.Errorf("times %d: use a positive number, or 0 for a fault that stays until you delete it", *x.Times)
	case x.DelayMs < 0 || time.Duration(x.DelayMs)*time.Millisecond > maxDelay:
		return fmt.Errorf("delayMs %d: use a number from 0 to %d", x.DelayMs, maxDelay.Milliseconds())
	case x.Kind == Slow && x.DelayMs == 0:
		return fmt.Errorf("kind %s requires delayMs", Slow)
	case x.Kind == BreakOff && x.AfterBytes < 1:
		return fmt.Errorf("kind %s requires afterBytes", BreakOff)
	case x.Kind == Error && x.Code == 0 && x.Reason == "":
		return fmt.Errorf("kind %s requires a code or a reason", Error)
	case x.Status != 0 && (x.Status < minStatus || x.Status > maxStatus):
		return fmt.Errorf("status %d: use a number from %d to %d", x.Status, minStatus, maxStatus)
	case x.RetryAfter < 0:
		return fmt.Errorf("retryAfter %d is negative", x.RetryAfter)
	case x.Skip < 0:
		return fmt.Errorf("skip %d is negative", x.Skip)
	}
	return nil
}

func (f *Faults) checkTarget(x *Fault) error {
	fits, containers := false, false
	for id, about := range f.networks {
		if x.Network != "" && x.Network != id {
			continue
		}
		containers = containers || about.Containers
		fits = fits || x.Call == AnyCall || slices.Contains(about.Calls, x.Call)
		if x.Network != "" && !fits {
			return fmt.Errorf("%s has no call %q; use \"any\" or one of %s", id, x.Call, strings.Join(about.Calls, ", "))
		}
	}
	if _, ok := f.networks[x.Network]; x.Network != "" && !ok {
		return fmt.Errorf("network %q is not simulated here", x.Network)
	}
	if !fits {
		return fmt.Errorf("no network has a call %q", x.Call)
	}
	if (x.Kind == NeverReady || x.Kind == NotReadyRace) && !containers {
		return fmt.Errorf("kind %s requires a network that publishes in two steps", x.Kind)
	}
	return nil
}

// ListActive returns the faults that can still fire, in the order in which they were added.
func (f *Faults) ListActive() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]Fault, 0, len(f.active))
	for _, x := range f.active {
		list = append(list, *x)
	}
	return list
}

// ListSpent returns the most recent faults that are used up.
func (f *Faults) ListSpent() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Fault{}, f.spent...)
}

// Delete removes a fault and reports whether it existed.
func (f *Faults) Delete(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(f.active)
	f.active = slices.DeleteFunc(f.active, func(x *Fault) bool { return x.ID == id })
	return len(f.active) < before
}

// Clear removes all faults. Calls that faults are delaying continue immediately.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active, f.spent = nil, nil
	close(f.cleared)
	f.cleared = make(chan struct{})
}

// fireMatching returns the faults for this call, and counts them as fired: all matching slow faults and the first
// other one, except those that break an upload. The delays end when cleared is closed.
func (f *Faults) fireMatching(c Call) (slow []Fault, hit *Fault, cleared <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var used bool
	for _, x := range f.active {
		if x.Kind == BreakOff || !x.matchesCall(c) || (x.Kind != Slow && hit != nil) {
			continue
		}
		if x.Skip > 0 {
			x.Skip--
			continue
		}
		x.Fired++
		used = used || x.isSpent()
		if x.Kind == Slow {
			slow = append(slow, *x)
			continue
		}
		copied := *x
		hit = &copied
	}
	if used {
		f.retireSpentLocked()
	}
	return slow, hit, f.cleared
}

// retireSpentLocked is for a caller that holds f.mu.
func (f *Faults) retireSpentLocked() {
	f.active = slices.DeleteFunc(f.active, func(x *Fault) bool {
		if x.isSpent() {
			f.spent = append(f.spent, *x)
		}
		return x.isSpent()
	})
	if extra := len(f.spent) - spentKept; extra > 0 {
		f.spent = slices.Delete(f.spent, 0, extra)
	}
}

// HasCode reports whether the fault returns an error with its own code.
func (x *Fault) HasCode() bool {
	return x.Kind == Error || x.Kind == TruncatedJSON && (x.Code != 0 || x.Reason != "")
}

func (x *Fault) isSpent() bool { return *x.Times > 0 && x.Fired >= *x.Times }

func (x *Fault) matchesCall(c Call) bool {
	return (x.Network == "" || x.Network == c.Network) &&
		(x.Call == AnyCall || slices.Contains(c.Names, x.Call)) &&
		(x.Account == "" || x.Account == c.Account) &&
		strings.Contains(c.Text, x.Match) &&
		x.canAffect(c)
}

// canAffect reports whether a fault of this kind can affect the call, so a fault is not used up without an effect.
func (x *Fault) canAffect(c Call) bool {
	switch x.Kind {
	case NeverReady:
		return slices.Contains(c.Names, "create") || slices.Contains(c.Names, "status")
	case NotReadyRace:
		return c.Containers && slices.Contains(c.Names, "publish")
	case TokenExpired, TokenRevoked:
		return c.Kill != nil
	}
	return true
}
