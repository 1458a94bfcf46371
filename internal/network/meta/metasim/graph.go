// Package metasim contains what the simulators of Meta's networks share. This includes the errors, fields, lists and
// tokens of Graph APIs, containers that are published in a second step, and a login with Pages. Only simulators import
// it.
package metasim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"belfry/internal/network/sim"
)

// Graph is one Graph API.
type Graph struct {
	API   *sim.API
	Words Words
	// Errors are the errors that a fault can ask for by their code.
	Errors []sim.Documented
	// Route returns the route of a call, by its path. It authenticates calls that need a token.
	Route func(q *sim.Request, path string) (sim.Route, error)
	// TakeJSON is true if the API accepts JSON bodies. Proof is true if it accepts appsecret_proof, and ProofOption is the
	// option that requires it.
	TakeJSON, Proof bool
	ProofOption     string
}

// On is the value of an option that is turned on.
const On = "on"

// NewGraph returns the Graph API of a network. The caller sets Route.
func NewGraph(kit *sim.Kit, network string, oauth *sim.OAuth, lock sync.Locker, words Words) *Graph {
	g := &Graph{Words: words}
	g.API = &sim.API{
		Kit: kit, Network: network, OAuth: oauth, Lock: lock, Containers: true, Error: g.errorAnswer, Fault: g.faultAnswer,
		Finish: func(q *sim.Request, a *sim.Answer) { g.setUsageHeadersIfAny(q, a, 1, 0) },
	}
	return g
}

// ServeHTTP serves a call.
func (g *Graph) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := sim.ReadCall(w, r, g.TakeJSON)
	if err != nil {
		g.API.Kit.SendAnswer(w, r, g.errorAnswer(Bad("%s", err)))
		return
	}
	route, err := g.Route(q, strings.Trim(r.URL.Path, "/"))
	if err != nil {
		g.API.Kit.SendAnswer(w, r, g.errorAnswer(err))
		return
	}
	g.API.ServeCall(r.Context(), q, route)
}

// Authenticate sets the token of a call. It returns an error if the token does not work.
func (g *Graph) Authenticate(q *sim.Request) error {
	if g.Proof && q.Bearer != "" {
		if err := g.takeAndCheckProof(q); err != nil {
			return err
		}
	}
	t, why := g.API.OAuth.FindToken(q.Bearer)
	if e := g.newTokenErrorOrNil(t, why); e != nil {
		return e
	}
	q.Token = t
	return nil
}

// takeAndCheckProof removes appsecret_proof from the parameters and verifies it. It refuses a call without it when the
// option requires it.
func (g *Graph) takeAndCheckProof(q *sim.Request) error {
	proof := q.Params.Get("appsecret_proof")
	q.Params.Del("appsecret_proof")
	mac := hmac.New(sha256.New, []byte(g.API.Kit.ClientSecret()))
	mac.Write([]byte(q.Bearer))
	switch {
	case proof == "" && g.API.Kit.Option(g.ProofOption) == On:
		return &Error{Code: 100, Type: TypeMethod, Message: "API calls from the server require an appsecret_proof argument"}
	case proof != "" && !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(proof)):
		return &Error{Code: 100, Type: TypeMethod, Message: "Invalid appsecret_proof provided in the API argument"}
	}
	return nil
}

// Versions that are served: v20.0 ended on 2026-09-24, v26.0 is the newest.
const (
	oldestVersion = 21
	newestVersion = 26
)

var versions = regexp.MustCompile(`^v([0-9]{1,3})\.0$`)

// CheckVersion returns an error unless the version in a path is served.
func CheckVersion(version string) error {
	m := versions.FindStringSubmatch(version)
	if m == nil {
		return &Error{Code: 2635, Message: "(#2635) You are calling without a version of the Graph API. Please use vNN.0."}
	}
	n, err := strconv.Atoi(m[1])
	switch {
	case err != nil || n > newestVersion:
		return &Error{Code: 2635, Message: "(#2635) Unknown version " + version + " of the Graph API."}
	case n < oldestVersion:
		return &Error{Code: 2635, Message: fmt.Sprintf("(#2635) You are calling a deprecated version of the Graph API. "+
			"Please update to the latest version: v%d.0.", newestVersion)}
	}
	return nil
}

// UnknownPath returns the error for an unknown path.
func UnknownPath(path string) error {
	return &Error{Code: 2500, Type: TypeOAuth, Message: "Unknown path components: /" + path}
}
