package metasim

import (
	"net/http"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

// Hosts that networks with Facebook Login share.
const (
	PageSite   = "www.facebook.com"
	PageGraph  = "graph.facebook.com"
	PageUpload = "rupload.facebook.com"
)

const (
	loginName  = "facebook"
	loginTitle = "Facebook"
	// versionHeader is the header with the version that served a call.
	versionHeader = "Facebook-Api-Version"
	scopeProfile  = "public_profile"
)

// endings are the messages about a token that no longer works, by subcode.
var endings = map[int]string{
	subRemoved: "The user has not authorized application.",
	459:        "You cannot access the app till you log in to www.facebook.com and follow the instructions given.",
	460: "The session has been invalidated because the user changed their password or Facebook has changed the " +
		"session for security reasons.",
	464: "Sessions for the user are not allowed because the user is not a confirmed user.",
	467: "The session is invalid because the user logged out.",
	492: "The user does not have sufficient role on the Page of this token.",
}

// linkedAccount is the field of a Page with the account that is linked to it.
const linkedAccount = "instagram_business_account"

// PageWords returns the properties of errors from graph.facebook.com.
func PageWords(throttled int, usage string) Words {
	return Words{
		Type: TypeOAuth, TokenType: TypeOAuth, ParamPrefix: "(#100) ", TokenStatus: http.StatusBadRequest, MissingToken: 104,
		Scope: "(#10) This endpoint requires the '%s' permission", Throttled: throttled, Usage: usage,
	}
}

// OptProof is the option that requires appsecret_proof.
const OptProof = "facebook.require_appsecret_proof"

// newConfig returns the configuration of the login's authorization server.
func (l *PageLogin) newConfig() sim.OAuthConfig {
	return sim.OAuthConfig{
		Network: loginName, Title: loginTitle, Given: []string{scopeProfile}, Params: []string{"auth_type"},
		Scopes: []string{
			scopeProfile, "email", "pages_show_list", "pages_read_engagement", "pages_manage_posts", "read_insights",
			"pages_read_user_content", "business_management", "pages_manage_engagement", "pages_manage_metadata",
			"instagram_basic", "instagram_content_publish", "instagram_manage_insights", "ads_management", "ads_read",
		},
		CodeLife: time.Hour, CodePrefix: "AQ", Prefixes: Prefixes("EAA"), Fragment: "#_=_",
		Allow: "Continue as " + personName, Heading: "wants to manage Pages",
		Lead:       "You are signed in as " + personName + ", a simulated person. Choose the Pages that this app can use.",
		UnknownApp: "invalid App ID: the client_id belongs to no app", BadScope: "invalid scopes",
		Denied: [][2]string{
			{"error", "access_denied"},
			{"error_code", "200"},
			{"error_description", "Permissions error"},
			{"error_reason", "user_denied"},
		},
		Form: []string{"page", "newPage"}, Accounts: l.offerPages, Choose: l.chooseOrCreatePages,
		NameOf:  func(string) string { return personName },
		Removed: func(person string, erase bool) { ReportRemoval(l.kit, loginName, person, erase) }, Erases: true,
		Check: func(r *http.Request) error {
			version, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
			return CheckVersion(version)
		},
	}
}
