package api_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestAPostIsPlannedCreatedMovedAndDeleted(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	account, key := ws.Account("threads"), bearerKey(ws.Key(core.Write))
	body := func(rest string) string {
		return `{"targets":{"accountIds":["` + account.ID + `"]},"text":"hello"` + rest + `}`
	}
	const soon = `,"when":{"publishAt":"2026-10-06T10:00","timezone":"Europe/Berlin"}`

	r.do("POST", "/v1/posts/plan", body(soon), key).want(t, http.StatusOK, "")
	created := r.do("POST", "/v1/posts", body(soon+`,"confirm":true`), key)
	created.want(t, http.StatusCreated, "")
	var posts contract.Posts
	created.read(t, &posts)
	if len(posts.Posts) != 1 || posts.Posts[0].Status != "queued" || posts.Posts[0].CreatedVia != "api" {
		t.Fatalf("created %s", created.Body)
	}
	post := "/v1/posts/" + posts.Posts[0].ID
	for _, step := range []struct {
		request, body string
		status        int
		code          core.Code
	}{
		{"GET " + post, "", 200, ""},
		{"GET /v1/posts?status=queued", "", 200, ""},
		{"GET " + post + "/events", "", 200, ""},
		{"PATCH " + post, `{"text":"other"}`, 409, core.CodeConflict},
		{"PATCH " + post, `{"when":{"publishAt":"2026-10-07T10:00"}}`, 200, ""},
		{"POST " + post + "/retry", "", 409, core.CodeConflict},
		{"DELETE " + post, "", 409, core.CodeConflict},
		{"POST " + post + "/cancel", "", 200, ""},
		{"POST " + post + "/cancel", "{}", 409, core.CodeConflict},
		{"PATCH " + post, `{"text":"other","title":null,"tags":["a"],"settings":{"threads":{"topicTag":"bells"}}}`, 200, ""},
		{"PATCH " + post, `{"settings":{"threads":{"topictag":"bells"}}}`, 400, core.CodeInvalidRequest},
		{"PATCH " + post, `{"settings":{"topicTag":"bells"}}`, 400, core.CodeInvalidRequest},
		{"PATCH " + post, `{"status":"queued"}`, 409, core.CodePlanHasIssues},
		{"POST " + post + "/duplicate", "", 200, ""},
		{"DELETE " + post, "", 204, ""},
		{"GET " + post, "", 404, core.CodeNotFound},
		{"GET /v1/whoami", "", 200, ""},
		{"GET /v1/accounts", "", 200, ""},
		{"GET /v1/limits", "", 200, ""},
		{"GET /v1/groups", "", 200, ""},
		{"POST /v1/posts", body(""), 409, core.CodeConfirmRequired},
		{"POST /v1/posts", body(`,"when":{"publishAt":"2020-01-01T10:00"},"confirm":true`), 409, core.CodePlanHasIssues},
		{
			"POST /v1/posts", body(`,"when":{"publishAt":"2026-10-06T10:00","timezone":"Europe/Atlantis"}`), 400,
			core.CodeInvalidRequest,
		},
		{"POST /v1/posts", body(`,"perPlatform":{"threads":{"topictag":"x"}}`), 400, core.CodeInvalidRequest},
	} {
		method, path, _ := strings.Cut(step.request, " ")
		got := r.do(method, path, step.body, key)
		if got.Status != step.status || got.code() != step.code {
			t.Errorf("%s %s: want %d %s, got %d: %s", step.request, step.body, step.status, step.code, got.Status, got.Body)
		}
	}
}

func TestASignedInOwnerManagesKeysAccountsAndGroups(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	account, owner := ws.Account("threads"), r.signedIn(ws.Owner)

	var key contract.Key
	made := r.do("POST", "/v1/keys", `{"name":"mine","scope":"read"}`, owner)
	made.want(t, http.StatusCreated, "")
	made.read(t, &key)
	if got := r.do("GET", "/v1/keys", "", owner); strings.Contains(string(got.Body), key.Key) ||
		!strings.Contains(string(got.Body), key.ID) {
		t.Errorf("the list must show the key's row and never the key: %s", got.Body)
	}
	use := header("Authorization", "Bearer "+key.Key)
	r.do("GET", "/v1/whoami", "", use).want(t, http.StatusOK, "")
	r.do("DELETE", "/v1/keys/"+key.ID, "", owner).want(t, http.StatusNoContent, "")
	r.do("GET", "/v1/whoami", "", use).want(t, http.StatusUnauthorized, core.CodeUnauthenticated)

	var to contract.Authorize
	connect := r.do("POST", "/v1/accounts/connect", `{"platform":"facebook"}`, owner)
	connect.want(t, http.StatusOK, "")
	connect.read(t, &to)
	if !strings.HasPrefix(to.AuthorizeURL, r.NetworksURL) {
		t.Errorf("consent is given at %s", to.AuthorizeURL)
	}
	r.do("POST", "/v1/accounts/connect", `{"platform":"myspace"}`, owner).want(t, http.StatusBadRequest,
		core.CodeInvalidRequest)
	r.do("POST", "/v1/accounts/"+account.ID+"/reconnect", "", owner).want(t, http.StatusOK, "")

	var group contract.Group
	grouped := r.do("POST", "/v1/groups", `{"name":"all","accountIds":["`+account.ID+`"]}`, owner)
	grouped.want(t, http.StatusCreated, "")
	grouped.read(t, &group)
	r.do("GET", "/v1/groups/"+group.ID, "", owner).want(t, http.StatusOK, "")
	r.do("PATCH", "/v1/groups/"+group.ID, `{"color":"#aabbcc"}`, owner).want(t, http.StatusOK, "")
	r.do("DELETE", "/v1/groups/"+group.ID, "", owner).want(t, http.StatusNoContent, "")
	r.do("DELETE", "/v1/accounts/"+account.ID, "", owner).want(t, http.StatusNoContent, "")
	r.do("DELETE", "/v1/accounts/"+account.ID, "", owner).want(t, http.StatusNotFound, core.CodeNotFound)
}
