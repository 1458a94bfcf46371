package media

import (
	"slices"
	"strings"

	"belfry/internal/contract"
)

// Tree contains the workspace's folders.
type Tree struct {
	byID  map[string]contract.Folder
	under map[string][]contract.Folder // by the id of the parent; "" for the top level
}

// NewTree returns the tree of the folders.
func NewTree(sortedByName []contract.Folder) Tree {
	t := Tree{byID: map[string]contract.Folder{}, under: map[string][]contract.Folder{}}
	for _, f := range sortedByName {
		t.byID[f.ID] = f
		t.under[parentID(f)] = append(t.under[parentID(f)], f)
	}
	return t
}

// parentID returns the id of the folder's parent, or "" at the top level.
func parentID(f contract.Folder) (idOrEmpty string) {
	if f.ParentID == nil {
		return ""
	}
	return *f.ParentID
}

// pathTo returns the folders from the top level down to the one with the id.
func (t Tree) pathTo(id string) (path []contract.Folder) {
	for f, ok := t.byID[id]; ok; f, ok = t.byID[parentID(f)] {
		path = append(path, f)
	}
	slices.Reverse(path)
	return path
}

func (t Tree) folderName(id string) (nameOrEmpty string) { return t.byID[id].Name }

// PathName returns the names of a folder and of those above it, such as "Summer / Beach".
func (t Tree) PathName(id string) string {
	var names []string
	for _, f := range t.pathTo(id) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " / ")
}

// isOpen reports whether a folder is shown with its subfolders: it is or contains the current folder.
func (t Tree) isOpen(id, currentID string) bool {
	return slices.ContainsFunc(t.pathTo(currentID), func(f contract.Folder) bool { return f.ID == id })
}

// option is a folder that can be chosen.
type option struct{ id, label string }

// folderOptions returns all folders below a parent, indented by level. It omits one folder and the folders below it.
func (t Tree) folderOptions(parentID, omittedID string) (list []option) {
	for _, f := range t.under[parentID] {
		if f.ID == omittedID {
			continue
		}
		indent := strings.Repeat("\u2003", len(t.pathTo(f.ID))-1)
		list = append(append(list, option{f.ID, indent + f.Name}), t.folderOptions(f.ID, omittedID)...)
	}
	return list
}
