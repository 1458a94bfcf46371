package web_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/core"
)

func TestMakingAndRevokingAKey(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	b.get("/settings").leads(t, "/settings/workspace")
	page := b.get("/settings/keys").is(t, http.StatusOK)
	page.says(t, "http://localhost:8080/v1", "In belfry commands, refer to this workspace as one.")
	form := []string{"form", page.value(t, "form"), "name", "Newsletter", "scope", "write"}
	page = b.post("/settings/keys", form...).is(t, http.StatusCreated)
	key := textOf(page.one(t, testid("new-key")))
	if got := textOf(page.one(t, testid("new-key-curl"))); got !=
		"curl -H 'Authorization: Bearer "+key+"' http://localhost:8080/v1/whoami" {
		t.Errorf("the command to try it is %s", got)
	}
	page.one(t, testid("api-docs")+`[target="_blank"]`) // Back does not return to a page with a key
	caller, err := r.Caller(key)
	must(t, err)
	must(t, caller.RequireScope(core.Write))

	b.post("/settings/keys", form...).leads(t, "/settings/keys") // the answer loaded anew
	page = b.get("/settings/keys")
	page.says(t, "shown only once")
	row := page.one(t, testid("key"))
	if strings.Contains(page.body, key) {
		t.Error("the key is shown twice")
	}
	path := "/settings/keys/" + attribute(row, "data-key-id") + "/revoke"
	b.part(http.MethodGet, path).is(t, http.StatusOK).says(t, "Revoke the key “Newsletter”?")
	b.post(path).leads(t, "/settings/keys")
	if _, err := r.Caller(key); core.CodeOf(err) != core.CodeUnauthenticated {
		t.Errorf("a revoked key: %v", err)
	}
	b.get(path).is(t, http.StatusNotFound)
	b.post(path).is(t, http.StatusNotFound)
}

func TestANewKeyShowsHowToCreateADraft(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	create := func(scope string) *page {
		return b.post("/settings/keys", "name", "Newsletter", "scope", scope).is(t, http.StatusCreated)
	}
	shown := func(p *page) int { return len(p.all(testid("new-key-draft"))) }
	none := create("write")
	none.one(t, testid("to-account-ids")+`[target="_blank"]`)
	ws.Account("instagram") // which needs a file
	if shown(none) != 0 || shown(create("write")) != 0 {
		t.Error("a draft is offered that no account accepts")
	}
	account := ws.Account("threads")
	page := create("write")
	page.says(t, "To create a draft for "+account.DisplayName+" on Threads")
	if command := textOf(page.one(t, testid("new-key-draft"))); !strings.HasSuffix(command, `-d '{"targets":{"accountIds":["`+
		account.ID+`"]},"text":"A draft from the API","when":"draft","confirm":true}' http://localhost:8080/v1/posts`) {
		t.Errorf("the command is %s", command)
	}
	if shown(create("read")) != 0 {
		t.Error("a key that may only read is shown with a command that writes")
	}
	accounts := b.get("/accounts")
	if ids := accounts.all(testid("account-id")); len(ids) != 2 || !strings.Contains(accounts.text(), account.ID) {
		t.Errorf("%d accounts show their ids", len(ids))
	}
}

// An error in planning the sample replaced the page with the key, which no other page shows.
func TestANewKeyIsShownEvenIfNoSampleCanBePlanned(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	_, err := s.Pool.Exec(t.Context(), "ALTER TABLE account_facts RENAME TO broken")
	must(t, err)
	page := s.b.post("/settings/keys", "name", "Newsletter", "scope", "write").is(t, http.StatusCreated)
	page.one(t, testid("new-key"))
	page.one(t, testid("account-ids"))
}

func TestARefusedKeyKeepsItsForm(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	for input, form := range map[string][]string{
		"key-name": {"name", strings.Repeat("x", 81), "scope", "read"}, "key-scope": {"name", "Newsletter", "scope", "all"},
	} {
		page := b.post("/settings/keys", form...).is(t, http.StatusBadRequest)
		page.one(t, testid(input+"-error"))
		if page.value(t, "name") != form[1] || len(page.all(testid("key"))) != 0 {
			t.Errorf("%s: the form lost its values, or made a key", input)
		}
	}
}

func TestAPlanWithoutTheAPISaysSo(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.WorkspaceOn(core.PlanFree, "one", "UTC"))
	b.get("/settings/keys").is(t, http.StatusOK).says(t, "Your subscription plan does not include the API")
}

// Of a form that was sent several times at once, each sending created a key, of which the person saw only the last.
func TestAFormThatCreatesAKeyAndIsSentSeveralTimesAtOnceCreatesOne(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.get("/settings/keys")
	shown := s.sendAtOnce(http.StatusCreated, page, testid("key-form"), "name", "Mine", "scope", "read")
	if created := len(s.b.get("/settings/keys").all("[data-key-id]")); shown != 1 || created != 1 {
		t.Errorf("%d pages show one of %d keys", shown, created)
	}
}
