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
		"publishes everything that its limits allow":     testFilesAtLimits,
		"no lost call publishes a post with files twice": testLostCalls,
		"slow processing does not cause a second call":   testSlowProcessing,
		"posts with unreadable files fail":               testUnreadableFiles,
		"interrupted uploads are resumed":                testInterruptedUpload,
		"nothing is visible before the post is armed":    testPreparation,
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
		"a refused consent returns no code":              testRefusedConsent,
		"a wrong code connects no account":               testWrongCode,
		"a token is renewed":                             testRefresh,
		"revoking a grant invalidates all its tokens":    testRevoke,
		"reports facts about an account":                 testFacts,
		"facts count published posts":                    testPublishedCount,
		"only complete responses contain facts":          testHostileFacts,
		"publishes once, with a working link":            testPublish,
		"publishes the longest text that it allows":      testLongestText,
		"the protocol survives a lost response":          testLostResponse,
		"the protocol survives a lost call":              testLostRequest,
		"the protocol holds a throttled post":            testThrottledPost,
		"publishing a handle twice creates one post":     testRepeatedPublish,
		"a post is found if its response is lost":        testDropAfterAccept,
		"a post is absent if its request is lost":        testDropBeforeAccept,
		"a call that cannot be made counts as not sent":  testNotSent,
		"a search matches no other post":                 testSearch,
		"every documented error has the right kind":      testDocumentedErrors,
		"the table contains every documented error":      testErrorTable,
		"the figures on an account's page grow":          testAccountPage,
		"a throttle reports how long it lasts":           testThrottle,
		"an invalid token's error shows the cause":       testInvalidTokens,
		"only complete responses count":                  testHostileResponses,
		"errors and addresses contain no secrets":        testRedaction,
		"publishes everything that its limits allow":     testFilesAtLimits,
		"no lost call publishes a post with files twice": testLostCalls,
		"slow processing does not cause a second call":   testSlowProcessing,
		"posts with files that cannot be fetched fail":   testUnfetchableFiles,
		"posts with unreadable files fail":               testUnreadableFiles,
		"nothing is visible before the post is armed":    testPreparation,
		"the check and the network agree on text length": testTextLength,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h)
		})
	}
}
