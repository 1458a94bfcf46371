package web_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// onlyGroup is the one group of the workspace.
func (s *studio) onlyGroup() contract.Group {
	s.t.Helper()
	list, err := s.App.ListGroups(s.t.Context(), s.ws.Owner)
	must(s.t, err)
	if len(list.Groups) != 1 {
		s.t.Fatalf("%d groups", len(list.Groups))
	}
	return list.Groups[0]
}

func TestWithoutAccountsTheGroupsLeadToConnectingOne(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.WorkspaceOn(core.PlanOwner, "one", "Europe/Berlin")
	page := r.as(ws).get("/groups").is(t, http.StatusOK)
	page.one(t, testid("to-accounts"))
	if len(page.all(testid("new-group"))) != 0 {
		t.Error("a group can be made of nothing")
	}
}

func TestAGroupIsMadeChangedAndDeletedWithoutAScript(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first, second := s.ws.Account("threads"), s.ws.Account("facebook")
	s.b.get("/groups").is(t, http.StatusOK).says(t, "No groups yet")
	page := s.b.get("/groups/new").is(t, http.StatusOK)
	form := page.form(t, testid("group-form"))
	form.Set("name", "Bakery")
	form.Add("account", first.ID)
	form.Set("color", "#0f766e")
	s.b.send(http.MethodPost, "/groups", form.Encode()).leads(t, "/groups")
	page = s.b.get("/groups").is(t, http.StatusOK)
	page.says(t, "Group “Bakery” saved, with 1 account.", "1 account")
	g := s.onlyGroup()
	if g.Color != "#0f766e" || len(g.AccountIDs) != 1 || g.AccountIDs[0] != first.ID {
		t.Errorf("the group is %+v", g)
	}

	page = s.b.get("/groups/"+g.ID).is(t, http.StatusOK)
	form = page.form(t, testid("group-form"))
	if form.Get("name") != "Bakery" || form.Get("color") != "#0f766e" || form.Get("account") != first.ID {
		t.Errorf("the form has %v", form)
	}
	form["account"] = []string{second.ID}
	form.Set("name", "Harbour Bakery")
	s.b.send(http.MethodPost, "/groups/"+g.ID, form.Encode()).leads(t, "/groups")
	if g = s.onlyGroup(); g.Name != "Harbour Bakery" || len(g.AccountIDs) != 1 || g.AccountIDs[0] != second.ID {
		t.Errorf("the group is %+v", g)
	}

	s.b.post("/groups/"+g.ID+"/accounts", "account", first.ID).leads(t, "/groups")
	s.b.post("/groups/"+g.ID+"/accounts", "account", first.ID).leads(t, "/groups")
	if g = s.onlyGroup(); len(g.AccountIDs) != 2 || g.AccountIDs[1] != first.ID {
		t.Errorf("with one more, the group is %+v", g)
	}

	s.b.get("/groups/"+g.ID+"/delete").is(t, http.StatusOK).says(t, "Delete the group “Harbour Bakery”?")
	s.b.post("/groups/"+g.ID+"/delete").leads(t, "/groups")
	s.b.get("/groups").says(t, "Group deleted.", "No groups yet")
}

func TestAGroupLeadsToTheComposer(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.Group("Empty")
	if len(s.b.get("/groups").all(testid("compose-for-group"))) != 0 {
		t.Error("a group without accounts can be written to")
	}
	s.ws.Group("Shops", s.threads, s.page)
	link := s.b.get("/groups").one(t, testid("compose-for-group"))
	if name := attribute(link, "aria-label"); name != "Compose for Shops" {
		t.Errorf("the link is called %q", name)
	}
	page := s.b.get(attribute(link, "href")).is(t, http.StatusOK)
	if n := len(page.all("input[name=account][checked]")); n != 2 {
		t.Errorf("%d accounts are chosen", n)
	}
}

func TestAWrongGroupKeepsWhatWasEntered(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("threads")
	s.ws.Group("Taken", account)
	for input, c := range map[string]struct {
		name, says string
		status     int
	}{
		"an empty name": {"  ", "name", http.StatusBadRequest},
		"a name in use": {"Taken", "name", http.StatusConflict},
		"a long name":   {strings.Repeat("x", 81), "80", http.StatusBadRequest},
	} {
		page := s.b.post("/groups", "name", c.name, "description", "All of ours", "account", account.ID, "color", "#c2417c")
		page.is(t, c.status)
		if text := textOf(page.one(t, testid("group-name-error"))); !strings.Contains(strings.ToLower(text), strings.ToLower(c.says)) {
			t.Errorf("%s: %q", input, text)
		}
		form := page.form(t, testid("group-form"))
		if form.Get("name") != c.name || form.Get("description") != "All of ours" || form.Get("account") != account.ID ||
			form.Get("color") != "#c2417c" {
			t.Errorf("%s: the form has %v", input, form)
		}
	}
}

func TestWhoMayNotChangeGroupsIsOfferedNothing(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	g := s.ws.Group("Everything", s.ws.Account("threads"))
	reader := s.seat(s.ws.Member(core.RoleViewer))
	page := reader.get("/groups").is(t, http.StatusOK)
	page.says(t, "Everything")
	for _, id := range []string{"new-group", "edit-group", "delete-group"} {
		if len(page.all(testid(id))) != 0 {
			t.Errorf("a viewer is offered %s", id)
		}
	}
	reader.get("/groups/"+g.ID).leads(t, "/groups")
	reader.post("/groups", "name", "Mine").is(t, http.StatusForbidden)
	reader.post("/groups/"+g.ID+"/accounts", "account", g.AccountIDs[0]).is(t, http.StatusForbidden)
	other := s.as(s.Workspace("two"))
	other.get("/groups/"+g.ID).is(t, http.StatusNotFound)
	other.post("/groups/"+g.ID+"/accounts", "account", g.AccountIDs[0]).is(t, http.StatusNotFound)
	other.post("/groups/"+g.ID+"/delete").is(t, http.StatusNotFound)
}

func TestAViewerWithoutGroupsIsToldWhoCreatesThem(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.seat(s.ws.Member(core.RoleViewer)).get("/groups").is(t, http.StatusOK)
	page.says(t, "A group is a set of accounts", "No groups yet", "Editors, admins and owners can create groups.")
}

func TestAPlanWithoutGroupsSaysSo(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.WorkspaceOn(core.PlanFree, "one", "UTC"))
	page := b.get("/groups").is(t, http.StatusOK)
	page.says(t, "Your subscription plan does not include groups")
	page.one(t, `a[href="https://example.org/plans"]`)
	b.post("/groups", "name", "Mine").is(t, http.StatusPaymentRequired)
}

// The second sending of "New group" was refused because the name was in use, and of a deletion because no group was found.
func TestAFormOfAGroupThatIsSentTwiceActsOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, form, says string }{
		"create": {"/groups/new", testid("group-form"), "Group “Shops” saved, with 0 accounts."},
		"edit":   {"", testid("group-form"), "Group “Shops” saved, with 0 accounts."},
		"delete": {"/delete", testid("confirm-form"), "Group deleted."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t)
			if c.page != "/groups/new" {
				c.page = "/groups/" + s.ws.Group("Before").ID + c.page
			}
			page, before := s.b.get(c.page).is(t, http.StatusOK), s.auditedChanges()
			for range 2 {
				s.submit(page, c.form, "name", "Shops").leads(t, "/groups")
				s.b.get("/groups").says(t, c.says)
			}
			if n := s.auditedChanges() - before; n != 1 {
				t.Errorf("it acted %d times", n)
			}
		})
	}
}

// Of two tabs with the same group, the last one to save overwrote the other without a word.
func TestAGroupThatChangedInAnotherTabIsNotOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	g := s.ws.Group("Shops", s.threads)
	one, other := s.b.get("/groups/"+g.ID), s.b.get("/groups/"+g.ID)
	s.submit(one, testid("group-form"), "name", "Of the first tab", "account", s.page.ID).leads(t, "/groups")

	refused := s.submit(other, testid("group-form"), "name", "Of the second tab").is(t, http.StatusConflict)
	refused.says(t, "This group was changed after you opened it")
	if got := textOf(refused.one(t, testid("saved-version"))); !strings.Contains(got, "Of the first tab") {
		t.Errorf("the version shown as saved is %q", got)
	}
	form := refused.form(t, testid("group-form"))
	if form.Get("name") != "Of the second tab" || form.Get("account") != s.threads.ID {
		t.Errorf("the form has %v", form)
	}
	if got := s.onlyGroup(); got.Name != "Of the first tab" || got.AccountIDs[0] != s.page.ID {
		t.Errorf("the group is %+v", got)
	}

	s.submit(refused, testid("group-form")).leads(t, "/groups")
	if got := s.onlyGroup(); got.Name != "Of the second tab" || got.AccountIDs[0] != s.threads.ID {
		t.Errorf("after saving again, the group is %+v", got)
	}
}

// The page with the group's name was lost for an error page.
func TestAGroupsFormStaysWhenAnAccountIsGone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	edited := s.ws.Group("Before")
	for _, path := range []string{"/groups/new", "/groups/" + edited.ID} {
		form := s.b.get(path).is(t, http.StatusOK)
		gone := s.ws.Account("threads")
		must(t, s.App.DisconnectAccount(t.Context(), s.ws.Owner, gone.ID))
		shown := s.submit(form, testid("group-form"), "name", "Shops", "account", gone.ID).is(t, http.StatusNotFound)
		shown.says(t, "A selected account is no longer connected")
		if got := attribute(shown.one(t, `input[name="name"]`), "value"); got != "Shops" {
			t.Errorf("%s: the name is %q", path, got)
		}
	}
}
