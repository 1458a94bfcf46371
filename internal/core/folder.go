package core

import (
	"slices"
	"time"
)

// maxFolderDepth is how many folders may lie one within the other (decisions.md, Media, folders, groups).
const maxFolderDepth = 10

// Folder is a place a file lives in. Parent is zero at the root.
type Folder struct {
	ID        FolderID
	Name      string
	Parent    FolderID
	CreatedAt time.Time
	UpdatedAt time.Time
}

// CheckFolderPlace refuses to put a folder under itself or too deep. above are the folders from the new
// parent up to the root, height is how many levels the folder itself brings: 1 without any below it.
func CheckFolderPlace(folder FolderID, above []FolderID, height int) error {
	if slices.Contains(above, folder) {
		return Fail(CodeConflict, "A folder cannot be moved into itself.").WithHint("Choose a parentId outside this folder.")
	}
	if len(above)+height > maxFolderDepth {
		return Fail(CodeConflict, "Folders can be at most %d levels deep.", maxFolderDepth).WithHint("Choose a folder at a higher level.")
	}
	return nil
}
