package facebooksim

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const (
	codeLife     = time.Hour
	scopeProfile = "public_profile"
)

// grantCode is the one-time code between the login dialog and the exchange.
type grantCode struct {
	Code        string    `json:"code"`
	RedirectURI string    `json:"redirectUri"`
	Scopes      []string  `json:"scopes"`
	Declined    []string  `json:"declined"`
	Pages       []string  `json:"pages"`
	ExpiresAt   time.Time `json:"expiresAt"`
	Used        bool      `json:"used"`
}

// knownScopes are all permissions that an app for Pages can ask for.
func knownScopes() []string {
	return []string{
		scopeProfile, "email", scopeShowList, scopeReadEngagement, scopeManagePosts, "read_insights", scopeReadUserContent,
		"business_management", "pages_manage_engagement", "pages_manage_metadata",
		"instagram_basic", "instagram_content_publish", "instagram_manage_insights",
	}
}

const (
	scopeShowList        = "pages_show_list"
	scopeReadEngagement  = "pages_read_engagement"
	scopeManagePosts     = "pages_manage_posts"
	scopeReadUserContent = "pages_read_user_content"
)

var dialogParams = []string{"client_id", "redirect_uri", "state", "response_type", "scope", "auth_type"}

// dialogForm are the fields a person fills in.
var dialogForm = []string{"decision", "page", "newPage", "grant"}

// dialogRequest is a checked visit to the dialog.
type dialogRequest struct {
	redirectURI, state string
	scopes             []string
}

func (s *Sim) serveDialog(w http.ResponseWriter, r *http.Request, version string) {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	q, params, err := s.readDialog(w, r, version)
	if err != nil {
		s.showNotice(w, r, http.StatusBadRequest, "It looks like this app isn't available", err.Error())
		return
	}
	if r.Method == http.MethodPost {
		s.serveDecision(w, r, params, q)
		return
	}
	s.kit.Page(w, r, http.StatusOK, "consent", s.dialogPage(version, params, q))
}

func (s *Sim) readDialog(w http.ResponseWriter, r *http.Request, version string) (dialogRequest, url.Values, error) {
	var q dialogRequest
	if versionProblem(version) != "" {
		return q, nil, errors.New(versionProblem(version))
	}
	// Ticked Pages and permissions come several times, so the strict reader of parameters is of no use here.
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	if err := r.ParseForm(); err != nil {
		return q, nil, fmt.Errorf("read form: %w", err)
	}
	for _, name := range dialogParams {
		if len(r.Form[name]) > 1 {
			return q, nil, fmt.Errorf("%s was given more than once", name)
		}
	}
	known := dialogParams
	if r.Method == http.MethodPost {
		known = slices.Concat(dialogParams, dialogForm)
	}
	if name, odd := sim.UnknownParam(r.Form, known...); odd {
		return q, nil, fmt.Errorf("the dialog knows no parameter %s", name)
	}
	q, err := s.checkDialog(r.Form)
	return q, r.Form, err
}

func (s *Sim) checkDialog(params url.Values) (dialogRequest, error) {
	q := dialogRequest{redirectURI: params.Get("redirect_uri"), state: params.Get("state")}
	if params.Get("client_id") != s.kit.ClientID() {
		return q, errors.New("invalid App ID: the client_id belongs to no app")
	}
	if err := sim.CheckRedirect(q.redirectURI); err != nil {
		return q, err
	}
	if params.Get("response_type") != "code" {
		return q, errors.New("response_type must be code")
	}
	if q.state == "" {
		return q, errors.New("state is missing")
	}
	q.scopes = strings.FieldsFunc(params.Get("scope"), func(c rune) bool { return c == ',' || c == ' ' })
	if len(q.scopes) == 0 {
		return q, errors.New("scope is missing")
	}
	for _, scope := range q.scopes {
		if !slices.Contains(knownScopes(), scope) {
			return q, fmt.Errorf("invalid scopes: %s", scope)
		}
	}
	return q, nil
}

func (s *Sim) dialogPage(version string, params url.Values, q dialogRequest) sim.Consent {
	dialog := sim.Consent{
		Network: Name, Title: "Facebook", Allow: "Continue as " + s.person.Name,
		Heading: s.kit.AppName() + " wants to manage Pages",
		Lead:    "You are signed in as " + s.person.Name + ". Choose the Pages it can use.",
		Action:  s.kit.Link("https://" + site + "/" + version + "/dialog/oauth"),
	}
	for _, name := range dialogParams {
		if params.Has(name) {
			dialog.Hidden = append(dialog.Hidden, [2]string{name, params.Get(name)})
		}
	}
	pages := sim.Group{
		Title: "Pages", Field: "newPage", FieldLabel: "Or another Page",
		FieldHint: "If there is no Page with this name, it is created.",
	}
	for i, p := range demoPages() {
		note := p.Category
		if !p.hasTask(taskCreate) {
			note += ", where you can only see statistics"
		}
		pages.Choices = append(pages.Choices, sim.Choice{
			Type: "checkbox", Name: "page", Value: p.ID, Label: p.Name, Note: note, Picture: pictureURL(p.ID), Checked: i == 0,
		})
	}
	permissions := sim.Group{Title: "Permissions", Folded: true}
	for _, scope := range q.scopes {
		permissions.Choices = append(permissions.Choices, sim.Choice{
			Type: "checkbox", Name: "grant", Value: scope, Label: scope, Checked: true,
		})
	}
	dialog.Groups = []sim.Group{pages, permissions}
	return dialog
}

func (s *Sim) serveDecision(w http.ResponseWriter, r *http.Request, params url.Values, q dialogRequest) {
	if params.Get("decision") != "allow" {
		to := sim.Redirect(q.redirectURI, [][2]string{
			{"error", "access_denied"},
			{"error_code", "200"},
			{"error_description", "Permissions error"},
			{"error_reason", "user_denied"},
			{"state", q.state},
		}, "#_=_")
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	pages, err := s.chosenPages(params["page"], params.Get("newPage"))
	if err != nil {
		s.showNotice(w, r, http.StatusBadRequest, "That did not work", err.Error())
		return
	}
	code := &grantCode{
		Code: sim.Secret("AQ"), RedirectURI: q.redirectURI, Pages: pages, ExpiresAt: s.kit.Now().Add(codeLife),
		Scopes: []string{scopeProfile},
	}
	for _, scope := range q.scopes {
		switch {
		case scope == scopeProfile:
		case slices.Contains(params["grant"], scope):
			code.Scopes = append(code.Scopes, scope)
		default:
			code.Declined = append(code.Declined, scope)
		}
	}
	s.mu.Lock()
	err = s.kit.Record(Name, recCode, code)
	if err == nil {
		s.codes[code.Code] = code
	}
	s.mu.Unlock()
	if err != nil {
		s.showNotice(w, r, http.StatusInternalServerError, "The sandbox failed", err.Error())
		return
	}
	to := sim.Redirect(q.redirectURI, [][2]string{{"code", code.Code}, {"state", q.state}}, "#_=_")
	http.Redirect(w, r, to, http.StatusFound)
}
