package api

import (
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"belfry/internal/app"
	"belfry/internal/core"
)

func describeTags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "identity", Description: "The caller and its workspace, and the description of the API."},
		{Name: "accounts", Description: "Connected profiles, Pages and channels, and the limits of their networks."},
		{Name: "groups", Description: "Named sets of accounts to post to."},
		{Name: "posts", Description: "Each post goes to one account."},
		{Name: "media", Description: "Images and videos. Posts refer to them by ID."},
		{Name: "folders", Description: "Folders for files. A folder can contain other folders."},
		{Name: "keys", Description: "API keys. Only signed-in owners and admins can list, create and revoke them."},
		{
			Name:        "members",
			Description: "Members and invitations. These routes do not accept API keys.",
		},
		{Name: "workspace", Description: "The workspace's name, short name and time zone."},
	}
}

func describeSecuritySchemes() map[string]*huma.SecurityScheme {
	return map[string]*huma.SecurityScheme{
		"key": {Type: "http", Scheme: "bearer", Description: "An API key of the workspace. Owners and admins can create keys in the dashboard, under Settings > API keys."},
		"session": {
			Type: "apiKey", In: "cookie", Name: "belfry",
			Description: "The dashboard's cookie (`__Host-belfry` over TLS). Only same-origin requests can use it.",
		},
	}
}

// listAcceptedCredentials returns the kinds of credentials that can have the access, in OpenAPI's form.
func listAcceptedCredentials(access app.Access) []map[string][]string {
	session := map[string][]string{"session": {}}
	if access.Session {
		return []map[string][]string{session}
	}
	return []map[string][]string{{"key": {}}, session}
}

// describeAccess returns sentences about the access that an operation requires.
func describeAccess(access app.Access) string {
	if access.Proved {
		access.Proved = false
		return describeAccess(access) + fmt.Sprintf(" If the person entered their password more than %d minutes ago, the "+
			"response is also 403: sign in again.", int(core.ReauthLifetime.Minutes()))
	}
	switch {
	case access.Manages:
		return "Requires a signed-in owner or admin. With an API key, the response is 403."
	case access.Session:
		return "Requires a signed-in person. With an API key, the response is 403."
	case access.Scope == core.Write:
		return "Requires the `write` scope."
	}
	return "Requires the `read` scope."
}

// describeHeaders returns the descriptions of response headers. The responses refer to these descriptions.
func describeHeaders() map[string]*huma.Header {
	text := func(words string, required bool) *huma.Header {
		return &huma.Header{Description: words, Required: required, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return map[string]*huma.Header{
		"X-Request-Id":         text("Identifies this request in the server's log.", true),
		"RateLimit-Policy":     text("The rate limits: `q` requests in `w` seconds. For example: `\"address\";q=600;w=600, \"post-create\";q=60;w=3600`.", false),
		"RateLimit":            text("For each rate limit that this request counts toward: the number of requests left (`r`), and the number of seconds until more are available (`t`). For example: `\"address\";r=588;t=412`.", false),
		"Belfry-Sandbox":       text("`true` when the networks are simulated.", false),
		"Idempotency-Replayed": text("`true` when this is the stored response to an earlier request with the same Idempotency-Key.", false),
		"Retry-After": {
			Description: "The number of seconds to wait before sending the request again.",
			Schema:      &huma.Schema{Type: huma.TypeInteger, Minimum: new(0.0)},
		},
	}
}

func headerRefs(names ...string) map[string]*huma.Header {
	out := map[string]*huma.Header{}
	for _, name := range names {
		out[name] = headerRef(name)
	}
	return out
}

func headerRef(name string) *huma.Header {
	return &huma.Header{Ref: "#/components/headers/" + name}
}
