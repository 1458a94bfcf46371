package facebook

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

const (
	scopeList    = "pages_show_list"
	scopePublish = "pages_manage_posts"
	scopeRead    = "pages_read_engagement"
)

// scopes are everything the service asks for. Without business_management Pages of a business portfolio
// are not listed; insights are for later figures.
var scopes = []string{
	scopeList, scopeRead, scopePublish, "pages_read_user_content", "read_insights", "business_management",
}

// needed are the scopes without which no Page can be published to, or searched for a post.
var needed = []string{scopeList, scopeRead, scopePublish}

// publishingTasks let a person publish to a Page; one of them is enough.
var publishingTasks = []string{"CREATE_CONTENT", "MANAGE"}

// AuthorizeURL is the login dialog's address, as a browser reaches it.
func (n *Network) AuthorizeURL(r network.AuthRequest) string {
	q := url.Values{
		"client_id": {n.id}, "redirect_uri": {r.RedirectURI}, "scope": {strings.Join(scopes, ",")},
		"response_type": {"code"}, "state": {r.State},
	}
	return n.client.Browse(site + "/" + n.version + "/dialog/oauth?" + q.Encode())
}

type tokenAnswer struct {
	Access string `json:"access_token"`
}

// Exchange turns the code into the Pages that the person ticked, each with a token of its own. Those come
// from a long-lived token of the person, so they have no date; the person's own is not kept.
func (n *Network) Exchange(ctx context.Context, g network.Grant) ([]network.Profile, error) {
	app := url.Values{"client_id": {n.id}, "client_secret": {n.secret.Reveal()}}
	code := url.Values{"redirect_uri": {g.RedirectURI}, "code": {meta.TrimCode(g.Code)}}
	var short, long tokenAnswer
	if err := n.login.Post(ctx, "/oauth/access_token", "", mergeValues(app, code), &short); err != nil {
		return nil, err
	}
	exchange := url.Values{"grant_type": {"fb_exchange_token"}, "fb_exchange_token": {short.Access}}
	if err := n.login.Get(ctx, "/oauth/access_token", "", mergeValues(app, exchange), &long); err != nil {
		return nil, err
	}
	if long.Access == "" {
		return nil, &network.Error{Kind: network.Unknown, Message: "Facebook did not return a token."}
	}
	person := network.Secret(long.Access)
	given, err := n.grantedScopes(ctx, person)
	if err != nil {
		return nil, err
	}
	return n.listPages(ctx, person, given)
}

func mergeValues(sets ...url.Values) url.Values {
	all := url.Values{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// grantedScopes are the permissions that the person left ticked.
func (n *Network) grantedScopes(ctx context.Context, person network.Secret) ([]string, error) {
	type permission struct {
		Name   string `json:"permission"`
		Status string `json:"status"`
	}
	list, err := meta.List[permission](ctx, n.graph, "/me/permissions", person, nil)
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

type page struct {
	ID       meta.ID  `json:"id"`
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

func (n *Network) listPages(ctx context.Context, person network.Secret, given []string) ([]network.Profile, error) {
	if !slices.Contains(given, scopeList) {
		return nil, errNoPage("The permission to list Pages was not granted.")
	}
	list, err := meta.List[page](ctx, n.graph, "/me/accounts", person, url.Values{
		"fields": {"id,name,username,access_token,tasks,picture.type(large)"}, "limit": {"100"},
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errNoPage("No Page was selected, or you have no Page.")
	}
	profiles := make([]network.Profile, 0, len(list))
	for _, p := range list {
		profiles = append(profiles, network.Profile{
			ExternalID: string(p.ID), Username: p.Username, DisplayName: p.Name, AvatarURL: p.Picture.Data.URL,
			Token:    network.Token{Access: network.Secret(p.Access), IssuedAt: n.now(), Scopes: given},
			Unusable: p.whyUnusable(given),
		})
	}
	return profiles, nil
}

func errNoPage(message string) error {
	return &network.Error{
		Kind: network.Rejected, Message: message, Hint: "Connect again, select the Page and leave every permission selected.",
	}
}

// whyUnusable says why a Page cannot be published to; empty when it can.
func (p page) whyUnusable(given []string) string {
	may := func(task string) bool { return slices.Contains(publishingTasks, task) }
	switch missing := meta.MissingScope(given, needed); {
	case missing != "":
		return missing
	case !slices.ContainsFunc(p.Tasks, may):
		return "You cannot create content on this Page. Ask someone who manages it for this permission."
	case p.Access == "":
		return "Facebook did not return a token for this Page."
	}
	return ""
}

// Verify asks for the Page, which its own token may.
func (n *Network) Verify(ctx context.Context, t network.Token) error {
	var me struct {
		ID meta.ID `json:"id"`
	}
	return n.classifyAuthError(ctx, n.graph.Get(ctx, "/me", t.Access, url.Values{"fields": {"id"}}, &me), t)
}

// classifyAuthError tells an expired token from a revoked one where the answer does not.
func (n *Network) classifyAuthError(ctx context.Context, err error, t network.Token) error {
	return n.graph.ClassifyAuthError(ctx, err, t, func(context.Context) (network.Secret, error) {
		return network.Secret(n.id + "|" + n.secret.Reveal()), nil
	})
}
