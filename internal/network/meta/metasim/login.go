package metasim

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"belfry/internal/network/sim"
)

// Names of calls that a fault can target.
const (
	CallProfile  = "profile"
	CallAccounts = "accounts"
	CallRevoke   = "revoke"
)

// PageLogin is the login that networks with Pages share: a login dialog, a person, Pages, and the tokens of both.
type PageLogin struct {
	// Lock protects the members' records too.
	Lock    sync.Mutex
	kit     *sim.Kit
	oauth   *sim.OAuth
	pages   *sim.Table[*Page]
	members []Member
}

// Member is a network with this login.
type Member struct {
	Graph *Graph
	// Scope is the permission that distinguishes its tokens from those of other members; "" for the last member.
	Scope string
	// Node returns the route of a call of a node that the token can see. ok is false if the network has no such node.
	Node func(q *sim.Request, id, edge string) (route sim.Route, ok bool, err error)
	// Upload returns the route of an upload, by the first and the last part of its path.
	Upload func(q *sim.Request, kind, id string) (route sim.Route, ok bool, err error)
	// Site serves a page of the site, or returns false if the network has no such page. It is nil for a network without
	// pages there.
	Site func(w http.ResponseWriter, r *http.Request, parts []string) bool
	// Link returns the account that is linked to a Page. It is nil for networks without such accounts.
	Link func(p *Page) (map[string]any, error)
}

// JoinPageLogin returns the login that the networks of a sandbox share.
func JoinPageLogin(kit *sim.Kit) *PageLogin {
	return sim.ShareOnce(kit, "page login", func() *PageLogin {
		l := &PageLogin{kit: kit, pages: sim.OpenTable[*Page](kit, loginName, "page")}
		for _, p := range demoPages() {
			l.pages.PutDefault(p.ID, p)
		}
		l.oauth = sim.NewOAuth(kit, l.newConfig())
		return l
	})
}

// Join adds a member and sets up its Graph API for the login.
func (l *PageLogin) Join(m Member) {
	m.Graph.TakeJSON, m.Graph.Proof, m.Graph.ProofOption = true, true, OptProof
	m.Graph.API.OAuth = l.oauth
	l.members = append(l.members, m)
	slices.SortStableFunc(l.members, func(a, b Member) int { return strings.Compare(b.Scope, a.Scope) })
}

// Page returns a Page, or nil if there is none. The caller holds the lock.
func (l *PageLogin) Page(id string) *Page { return l.pages.Get(id) }

// CanSee reports whether a token has access to a Page.
func CanSee(t sim.Token, page string) bool { return slices.Contains(t.Targets, page) }

// IsPageToken reports whether a token is that of a Page.
func IsPageToken(t sim.Token, page string) bool { return t.Kind == pageToken && t.Subject == page }

// ServeHTTP serves the hosts that the members share.
func (l *PageLogin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch sim.RequestHost(r) {
	case PageSite:
		l.serveSite(w, r)
	case PageUpload:
		l.serveUpload(w, r)
	default:
		l.serveGraph(w, r)
	}
}

func (l *PageLogin) serveSite(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) == 3 && parts[1] == "dialog" && parts[2] == "oauth" {
		l.oauth.ServeConsent(w, r)
		return
	}
	for _, m := range l.members {
		if m.Site != nil && m.Site(w, r, parts) {
			return
		}
	}
	l.kit.ServeSite(w, r, loginName, loginTitle)
}

func (l *PageLogin) serveGraph(w http.ResponseWriter, r *http.Request) {
	version, path, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	q, err := sim.ReadCall(w, r, true)
	if err != nil {
		err = Bad("%s", err)
	} else {
		err = CheckVersion(version)
	}
	var m Member
	var route sim.Route
	if err == nil {
		w.Header().Set(versionHeader, version)
		m, route, err = l.authenticateAndFindRoute(q, path)
	}
	l.serveCallOrError(w, r, q, m, route, err)
}

func (l *PageLogin) serveCallOrError(
	w http.ResponseWriter, r *http.Request, q *sim.Request, m Member, route sim.Route, err error,
) {
	if err != nil {
		l.kit.SendAnswer(w, r, l.members[0].Graph.errorAnswer(err))
		return
	}
	m.Graph.API.ServeCall(r.Context(), q, route)
}

// findMemberOrLast returns the network whose scopes were granted, or the last one if no network's were.
func (l *PageLogin) findMemberOrLast(c sim.Consented) Member {
	for _, m := range l.members {
		if slices.Contains(c.Scopes, m.Scope) {
			return m
		}
	}
	return l.members[len(l.members)-1]
}

// authenticateAndFindRoute sets the token of a call that needs one, and returns the route of a path and the network
// that it belongs to.
func (l *PageLogin) authenticateAndFindRoute(q *sim.Request, path string) (Member, sim.Route, error) {
	switch path {
	case "oauth/access_token":
		if q.Params.Get("grant_type") == "fb_exchange_token" {
			q.Token, _ = l.oauth.FindToken(q.Params.Get("fb_exchange_token"))
			return l.findMemberOrLast(q.Token.Consented), l.tokenRoute(CallToken), nil
		}
		return l.findMemberOrLast(l.oauth.PeekCode(q.Params.Get("code"))), l.tokenRoute(CallExchange), nil
	case "debug_token":
		t, _ := l.oauth.FindToken(q.Params.Get("input_token"))
		m := l.findMemberOrLast(t.Consented)
		route, err := m.Graph.authenticateForDebugRoute(q, l.appToken())
		return m, route, err
	}
	if path == personID+"/permissions" && q.R.Method == http.MethodDelete && q.Bearer == l.appToken() {
		m := l.members[0]
		return m, l.revokeRoute(), m.Graph.takeAndCheckProof(q)
	}
	if err := l.members[0].Graph.Authenticate(q); err != nil {
		return Member{}, sim.Route{}, err
	}
	id, edge, _ := strings.Cut(path, "/")
	if id == "me" {
		id = q.Token.Subject
	}
	l.Lock.Lock()
	p := l.pages.Get(id)
	l.Lock.Unlock()
	switch {
	case id == personID:
		route, err := l.personRoute(q, edge)
		return l.findMemberOrLast(q.Token.Consented), route, err
	case p != nil && !CanSee(q.Token, id):
		return Member{}, sim.Route{}, NotFound(q.R.Method, id)
	case p != nil && edge == "" && q.R.Method == http.MethodGet:
		return l.findMemberOrLast(q.Token.Consented), l.pageRoute(p), nil
	}
	for _, m := range l.members {
		if route, ok, err := m.Node(q, id, edge); ok || err != nil {
			return m, route, err
		}
	}
	if p != nil && q.R.Method == http.MethodGet {
		return Member{}, sim.Route{}, NoField(edge, "Page")
	}
	return Member{}, sim.Route{}, NotFound(q.R.Method, id)
}

// personRoute returns the route of a call of the person who signed in.
func (l *PageLogin) personRoute(q *sim.Request, edge string) (sim.Route, error) {
	if q.Token.Kind == pageToken {
		return sim.Route{}, NotFound(q.R.Method, personID)
	}
	switch q.R.Method + " " + edge {
	case "GET ":
		return sim.Route{Names: []string{CallProfile}, Params: []string{"fields"}, Serve: func(q *sim.Request) (any, error) {
			node := map[string]any{"id": personID, "name": personName, "picture": l.pictureNode(personID, personName)}
			return personKind.Pick(q.Params.Get("fields"), node)
		}}, nil
	case "GET accounts":
		return sim.Route{
			Names: []string{CallAccounts}, Params: ListParams, Scopes: []string{"pages_show_list"}, Serve: l.listAccounts,
		}, nil
	case "GET permissions":
		return sim.Route{Names: []string{CallProfile}, Serve: listPermissions}, nil
	case "DELETE permissions":
		return l.revokeRoute(), nil
	}
	if q.R.Method == http.MethodGet {
		return sim.Route{}, NoField(edge, "User")
	}
	return sim.Route{}, NotFound(q.R.Method, personID)
}

// revokeRoute removes the app from the person's account. This revokes the whole consent, so all tokens of the app stop
// working, including those of Pages.
func (l *PageLogin) revokeRoute() sim.Route {
	return sim.Route{Names: []string{CallRevoke}, Serve: func(*sim.Request) (any, error) {
		return map[string]any{"success": true}, l.oauth.EndPersonAccess(personID)
	}}
}

// listPermissions serves the permissions that the person granted and declined.
func listPermissions(q *sim.Request) (any, error) {
	var data []any
	for status, scopes := range map[string][]string{"granted": q.Token.Scopes, "declined": q.Token.Declined} {
		for _, scope := range scopes {
			data = append(data, map[string]any{"permission": scope, "status": status})
		}
	}
	return map[string]any{"data": data}, nil
}

// listAccounts serves the Pages that were selected in the dialog, each with its own token.
func (l *PageLogin) listAccounts(q *sim.Request) (any, error) {
	var nodes []map[string]any
	for _, id := range q.Token.Targets {
		node, err := l.pageNodeWithOwnToken(q.Token, l.pages.Get(id))
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	id := func(node map[string]any) string { return fmt.Sprint(node["id"]) }
	same := func(node map[string]any) map[string]any { return node }
	return ListNodes(q, GraphAddress(q, personID, "accounts"), accountKind, nodes, id, same)
}

// GraphAddress returns the address of an edge, with the API version of a call.
func GraphAddress(q *sim.Request, id, edge string) string {
	version, _, _ := strings.Cut(strings.TrimPrefix(q.R.URL.Path, "/"), "/")
	return "https://" + sim.RequestHost(q.R) + "/" + version + "/" + id + "/" + edge
}

// pageRoute serves a Page, for its own token or the person's.
func (l *PageLogin) pageRoute(p *Page) sim.Route {
	return sim.Route{Names: []string{CallProfile}, Params: []string{"fields"}, Serve: func(q *sim.Request) (any, error) {
		node, err := l.pageNodeWithOwnToken(q.Token, p)
		if err != nil {
			return nil, err
		}
		delete(node, "tasks")
		return pageKind.Pick(q.Params.Get("fields"), node)
	}}
}

// tokenRoute exchanges a code, or a short-lived token for a long-lived one.
func (l *PageLogin) tokenRoute(callName string) sim.Route {
	return sim.Route{
		Names:  []string{callName},
		Params: []string{"client_id", "client_secret", "redirect_uri", "code", "grant_type", "fb_exchange_token"},
		Serve: func(q *sim.Request) (any, error) {
			if q.Bearer != "" {
				return nil, Bad("access_token is not allowed here")
			}
			switch l.oauth.CheckClient(q.Params.Get("client_id"), q.Params.Get("client_secret")) {
			case sim.WrongClient:
				const text = "Error validating application. Cannot get application info due to a system error."
				return nil, &Error{Code: 101, Message: text}
			case sim.WrongSecret:
				return nil, &Error{Code: 101, Message: "Error validating client secret."}
			}
			switch grant := q.Params.Get("grant_type"); grant {
			case "", "authorization_code":
				return l.exchangeCode(q)
			case "fb_exchange_token":
				return l.exchangeForLongToken(q)
			case "client_credentials":
				return map[string]any{"access_token": l.appToken(), "token_type": "bearer"}, nil
			default:
				return nil, Bad("Invalid grant_type: %s", grant)
			}
		},
	}
}

func (l *PageLogin) appToken() string { return l.kit.ClientID() + "|" + l.kit.ClientSecret() }

func (l *PageLogin) exchangeCode(q *sim.Request) (any, error) {
	code := q.Params.Get("code")
	consented, why, err := l.oauth.RedeemCode(code, q.Params.Get("redirect_uri"), "")
	refusal := map[sim.Refusal]Error{
		sim.Unknown:       {Message: "Invalid verification code format."},
		sim.Used:          {Subcode: 36009, Message: "This authorization code has been used."},
		sim.Expired:       {Subcode: 36007, Message: "This authorization code has expired."},
		sim.WrongRedirect: {Subcode: 36008, Message: wrongRedirect},
	}[why]
	switch {
	case err != nil:
		return nil, err
	case why != "":
		refusal.Code = 100
		return nil, &refusal
	}
	return l.issueTokenForResponse(sim.Token{Consented: consented, Kind: shortToken, Grant: code}, 85*time.Minute)
}

// exchangeForLongToken exchanges a token for one of 60 days. No document says that exchanging a long-lived token
// extends it, so here the new token expires with the old one.
func (l *PageLogin) exchangeForLongToken(q *sim.Request) (any, error) {
	t, why := l.oauth.FindToken(q.Params.Get("fb_exchange_token"))
	if t.Kind == pageToken {
		why = sim.Unknown
	}
	if e := l.members[0].Graph.newTokenErrorOrNil(t, why); e != nil {
		return nil, e
	}
	life := longLife
	if t.Kind == longToken {
		life = t.ExpiresAt.Sub(l.kit.Now())
	}
	t.Kind, t.Parent = longToken, t.Text
	return l.issueTokenForResponse(t, life)
}

// issueTokenForResponse issues a token like t and returns the body of the response.
func (l *PageLogin) issueTokenForResponse(t sim.Token, life time.Duration) (any, error) {
	t, err := l.oauth.IssueToken(t, life)
	return map[string]any{"access_token": t.Text, "token_type": "bearer", "expires_in": int(life.Seconds())}, err
}

// serveUpload serves the upload host, which has its own Authorization scheme and no parameters.
func (l *PageLogin) serveUpload(w http.ResponseWriter, r *http.Request) {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth ")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if !ok || r.Method != http.MethodPost || len(parts) != 3 || CheckVersion(parts[1]) != nil {
		l.serveCallOrError(w, r, nil, Member{}, sim.Route{}, Bad("Unsupported upload request"))
		return
	}
	q := &sim.Request{W: w, R: r, Bearer: bearer, Params: url.Values{}}
	t, why := l.oauth.FindToken(bearer)
	if e := l.members[0].Graph.newTokenErrorOrNil(t, why); e != nil {
		l.serveCallOrError(w, r, q, Member{}, sim.Route{}, e)
		return
	}
	q.Token = t
	for _, m := range l.members {
		if m.Upload == nil {
			continue
		}
		if route, ok, err := m.Upload(q, parts[0], parts[2]); ok || err != nil {
			l.serveCallOrError(w, r, q, m, route, err)
			return
		}
	}
	l.serveCallOrError(w, r, q, Member{}, sim.Route{}, NotFound(r.Method, parts[2]))
}

// UploadError returns an error in the format of the upload host.
func UploadError(kind, message string) sim.Answer {
	return sim.Answer{Status: http.StatusBadRequest, Body: map[string]any{
		"debug_info": map[string]any{"retriable": false, "type": kind, "message": message},
	}}
}

// ReceiveBytes receives all remaining bytes of an upload and returns the file. refusal is the response to a call that
// does not send all of them; bytes that have arrived are kept.
func (l *PageLogin) ReceiveBytes(q *sim.Request, id string) (media sim.Media, refusal any, err error) {
	var offset, size int64
	header := q.R.Header
	if n, _ := fmt.Sscan(header.Get("Offset")+" "+header.Get("File_size"), &offset, &size); n < 2 || size < 1 {
		return media, UploadError("PartialRequestError", "The headers offset and file_size are required"), nil
	}
	if declared := q.R.ContentLength; declared >= 0 && declared != size-offset && l.kit.UploadSize(id) == offset {
		return media, UploadError("PartialRequestError", "The body must contain all bytes from the offset to the end"), nil
	}
	arrived, err := l.kit.AppendUpload(id, offset, http.MaxBytesReader(q.W, q.R.Body, size-offset))
	switch {
	case errors.Is(err, sim.ErrOffset):
		return media, UploadError("OffsetInvalidError", fmt.Sprintf("The next offset is %d", arrived)), nil
	case arrived < size:
		return media, UploadError("PartialRequestError", fmt.Sprintf("Received %d of %d bytes", arrived, size)), nil
	}
	media, err = l.kit.FinishUpload(id)
	return media, nil, err
}
