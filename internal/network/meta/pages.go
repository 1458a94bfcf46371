package meta

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"belfry/internal/network"
)

// ScopeListPages is the permission to list a person's Pages.
const ScopeListPages = "pages_show_list"

// PageLogin is the login for people who manage Pages. Several networks share it.
type PageLogin struct {
	API    API // with the version
	ID     string
	Secret network.Secret
}

// Login is the result of a person's login.
type Login struct {
	PersonToken network.Secret // long-lived
	Granted     []string       // the permissions that the person left selected
	Grant       string
}

// ExchangeCode exchanges the code for a long-lived token of the person. It returns the token with the person's grant
// and the permissions that they granted.
func (l PageLogin) ExchangeCode(ctx context.Context, g network.AuthResponse) (Login, error) {
	app := url.Values{"client_id": {l.ID}, "client_secret": {l.Secret.Reveal()}}
	code := url.Values{"redirect_uri": {g.RedirectURI}, "code": {TrimAuthCodeSuffix(g.Code)}}
	var short, long struct {
		Access string `json:"access_token"`
	}
	if err := l.API.Post(ctx, "/oauth/access_token", "", mergeValues(app, code), &short); err != nil {
		return Login{}, err
	}
	exchange := url.Values{"grant_type": {"fb_exchange_token"}, "fb_exchange_token": {short.Access}}
	if err := l.API.Get(ctx, "/oauth/access_token", "", mergeValues(app, exchange), &long); err != nil {
		return Login{}, err
	}
	if long.Access == "" {
		return Login{}, &network.Error{Kind: network.Unknown, Message: "The login did not return a token."}
	}
	login := Login{PersonToken: network.Secret(long.Access)}
	var me struct {
		ID ID `json:"id"`
	}
	if err := l.API.Get(ctx, "/me", login.PersonToken, url.Values{"fields": {"id"}}, &me); err != nil {
		return Login{}, err
	}
	login.Grant = l.GrantID(string(me.ID))
	granted, err := l.fetchGrantedScopes(ctx, login.PersonToken)
	login.Granted = granted
	return login, err
}

// pageIssuer is the issuer of this login in the ids of grants. Networks that share the app share the grants.
const pageIssuer = "pages"

// GrantID returns the id of the person's grant to the app.
func (l PageLogin) GrantID(person string) string {
	return network.FormatGrantID(pageIssuer, l.ID, person)
}

// RevokeGrant removes the app from the person's account, which revokes the tokens of the person and of all their
// Pages. It uses the app's token, because the person's token may have expired.
func (l PageLogin) RevokeGrant(ctx context.Context, t network.Token) error {
	person := network.PersonInGrantID(t.Grant, pageIssuer, l.ID)
	if person == "" {
		return &network.Error{Kind: network.Rejected, Message: "Access was granted to another app."}
	}
	return l.API.Delete(ctx, "/"+person+"/permissions", l.appToken())
}

// appToken returns the token of the app itself.
func (l PageLogin) appToken() network.Secret { return network.Secret(l.ID + "|" + l.Secret.Reveal()) }

func mergeValues(sets ...url.Values) url.Values {
	all := url.Values{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

func (l PageLogin) fetchGrantedScopes(ctx context.Context, personToken network.Secret) ([]string, error) {
	type permission struct {
		Name   string `json:"permission"`
		Status string `json:"status"`
	}
	list, err := ListAll[permission](ctx, l.API, "/me/permissions", personToken, nil)
	if err != nil {
		return nil, err
	}
	var given []string
	for _, p := range list {
		if p.Status == "granted" {
			given = append(given, p.Name)
		}
	}
	return given, nil
}

// DistinguishExpiredFromRevoked distinguishes an expired token from a revoked one when the response does not.
func (l PageLogin) DistinguishExpiredFromRevoked(ctx context.Context, err error, t network.Token) error {
	return l.API.DistinguishExpiredFromRevoked(ctx, err, t, func(context.Context) (network.Secret, error) {
		return l.appToken(), nil
	})
}

// PageFields are the fields of Page to request.
const PageFields = "id,name,username,access_token,tasks,picture.type(large)"

// Page is a Page of a person, with the Page's own token.
type Page struct {
	ID       ID       `json:"id"`
	Name     string   `json:"name"`
	Username string   `json:"username"`
	Access   string   `json:"access_token"`
	Tasks    []string `json:"tasks"`
	Picture  struct {
		Data struct {
			URL string `json:"url"`
		} `json:"data"`
	} `json:"picture"`
}

// ListPages returns the given fields of the Pages that the person selected. An empty list is an error that says why.
func ListPages[T any](
	ctx context.Context, l PageLogin, personToken network.Secret, grantedScopes []string, fields string,
) (atLeastOne []T, _ error) {
	if !slices.Contains(grantedScopes, ScopeListPages) {
		return nil, newNoPageError("The permission to list Pages was not granted.", hintSelectPage)
	}
	list, err := ListAll[T](ctx, l.API, "/me/accounts", personToken, url.Values{"fields": {fields}, "limit": {"100"}})
	if err == nil && len(list) == 0 {
		err = newNoPageError("You did not select a Page, or you do not have one.", "If you have no Page, create one first. "+hintSelectPage)
	}
	return list, err
}

const hintSelectPage = "Connect again, select the Page, and leave every permission selected."

func newNoPageError(message, hint string) error {
	return &network.Error{Kind: network.Rejected, Message: message, Hint: hint}
}

// publishingTasks are the tasks that let a person publish to a Page. One of them is enough.
var publishingTasks = []string{"CREATE_CONTENT", "MANAGE"}

// WhyUnusable returns a sentence that says why Belfry cannot publish to a Page with the granted permissions; "" if it
// can.
func (p Page) WhyUnusable(grantedScopes, neededScopes []string) (reasonOrEmpty string) {
	may := func(task string) bool { return slices.Contains(publishingTasks, task) }
	switch missing := MissingScopeMessage(grantedScopes, neededScopes); {
	case missing != "":
		return missing
	case !slices.ContainsFunc(p.Tasks, may):
		return "You cannot create content on this Page. Ask someone who manages the Page to let you create content. " +
			"Then connect again."
	case p.Access == "":
		return "The login did not return a token for this Page. Connect again."
	}
	return ""
}
