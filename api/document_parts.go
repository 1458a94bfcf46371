package api

import (
	"github.com/danielgtaylor/huma/v2"

	"belfry/internal/app"
	"belfry/internal/core"
)

func documentTags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "identity", Description: "Who calls, and what the API is."},
		{Name: "accounts", Description: "Connected profiles, pages and channels, and what their networks take."},
		{Name: "groups", Description: "Named sets of accounts that a post may be aimed at."},
		{Name: "posts", Description: "One post is one publication to one account at one time."},
		{Name: "media", Description: "Images and videos, which posts name by their ids."},
		{Name: "folders", Description: "Where files are kept. Folders nest."},
		{Name: "keys", Description: "API keys, which only a signed-in owner or admin makes and revokes."},
		{
			Name:        "members",
			Description: "Who has joined the workspace or is invited to it. Only signed-in people see and change them.",
		},
		{Name: "workspace", Description: "The workspace's own name, short name and time zone."},
	}
}

func securitySchemes() map[string]*huma.SecurityScheme {
	return map[string]*huma.SecurityScheme{
		"key": {Type: "http", Scheme: "bearer", Description: "An API key of the workspace, from Settings, API keys."},
		"session": {
			Type: "apiKey", In: "cookie", Name: "belfry",
			Description: "The dashboard's own cookie (`__Host-belfry` where it is served over TLS); taken for same-origin requests only.",
		},
	}
}

// securityFor lists the credentials that have the access.
func securityFor(n app.Access) []map[string][]string {
	session := map[string][]string{"session": {}}
	if n.Session {
		return []map[string][]string{session}
	}
	return []map[string][]string{{"key": {}}, session}
}

// accessSentence says in words what an operation asks of its caller.
func accessSentence(n app.Access) string {
	switch {
	case n.Manages:
		return "Needs a signed-in owner or admin; an API key is answered 403."
	case n.Session:
		return "Needs a signed-in person; an API key is answered 403."
	case n.Scope == core.Write:
		return "Needs the scope `write`."
	}
	return "Needs the scope `read`."
}

// documentHeaders are described once and referred to by every answer.
func documentHeaders() map[string]*huma.Header {
	text := func(words string, required bool) *huma.Header {
		return &huma.Header{Description: words, Required: required, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	least := 0.0
	return map[string]*huma.Header{
		"X-Request-Id":         text("Names this request in the server's log.", true),
		"RateLimit-Policy":     text("The limits and their windows in seconds, as structured fields: `\"address\";q=600;w=600, \"post-create\";q=60;w=3600`.", false),
		"RateLimit":            text("What is left of the limits that this request counted in, and the seconds until there is more: `\"address\";r=588;t=412`.", false),
		"Belfry-Sandbox":       text("`true` where the service runs on its own simulated networks.", false),
		"Idempotency-Replayed": text("`true` when this is the kept answer of an earlier request with the same Idempotency-Key.", false),
		"Retry-After": {
			Description: "Whole seconds after which the same request may pass.",
			Schema:      &huma.Schema{Type: huma.TypeInteger, Minimum: &least},
		},
	}
}

func headersOf(names ...string) map[string]*huma.Header {
	out := map[string]*huma.Header{}
	for _, name := range names {
		out[name] = headerRef(name)
	}
	return out
}

func headerRef(name string) *huma.Header {
	return &huma.Header{Ref: "#/components/headers/" + name}
}
