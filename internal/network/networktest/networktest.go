// Package networktest is the suite that every network runs against its simulator, over real HTTP: what the
// rest of the service relies on, whatever the network.
package networktest

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// Harness is what the suite must be told of a network.
type Harness struct {
	Driver network.Driver
	// Settings is the zero value of the network's settings struct.
	Settings any
	// Simplest is the simplest post that the network takes, without its text; the zero value for a text alone.
	Simplest network.Draft
	// Sandbox starts the simulators; the suite stops them.
	Sandbox func(t *testing.T, now func() time.Time, client, secret string) (http.Handler, *sim.Kit)
	// Consent is what a person picks on the consent page.
	Consent url.Values
	// TokenPaths are the paths where the network accepts a token only as a parameter.
	TokenPaths []string
	// NoRenewal tells that the tokens of this login are not renewed, though those of another login of the network are.
	NoRenewal bool
	// NoRevocation tells that no call revokes a grant of this login, and RevokesByApp that the call needs no token of the
	// person.
	NoRevocation, RevokesByApp bool
	// NoTrace tells that the network's errors carry no id of the call.
	NoTrace bool
	// TokenCall is the call that shows a dead token, as Case.Call names it.
	TokenCall string
	// Unfinished are the content types that the connector cannot publish yet. Such a network is not registered.
	Unfinished []string
	// Errors are errors besides those that the simulator documents.
	Errors []Case
	// Facts are what the network tells of a fresh account, by what makes the simulator tell it; none if it tells nothing.
	Facts []FactsCase

	// hidden tells that no network can reach the files, which have no address.
	hidden bool
}

// FactsCase is what a network tells of an account while an option of the simulator has a value, or a fault is
// scripted.
type FactsCase struct {
	Option, Value string
	Fault         sim.Fault
	Want          core.Facts
}

// Case is an error that is not documented and what it must be taken for.
type Case struct {
	Code, Subcode, Status int
	Reason                string // instead of Code, where the network's codes are words
	Call                  string // that is refused: status, one that Create makes, or publish; "" is publish
	Kind                  network.ErrorKind
}

// RunPushed runs the tests of files for the posts whose bytes the connector sends where the network cannot reach them.
func RunPushed(t *testing.T, h Harness) {
	h.hidden = true
	for name, test := range map[string]func(*testing.T, Harness){
		"publishes what its limits allow":            publishesFiles,
		"no lost call makes a post with files twice": filesSurviveLoss,
		"files that take their time are waited for":  filesTakeTime,
		"files that cannot be read fail":             filesThatCannotBeRead,
		"uploads that break off are resumed":         resumesUploads,
		"nothing is visible before the arm":          preparesInvisibly,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h)
		})
	}
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	Rules(t, NewWorld(t, h).Net, h.Settings)
	for name, test := range map[string]func(*testing.T, Harness){
		"describes itself completely":                    describes,
		"connects":                                       connects,
		"a refused consent brings no code":               refusedConsent,
		"a wrong code connects nothing":                  wrongCode,
		"a token is refreshed":                           refreshes,
		"revoking ends every token of the grant":         revokes,
		"tells facts of an account":                      tellsFacts,
		"facts count what was published":                 countsPublished,
		"no facts but from a whole answer":               hostileFacts,
		"publishes once, with a link that opens":         publishes,
		"publishes the longest text it allows":           publishesLongest,
		"the protocol survives a lost answer":            survivesLostAnswer,
		"the protocol survives a lost call":              survivesLostCall,
		"the protocol holds a throttled post":            survivesThrottle,
		"publishing one handle twice shows one post":     publishesTwice,
		"what is dropped after acceptance is found":      droppedAfter,
		"what is dropped before acceptance is absent":    droppedBefore,
		"a call that cannot be made is not sent":         notSent,
		"a search binds no other post":                   bindsNoOther,
		"every documented error has its kind":            documentedErrors,
		"the table has every documented error":           listsDocumented,
		"the page of an account shows figures that grow": showsFigures,
		"a throttle says how long it holds":              throttles,
		"a dead token is told by its cause":              deadTokens,
		"no answer but a whole one counts":               hostileAnswers,
		"no error and no address tells a secret":         secretsStay,
		"publishes what its limits allow":                publishesFiles,
		"no lost call makes a post with files twice":     filesSurviveLoss,
		"files that take their time are waited for":      filesTakeTime,
		"files that cannot be fetched fail":              filesThatCannotBeFetched,
		"files that cannot be read fail":                 filesThatCannotBeRead,
		"nothing is visible before the arm":              preparesInvisibly,
		"check and network agree on the text's length":   checksLength,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h)
		})
	}
}
