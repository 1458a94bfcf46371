package networktest

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/network"
)

// Classes that are not kinds of error: a status query is answered with "not yet", or what was requested is already
// done.
const (
	Pending network.ErrorKind = "pending"
	Ignored network.ErrorKind = "done"
)

// Class is how a network's documents advise treating an error.
type Class struct {
	Kind  network.ErrorKind
	Actor network.Actor // "" if Kind determines it
	// Wait and Scope are those of a throttle, or of a refusal after which the account's other posts wait.
	Wait  time.Duration
	Scope network.Scope
}

var classKinds = map[string]network.ErrorKind{"throttled": network.RateLimited}

var classActors = map[string]network.Actor{
	"author": network.ActorAuthor, "owner": network.ActorOwner, "operator": network.ActorOperator,
}

// ParseClass parses a class such as "throttled account 5m", "throttled app midnight" or "rejected owner 4h". Midnight
// is in Los Angeles, because networks count days there.
func ParseClass(t *testing.T, text string, now time.Time) (c Class) {
	t.Helper()
	words := strings.Fields(text)
	c.Kind = network.ErrorKind(words[0])
	if kind, ok := classKinds[words[0]]; ok {
		c.Kind = kind
	}
	for _, word := range words[1:] {
		if actor, ok := classActors[word]; ok {
			c.Actor = actor
			continue
		}
		switch word {
		case string(network.ScopeAccount), string(network.ScopeApp):
			c.Scope = network.Scope(word)
		case "midnight":
			c.Wait = timeUntilLosAngelesMidnight(t, now)
		default:
			var err error
			if c.Wait, err = time.ParseDuration(word); err != nil {
				t.Fatalf("class %q: %v", text, err)
			}
		}
	}
	if c.Wait > 0 && c.Scope == "" {
		c.Scope = network.ScopeAccount
	}
	return c
}

func timeUntilLosAngelesMidnight(t *testing.T, now time.Time) time.Duration {
	t.Helper()
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	local := now.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone).Sub(now)
}
