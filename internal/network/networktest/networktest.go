// Package networktest is the test suite that every network runs against its simulator, over real HTTP. It tests what
// the rest of the service relies on.
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

// Harness describes a network for the suite.
type Harness struct {
	Driver network.Driver
	// Settings is the zero value of the network's settings struct.
	Settings any
	// Simplest is the simplest post that the network accepts, without its text. It is the zero value if a text is enough.
	Simplest network.Draft
	// Sandbox starts the simulators; the suite stops them.
	Sandbox func(t *testing.T, now func() time.Time, client, secret string) (http.Handler, *sim.Kit)
	// Consent is what a person enters on the consent page.
	Consent url.Values
	// TokenPaths are the paths where the network accepts a token only as a parameter.
	TokenPaths []string
	// NoRenewal is true if the tokens of this login are not renewed, although those of another login of the network are.
	NoRenewal bool
	// NoRevocation is true if no call revokes a grant of this login. RevokesByApp is true if the call needs no token of
	// the person.
	NoRevocation, RevokesByApp bool
	// NoSearchWithoutText is true if a search cannot identify a post without text.
	NoSearchWithoutText bool
	// NoTrace is true if the network's errors contain no id of the call.
	NoTrace bool
	// TokenCall is the call that reveals an invalid token, as in Case.Call.
	TokenCall string
	// Unfinished are the content types that the connector cannot publish yet. Such a network is not registered.
	Unfinished []string
	// Errors are errors that the simulator does not document.
	Errors []Case
	// Facts are the facts that the network reports about a new account; nil if it reports none.
	Facts []FactsCase

	// hidden is true if files have no address, so networks cannot download them.
	hidden bool
}

// FactsCase is the facts that a network reports while an option of the simulator has a value, or while a fault is
// active.
type FactsCase struct {
	Option, Value string
	Fault         sim.Fault
	Want          core.Facts
}

// Case is an error that is not documented, and its expected kind.
type Case struct {
	Code, Subcode, Status int
	Reason                string // instead of Code, if the network's codes are words
	Call                  string // the call that fails: create, status or publish; "" is publish
	Kind                  network.ErrorKind
}

// RunPushed runs the tests of files without public addresses, so that the connector sends their bytes.
func RunPushed(t *testing.T, h Harness) {
	h.hidden = true
	for name, test := range map[string]func(*testing.T, Harness){
		"publishes what its limits allow":            testFilesAtLimits,
		"no lost call makes a post with files twice": testLostCalls,
		"files that take their time are waited for":  testSlowProcessing,
		"files that cannot be read fail":             testUnreadableFiles,
		"uploads that break off are resumed":         testInterruptedUpload,
		"nothing is visible before the arm":          testPreparation,
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
		"describes itself completely":                    testDescription,
		"connects":                                       testConnect,
		"a refused consent brings no code":               testRefusedConsent,
		"a wrong code connects nothing":                  testWrongCode,
		"a token is refreshed":                           testRefresh,
		"revoking ends every token of the grant":         testRevoke,
		"tells facts of an account":                      testFacts,
		"facts count what was published":                 testPublishedCount,
		"no facts but from a whole answer":               testHostileFacts,
		"publishes once, with a link that opens":         testPublish,
		"publishes the longest text it allows":           testLongestText,
		"the protocol survives a lost answer":            testLostResponse,
		"the protocol survives a lost call":              testLostRequest,
		"the protocol holds a throttled post":            testThrottledPost,
		"publishing one handle twice shows one post":     testRepeatedPublish,
		"what is dropped after acceptance is found":      testDropAfterAccept,
		"what is dropped before acceptance is absent":    testDropBeforeAccept,
		"a call that cannot be made is not sent":         testNotSent,
		"a search binds no other post":                   testSearch,
		"every documented error has its kind":            testDocumentedErrors,
		"the table has every documented error":           testErrorTable,
		"the page of an account shows figures that grow": testAccountPage,
		"a throttle says how long it holds":              testThrottle,
		"a dead token is told by its cause":              testInvalidTokens,
		"no answer but a whole one counts":               testHostileResponses,
		"no error and no address tells a secret":         testRedaction,
		"publishes what its limits allow":                testFilesAtLimits,
		"no lost call makes a post with files twice":     testLostCalls,
		"files that take their time are waited for":      testSlowProcessing,
		"files that cannot be fetched fail":              testUnfetchableFiles,
		"files that cannot be read fail":                 testUnreadableFiles,
		"nothing is visible before the arm":              testPreparation,
		"check and network agree on the text's length":   testTextLength,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h)
		})
	}
}
