package core_test

import (
	"testing"

	"belfry/internal/core"
)

func TestAFolderLiesNeitherWithinItselfNorTooDeep(t *testing.T) {
	t.Parallel()
	chain := make([]core.FolderID, 10)
	for i := range chain {
		chain[i] = core.NewID[core.FolderKind]()
	}
	other := core.NewID[core.FolderKind]()
	for name, c := range map[string]struct {
		folder core.FolderID
		above  []core.FolderID
		height int
		want   core.Code
	}{
		"at the root":                     {other, nil, 1, ""},
		"a whole tree at the root":        {other, nil, 10, ""},
		"a tree of eleven levels":         {other, nil, 11, core.CodeConflict},
		"as the tenth level":              {other, chain[:9], 1, ""},
		"as the eleventh level":           {other, chain, 1, core.CodeConflict},
		"with a folder below the tenth":   {other, chain[:9], 2, core.CodeConflict},
		"into itself":                     {chain[0], chain[:1], 1, core.CodeConflict},
		"within a folder that it holds":   {chain[3], chain[:5], 1, core.CodeConflict},
		"a new one, which holds no other": {core.FolderID{}, chain[:2], 1, ""},
	} {
		err := core.CheckFolderPlace(c.folder, c.above, c.height)
		if (err == nil) != (c.want == "") || err != nil && core.CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
