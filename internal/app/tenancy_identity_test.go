package app_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// Every operation with the other workspace's ids answers what it answers for an id that never existed, of the
// wrong type, or no id at all (Spec §1).
func TestAnotherWorkspacesIdsAreUnknown(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	one, two := h.Workspace("one"), h.Workspace("two")
	theirs := struct{ account, key, group, folder, media, invited string }{
		two.Account("threads").ID, two.Key(core.Read).ID, two.Group("theirs").ID, two.Folder("theirs", "").ID,
		reserve(t, h, two.Owner, 5).MediaID, two.Invite("theirs@example.net", core.RoleViewer).ID,
	}
	mine, folder, file := one.Group("mine"), one.Folder("mine", ""), reserve(t, h, one.Owner, 5).MediaID
	text := "changed"
	verbs := map[string]struct {
		theirs, unknown string
		call            func(id string) error
	}{
		"RevokeKey": {theirs.key, core.NewID[core.KeyKind]().String(), func(id string) error {
			return h.App.RevokeKey(t.Context(), one.Owner, id)
		}},
		"ChangeMemberOrInvitationRole": {theirs.invited, core.NewID[core.UserKind]().String(), func(id string) error {
			return setRole(t, h, one.Owner, id, core.RoleAdmin)
		}},
		"ChangeMemberOrInvitationRole, who has joined": {
			two.Owner.AttributedUser().String(), core.NewID[core.UserKind]().String(),
			func(id string) error {
				return setRole(t, h, one.Owner, id, core.RoleAdmin)
			},
		},
		"RemoveMemberOrInvitation": {theirs.invited, core.NewID[core.UserKind]().String(), func(id string) error {
			return h.App.RemoveMemberOrInvitation(t.Context(), one.Owner, id)
		}},
		"RemoveMemberOrInvitation, who has joined": {
			two.Owner.AttributedUser().String(), core.NewID[core.UserKind]().String(),
			func(id string) error {
				return h.App.RemoveMemberOrInvitation(t.Context(), one.Owner, id)
			},
		},
		"StartReconnect": {theirs.account, core.NewID[core.AccountKind]().String(), func(id string) error {
			_, err := h.App.StartReconnect(t.Context(), one.Owner, id)
			return err
		}},
		"Disconnect": {theirs.account, core.NewID[core.AccountKind]().String(), func(id string) error {
			return h.App.DisconnectAccount(t.Context(), one.Owner, id)
		}},
		"GetGroup": {theirs.group, core.NewID[core.GroupKind]().String(), func(id string) error {
			_, err := h.App.GetGroup(t.Context(), one.Owner, id)
			return err
		}},
		"EditGroup": {theirs.group, core.NewID[core.GroupKind]().String(), func(id string) error {
			_, err := h.App.EditGroup(t.Context(), one.Owner, contract.EditGroup{ID: id, Name: &text})
			return err
		}},
		"EditGroup.accountIds": {theirs.account, core.NewID[core.AccountKind]().String(), func(id string) error {
			_, err := h.App.EditGroup(t.Context(), one.Owner, contract.EditGroup{ID: mine.ID, AccountIDs: &[]string{id}})
			return err
		}},
		"CreateGroup.accountIds": {theirs.account, core.NewID[core.AccountKind]().String(), func(id string) error {
			_, err := h.App.CreateGroup(t.Context(), one.Owner, contract.CreateGroup{Name: "new", AccountIDs: []string{id}})
			return err
		}},
		"DeleteGroup": {theirs.group, core.NewID[core.GroupKind]().String(), func(id string) error {
			return h.App.DeleteGroup(t.Context(), one.Owner, id)
		}},
		"GetFolder": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			_, err := h.App.GetFolder(t.Context(), one.Owner, id)
			return err
		}},
		"EditFolder": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			_, err := h.App.EditFolder(t.Context(), one.Owner, contract.EditFolder{ID: id, Name: &text})
			return err
		}},
		"EditFolder.parentId": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			_, err := h.App.EditFolder(t.Context(), one.Owner, contract.EditFolder{ID: folder.ID, ParentID: contract.Some(id)})
			return err
		}},
		"CreateFolder.parentId": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			_, err := h.App.CreateFolder(t.Context(), one.Owner, contract.CreateFolder{Name: "new", ParentID: contract.Some(id)})
			return err
		}},
		"DeleteEmptyFolder": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			return h.App.DeleteEmptyFolder(t.Context(), one.Owner, id)
		}},
		"GetMedia": {theirs.media, core.NewID[core.MediaKind]().String(), func(id string) error {
			_, err := h.App.GetMedia(t.Context(), one.Owner, id)
			return err
		}},
		"EditMedia": {theirs.media, core.NewID[core.MediaKind]().String(), func(id string) error {
			_, err := h.App.EditMedia(t.Context(), one.Owner, contract.EditMedia{ID: id, Title: contract.Some(text)})
			return err
		}},
		"EditMedia.folderId": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			_, err := h.App.EditMedia(t.Context(), one.Owner, contract.EditMedia{ID: file, FolderID: contract.Some(id)})
			return err
		}},
		"DeleteMedia": {theirs.media, core.NewID[core.MediaKind]().String(), func(id string) error {
			return h.App.DeleteMedia(t.Context(), one.Owner, id)
		}},
		"ReserveUpload.folderId": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			in := upload(5)
			in.FolderID = &id
			_, err := h.App.ReserveUpload(t.Context(), one.Owner, in)
			return err
		}},
		"MediaFromURL.folderId": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			_, err := h.App.AddMediaForDownload(t.Context(), one.Owner, contract.MediaFromURL{URL: "https://example.com/a.jpg", FolderID: &id})
			return err
		}},
		"ListMedia.folderId": {theirs.folder, core.NewID[core.FolderKind]().String(), func(id string) error {
			if id == "" {
				return core.NotFoundAt("query.folderId") // as good as absent
			}
			_, err := h.App.ListMedia(t.Context(), one.Owner, contract.ListMedia{FolderID: id})
			return err
		}},
	}
	for name, v := range verbs {
		expected := body(t, v.call(v.unknown))
		for _, id := range []string{v.theirs, "", "x", one.ID.String(), v.theirs + "0", "acc_00000000000000000000000000"} {
			if got := body(t, v.call(id)); got != expected {
				t.Errorf("%s(%q) answers %s; an unknown id %s", name, id, got, expected)
			}
		}
	}
	// Nothing of theirs has changed.
	if list, err := h.App.ListAccounts(t.Context(), two.Owner); err != nil || len(list.Accounts) != 1 ||
		list.Accounts[0].Status != "ok" {
		t.Errorf("their accounts are %+v, %v", list, err)
	}
	if keys, err := h.App.ListKeys(t.Context(), two.Owner); err != nil || len(keys.Keys) != 1 {
		t.Errorf("their keys are %+v, %v", keys, err)
	}
	if m := membersOf(t, h, two.Owner)[theirs.invited]; m.Role != "viewer" {
		t.Errorf("who they invited is %+v", m)
	}
	if groups, err := h.App.ListGroups(t.Context(), two.Owner); err != nil || len(groups.Groups) != 1 ||
		groups.Groups[0].Name != "theirs" {
		t.Errorf("their groups are %+v, %v", groups, err)
	}
	for _, list := range []func() (any, error){
		func() (any, error) { return h.App.ListAccounts(t.Context(), one.Owner) },
		func() (any, error) { return h.App.ListKeys(t.Context(), one.Owner) },
		func() (any, error) { return h.App.ListAccountCards(t.Context(), one.Owner, app.AccountFilter{}) },
		func() (any, error) { return h.App.ListFolders(t.Context(), one.Owner) },
		func() (any, error) { return h.App.ListMembersAndInvitations(t.Context(), one.Owner) },
		func() (any, error) { return h.App.ListMedia(t.Context(), one.Owner, contract.ListMedia{}) },
	} {
		got, err := list()
		must(t, err)
		text, err := json.Marshal(got)
		must(t, err)
		for _, id := range []string{theirs.account, theirs.key, theirs.folder, theirs.media, theirs.invited} {
			if bytes.Contains(text, []byte(id)) {
				t.Errorf("a list shows %s: %s", id, text)
			}
		}
	}
	// A renewal asked for in the wrong workspace finds nothing.
	account, err := core.ParseID[core.AccountKind](theirs.account)
	must(t, err)
	must(t, h.App.RefreshDueTokenAndSaveResult(t.Context(), one.ID, account))
}

func body(t *testing.T, err error) string {
	t.Helper()
	want(t, core.CodeNotFound, err)
	text, encodeErr := json.Marshal(contract.ErrorOf(err, "https://example.org/upgrade"))
	must(t, encodeErr)
	return string(text)
}

func TestZeroCallerIsUnauthenticated(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	nobody := core.Caller{}
	for _, op := range app.Operations() {
		decode := func(any) error { t.Errorf("%s decodes a request of nobody", op.Name); return nil }
		if _, err := h.App.RunOperation(t.Context(), &op, app.Request{Caller: nobody, Decode: decode}); core.CodeOf(err) != core.CodeUnauthenticated {
			t.Errorf("%s returns %v", op.Name, err)
		}
	}
	// What the dashboard alone does.
	for name, call := range map[string]func() error{
		"AccountCards": func() error { _, err := h.App.ListAccountCards(t.Context(), nobody, app.AccountFilter{}); return err },
		"Finish": func() error {
			_, err := h.App.FinishConnectOrReconnect(t.Context(), nobody, "threads", nil)
			return err
		},
		"Choose": func() error { _, err := h.App.ConnectChosenProfiles(t.Context(), nobody, "", nil); return err },
	} {
		if err := call(); core.CodeOf(err) != core.CodeUnauthenticated {
			t.Errorf("%s returns %v", name, err)
		}
	}
}
