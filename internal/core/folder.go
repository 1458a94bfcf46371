package core

import (
	"slices"
	"time"
)

// maxFolderDepth is how deeply folders can be nested (decisions.md, Media, folders, groups).
const maxFolderDepth = 10

// Folder is a folder for files. Parent is zero at the root.
type Folder struct {
	ID        FolderID
	Name      string
	Parent    FolderID
	CreatedAt time.Time
	UpdatedAt time.Time
}

// CheckFolderPlace returns an error if the folder would be inside itself or nested too deeply. newAncestors are the
// folders from the new parent up to the root. subtreeHeight is how many levels the folder has, including itself: 1 if
// it contains no folder.
func CheckFolderPlace(folder FolderID, newAncestors []FolderID, subtreeHeight int) error {
	if slices.Contains(newAncestors, folder) {
		return Fail(CodeConflict, "A folder cannot be moved into itself or one of its subfolders.").WithHint("Choose a destination outside this folder.")
	}
	if len(newAncestors)+subtreeHeight > maxFolderDepth {
		return Fail(CodeConflict, "Folders can be at most %d levels deep.", maxFolderDepth).WithHint("Choose a folder at a higher level.")
	}
	return nil
}
