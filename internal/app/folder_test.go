package app_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestAFolderIsMadeMovedRenamedAndDeleted(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	key := ws.Key(core.Write)
	top, err := h.App.CreateFolder(t.Context(), key.Caller, contract.CreateFolder{Name: "Top"})
	if err != nil || top.ParentID != nil || top.Name != "Top" || !top.CreatedAt.Equal(h.Clock.Now()) ||
		!top.UpdatedAt.Equal(h.Clock.Now()) {
		t.Fatalf("it is %+v, %v", top, err)
	}
	inner := ws.Folder("Inner", top.ID)
	if inner.ParentID == nil || *inner.ParentID != top.ID {
		t.Errorf("the inner one is %+v", inner)
	}
	want(t, core.CodeConflict, h.App.DeleteEmptyFolder(t.Context(), key.Caller, top.ID))
	h.Clock.Advance(time.Minute)
	name := "Outer"
	moved, err := h.App.EditFolder(t.Context(), key.Caller, contract.EditFolder{ID: inner.ID, Name: &name, ParentID: contract.Opt[string]{Set: true, Null: true}})
	if err != nil || moved.ParentID != nil || moved.Name != name || !moved.UpdatedAt.Equal(h.Clock.Now()) ||
		moved.CreatedAt.Equal(h.Clock.Now()) {
		t.Errorf("moved to the root: %+v, %v", moved, err)
	}
	list, err := h.App.ListFolders(t.Context(), ws.Key(core.Read).Caller)
	if err != nil || len(list.Folders) != 2 || list.Folders[0].ID != inner.ID || list.NextCursor != nil {
		t.Errorf("the list is %+v, %v", list, err)
	}
	same, err := h.App.EditFolder(t.Context(), key.Caller, contract.EditFolder{ID: inner.ID})
	if err != nil || same.Name != name || same.ParentID != nil {
		t.Errorf("an edit that says nothing: %+v, %v", same, err)
	}
	must(t, h.App.DeleteEmptyFolder(t.Context(), key.Caller, top.ID))
	_, err = h.App.GetFolder(t.Context(), key.Caller, top.ID)
	want(t, core.CodeNotFound, err)
	want(t, core.CodeNotFound, h.App.DeleteEmptyFolder(t.Context(), key.Caller, top.ID))
}

func TestSiblingsHaveDifferentNamesWhateverTheirCase(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	top := ws.Folder("Ä Straße", "")
	inner := ws.Folder("ä strasse", top.ID) // elsewhere
	for _, name := range []string{"Ä Straße", "ä STRASSE", "A\u0308 strasse"} {
		_, err := h.App.CreateFolder(t.Context(), ws.Owner, contract.CreateFolder{Name: name})
		want(t, core.CodeConflict, err)
	}
	_, err := h.App.EditFolder(t.Context(), ws.Owner, contract.EditFolder{ID: inner.ID, ParentID: contract.Opt[string]{Set: true, Null: true}})
	want(t, core.CodeConflict, err)
	upper := "Ä STRASSE"
	if f, err := h.App.EditFolder(t.Context(), ws.Owner, contract.EditFolder{ID: top.ID, Name: &upper}); err != nil ||
		f.Name != upper {
		t.Errorf("its own name in another case: %+v, %v", f, err)
	}
	h.Workspace("two").Folder("Ä Straße", "")
}

func TestFoldersNestTenDeepAndNeverInACircle(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	var chain []contract.Folder
	for i, parent := 0, ""; i < 10; i++ {
		chain = append(chain, ws.Folder(fmt.Sprintf("level %d", i+1), parent))
		parent = chain[i].ID
	}
	_, err := h.App.CreateFolder(t.Context(), ws.Owner, contract.CreateFolder{Name: "level 11", ParentID: contract.Some(chain[9].ID)})
	want(t, core.CodeConflict, err)
	for _, under := range []contract.Folder{chain[2], chain[5]} {
		_, err := h.App.EditFolder(t.Context(), ws.Owner, contract.EditFolder{ID: chain[2].ID, ParentID: contract.Some(under.ID)})
		want(t, core.CodeConflict, err)
	}
	other := ws.Folder("other", "")
	_, err = h.App.EditFolder(t.Context(), ws.Owner, contract.EditFolder{ID: chain[0].ID, ParentID: contract.Some(other.ID)})
	want(t, core.CodeConflict, err)
	if _, err := h.App.EditFolder(t.Context(), ws.Owner, contract.EditFolder{ID: chain[1].ID, ParentID: contract.Some(other.ID)}); err != nil {
		t.Errorf("nine levels below one: %v", err)
	}
}

func TestABadFolderIsRefused(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	mine := ws.Folder("mine", "")
	for _, name := range []string{"", "  ", strings.Repeat("x", 81), "a\nb", "a\xff"} {
		_, err := h.App.CreateFolder(t.Context(), ws.Owner, contract.CreateFolder{Name: name})
		want(t, core.CodeInvalidRequest, err)
		_, err = h.App.EditFolder(t.Context(), ws.Owner, contract.EditFolder{ID: mine.ID, Name: &name})
		want(t, core.CodeInvalidRequest, err)
	}
	viewer := ws.Member(core.RoleViewer)
	_, err := h.App.CreateFolder(t.Context(), viewer, contract.CreateFolder{Name: "x"})
	want(t, core.CodeInsufficientScope, err)
	_, err = h.App.EditFolder(t.Context(), viewer, contract.EditFolder{ID: mine.ID})
	want(t, core.CodeInsufficientScope, err)
	want(t, core.CodeInsufficientScope, h.App.DeleteEmptyFolder(t.Context(), viewer, mine.ID))
}

// Each of two moves is sound by itself; both together would cut the two folders off the root.
func TestMovesAtTheSameMomentMakeNoCircle(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for round := range 10 {
		a, b := ws.Folder(fmt.Sprintf("a%d", round), ""), ws.Folder(fmt.Sprintf("b%d", round), "")
		var wg sync.WaitGroup
		var errs [2]error
		for i, pair := range [2][2]string{{a.ID, b.ID}, {b.ID, a.ID}} {
			wg.Go(func() {
				_, errs[i] = h.App.EditFolder(t.Context(), ws.Owner, contract.EditFolder{ID: pair[0], ParentID: contract.Some(pair[1])})
			})
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("round %d: %v, %v", round, errs[0], errs[1])
		}
	}
}
