package app_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestAGroupIsMadeEditedAndDeleted(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a, b := ws.Account("threads"), ws.Account("facebook")
	key := ws.Key(core.Write)
	made, err := h.App.CreateGroup(t.Context(), key.Caller, contract.CreateGroup{
		Name: "Everywhere", Description: "all of it", Color: new("#Ff8800"), AccountIDs: []string{b.ID, a.ID, b.ID},
	})
	must(t, err)
	if !slices.Equal(made.AccountIDs, []string{b.ID, a.ID}) || made.Color != "#Ff8800" || made.Description != "all of it" {
		t.Errorf("it is %+v", made)
	}
	got, err := h.App.GetGroup(t.Context(), ws.Key(core.Read).Caller, made.ID)
	if err != nil || !slices.Equal(got.AccountIDs, made.AccountIDs) || got.Name != "Everywhere" ||
		!got.CreatedAt.Equal(h.Clock.Now()) {
		t.Errorf("it reads as %+v, %v", got, err)
	}
	name, none := "Somewhere", []string{}
	edited, err := h.App.EditGroup(t.Context(), key.Caller, contract.EditGroup{ID: made.ID, Name: &name})
	if err != nil || edited.Name != name || len(edited.AccountIDs) != 2 || edited.Description != "all of it" {
		t.Errorf("with another name: %+v, %v", edited, err)
	}
	one := []string{a.ID}
	edited, err = h.App.EditGroup(t.Context(), key.Caller, contract.EditGroup{ID: made.ID, AccountIDs: &one})
	if err != nil || !slices.Equal(edited.AccountIDs, one) || edited.Name != name {
		t.Errorf("membership is replaced, not merged: %+v, %v", edited, err)
	}
	edited, err = h.App.EditGroup(t.Context(), key.Caller, contract.EditGroup{ID: made.ID, AccountIDs: &none})
	if err != nil || edited.AccountIDs == nil || len(edited.AccountIDs) != 0 {
		t.Errorf("emptied: %+v, %v", edited, err)
	}
	must(t, h.App.DeleteGroup(t.Context(), key.Caller, made.ID))
	_, err = h.App.GetGroup(t.Context(), key.Caller, made.ID)
	want(t, core.CodeNotFound, err)
	if list, err := h.App.ListAccounts(t.Context(), key.Caller); err != nil || len(list.Accounts) != 2 {
		t.Errorf("its accounts went with it: %+v, %v", list, err)
	}
	want(t, core.CodeNotFound, h.App.DeleteGroup(t.Context(), key.Caller, made.ID))
}

func TestGroupsAreListedByName(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	if list, err := h.App.ListGroups(t.Context(), ws.Owner); err != nil || list.Groups == nil || len(list.Groups) != 0 {
		t.Errorf("none: %+v, %v", list, err)
	}
	for _, name := range []string{"b", "C", "a"} {
		ws.Group(name)
	}
	list, err := h.App.ListGroups(t.Context(), ws.Key(core.Read).Caller)
	must(t, err)
	var names []string
	for _, g := range list.Groups {
		names = append(names, g.Name)
	}
	if strings.Join(names, "") != "abC" || list.NextCursor != nil {
		t.Errorf("the order is %v", names)
	}
}

func TestABadGroupIsRefused(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	ws.Group("taken")
	mine := ws.Group("mine")
	for name, in := range map[string]contract.CreateGroup{
		"name":        {Name: " "},
		"color":       {Name: "x", Color: new("red")},
		"description": {Name: "x", Description: strings.Repeat("x", 1001)},
	} {
		_, err := h.App.CreateGroup(t.Context(), ws.Owner, in)
		if e := want(t, core.CodeInvalidRequest, err); e.Path != name {
			t.Errorf("%s: %s (%s)", name, e.Message, e.Hint)
		}
	}
	_, err := h.App.CreateGroup(t.Context(), ws.Owner, contract.CreateGroup{Name: "taken"})
	want(t, core.CodeConflict, err)
	taken, color, missing := "taken", "#12345", []string{core.NewID[core.AccountKind]().String()}
	_, err = h.App.EditGroup(t.Context(), ws.Owner, contract.EditGroup{ID: mine.ID, Name: &taken})
	want(t, core.CodeConflict, err)
	_, err = h.App.EditGroup(t.Context(), ws.Owner, contract.EditGroup{ID: mine.ID, Color: &color})
	want(t, core.CodeInvalidRequest, err)
	_, err = h.App.EditGroup(t.Context(), ws.Owner, contract.EditGroup{ID: mine.ID, AccountIDs: &missing})
	want(t, core.CodeNotFound, err)
	if got, err := h.App.GetGroup(t.Context(), ws.Owner, mine.ID); err != nil || got.Name != "mine" ||
		got.Color != "#8a8f98" {
		t.Errorf("a refused edit left %+v, %v", got, err)
	}
}

func TestGroupsNeedAPlanThatHasThemAndTheRightToWrite(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanFree, "one", "UTC")
	_, err := h.App.CreateGroup(t.Context(), ws.Owner, contract.CreateGroup{Name: "x"})
	if e := want(t, core.CodeQuotaExceeded, err); *e.Quota != (core.QuotaFacts{}) {
		t.Errorf("the figures are %+v", e.Quota)
	}
	_, err = h.App.CreateGroup(t.Context(), ws.Owner, contract.CreateGroup{}) // the body comes before the plan
	want(t, core.CodeInvalidRequest, err)
	ws.Use(core.PlanCreator)
	mine := ws.Group("mine")
	viewer := ws.Member(core.RoleViewer)
	_, err = h.App.CreateGroup(t.Context(), viewer, contract.CreateGroup{Name: "x"})
	want(t, core.CodeInsufficientScope, err)
	_, err = h.App.EditGroup(t.Context(), viewer, contract.EditGroup{ID: mine.ID})
	want(t, core.CodeInsufficientScope, err)
	want(t, core.CodeInsufficientScope, h.App.DeleteGroup(t.Context(), viewer, mine.ID))
	if list, err := h.App.ListGroups(t.Context(), viewer); err != nil || len(list.Groups) != 1 {
		t.Errorf("a viewer sees %+v, %v", list, err)
	}
}

// decisions.md, Shape of the API: the body is judged before the ids.
func TestABadBodyComesBeforeAnUnknownGroupOrFolder(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	name, color := " ", "red"
	for _, in := range []contract.EditGroup{{Name: &name}, {Color: &color}} {
		in.ID = core.NewID[core.GroupKind]().String()
		_, err := h.App.EditGroup(t.Context(), ws.Owner, in)
		want(t, core.CodeInvalidRequest, err)
	}
	_, err := h.App.EditFolder(t.Context(), ws.Owner, contract.EditFolder{ID: core.NewID[core.FolderKind]().String(), Name: &name})
	want(t, core.CodeInvalidRequest, err)
}

// The API's description said of a color that it has small letters only, which an answer need not have.
func TestAColorIsAnsweredAsDescribed(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	g, err := h.App.CreateGroup(t.Context(), h.Workspace("one").Owner, contract.CreateGroup{Name: "loud", Color: new("#FF00aa")})
	must(t, err)
	field, _ := reflect.TypeFor[contract.Group]().FieldByName("Color")
	if pattern := field.Tag.Get("pattern"); !regexp.MustCompile(pattern).MatchString(g.Color) {
		t.Errorf("%s does not match %s", g.Color, pattern)
	}
}
