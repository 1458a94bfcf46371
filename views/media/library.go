package media

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// Names of the inputs of the library's forms. FieldBack is the filter of the list to return to.
// FieldRevision is the revision of the folder or the file that the form shows.
const (
	FieldUpload   = "upload"
	FieldFile     = "file"
	FieldAct      = "act"
	FieldTag      = "tag"
	FieldBack     = "back"
	FieldParent   = "parent"
	FieldSure     = "sure"
	FieldRevision = "revision"
)

// Values of FieldAct.
const (
	ActMove  = "move"
	ActTag   = "tag"
	ActUntag = "untag"
	ActPin   = "pin"
	ActUnpin = "unpin"
)

// LibraryModel is the media library.
type LibraryModel struct {
	Frame   layout.Frame
	Filter  link.MediaFilter
	Form    string // value of ui.FieldForm
	Folders Tree
	Files   []File
	// Next is the cursor of the next page; empty on the last page.
	Next string
	// Retention is how long a file is kept after the last post with it went live.
	Retention time.Duration
	Zone      core.Zone // the workspace's
	// NewFolder and Renamed are refused names of folders, and MovedTo is the parent that was chosen with Renamed. Errors
	// contains the reasons, by the id of the input.
	NewFolder, Renamed string
	MovedTo            *string
	Errors             map[string]string
	Refused            *contract.Error
}

// retentionRule says when a file is deleted.
func (m LibraryModel) retentionRule() string {
	return "Pinned files and files that a post still needs are kept. The content of any other file is deleted " +
		formatRetention(m.Retention) + " after the last post that uses it goes live."
}

// firstPageURLWith returns the address of the first page of the list after a change to its filter.
func (m LibraryModel) firstPageURLWith(change func(*link.MediaFilter)) string {
	f := m.Filter
	f.After = ""
	change(&f)
	return m.Frame.Link.Media(f)
}

// folderURL returns the address of a folder, with the present order and view.
func (m LibraryModel) folderURL(id string) string {
	return m.Frame.Link.Media(link.MediaFilter{Folder: id, Sort: m.Filter.Sort, View: m.Filter.View})
}

// isFilteredWithinFolder reports whether the list shows only some of the folder's files.
func (m LibraryModel) isFilteredWithinFolder() bool {
	f := m.Filter
	return f.Query != "" || f.Kind != "" || len(f.Tags) > 0 || f.Use != ""
}

// hasConditionsBesideText reports whether the list is filtered by more than the words that are searched for.
func (m LibraryModel) hasConditionsBesideText() bool {
	m.Filter.Query = ""
	return m.isFilteredWithinFolder()
}

// noMatchText says where no files match which conditions.
func (m LibraryModel) noMatchText() string {
	files := "files"
	switch {
	case m.Filter.Folder == link.RootFolder:
		files += " outside folders"
	case m.currentFolderID() != "":
		files += " in " + m.title()
	}
	return ui.NoMatchText(files, m.Filter.Query, m.hasConditionsBesideText())
}

// tagInputValues returns the values of the filter's inputs for a tag: one for each tag or, without any, an empty one.
func (m LibraryModel) tagInputValues() []string {
	if len(m.Filter.Tags) == 0 {
		return []string{""}
	}
	return m.Filter.Tags
}

// tagInputLabel returns the label of an input for a tag, with a number if there are several inputs.
func (m LibraryModel) tagInputLabel(index int) string {
	if len(m.Filter.Tags) < 2 {
		return "Tag"
	}
	return fmt.Sprint("Tag ", index+1)
}

// currentFolderID returns the id of the current folder, or "" for the lists of all files and of files in no folder.
func (m LibraryModel) currentFolderID() (idOrEmpty string) {
	if m.Filter.Folder == link.RootFolder {
		return ""
	}
	return m.Filter.Folder
}

// asksForFirstFiles reports whether the page asks the person to add the first files. It does not ask a viewer.
func (m LibraryModel) asksForFirstFiles() bool {
	isUnfiltered := m.Filter.Folder == "" && m.Filter.After == "" && !m.isFilteredWithinFolder()
	return isUnfiltered && len(m.Files) == 0 && m.Frame.Writes
}

// showsFolders reports whether the page shows the folders: there are some, or the list is not the one of all files.
func (m LibraryModel) showsFolders() bool { return len(m.Folders.byID) > 0 || m.Filter.Folder != "" }

func (m LibraryModel) title() string {
	switch m.Filter.Folder {
	case "":
		return "All files"
	case link.RootFolder:
		return "Not in a folder"
	}
	return m.Folders.folderName(m.Filter.Folder)
}

// folderNameValue returns the value of the input for a folder's name: the refused name or, if there is none, the
// present one.
func (m LibraryModel) folderNameValue(current contract.Folder) string {
	return cmp.Or(m.Renamed, current.Name)
}

// folderParentValue returns the value of the input for a folder's parent: the chosen parent or, if there is none, the
// present one.
func (m LibraryModel) folderParentValue(current contract.Folder) string {
	if m.MovedTo != nil {
		return *m.MovedTo
	}
	return parentID(current)
}

// tagsOnPage returns the tags of all files on the page, each once.
func (m LibraryModel) tagsOnPage() (list []string) {
	seen := map[string]bool{}
	for _, f := range m.Files {
		for _, tag := range f.Tags {
			if !seen[tag] {
				seen[tag] = true
				list = append(list, tag)
			}
		}
	}
	return list
}

// Options of the filter and of the order.
var (
	kinds = []ui.Option{{Value: "image", Label: "Images"}, {Value: "video", Label: "Videos"}}
	uses  = []ui.Option{{Value: "unused", Label: "Not used yet"}, {Value: "removed", Label: "Deleted after publishing"}}
	sorts = []ui.Option{
		{Value: "oldest", Label: "Oldest first"}, {Value: "name", Label: "By name"}, {Value: "largest", Label: "Largest first"},
	}
)

const allKinds = "All types"

// filterChips returns the conditions of the filter, and the order unless it is the usual one.
func (m LibraryModel) filterChips() []ui.FilterChip {
	var list []ui.FilterChip
	add := func(what, value string, remove func(*link.MediaFilter)) {
		if value != "" {
			list = append(list, ui.FilterChip{Label: what + ": " + value, URL: m.firstPageURLWith(remove)})
		}
	}
	f := m.Filter
	if m.hasConditionsBesideText() {
		add("Text", f.Query, func(f *link.MediaFilter) { f.Query = "" })
	}
	add("Type", ui.OptionLabel(kinds, f.Kind), func(f *link.MediaFilter) { f.Kind = "" })
	add("Use", ui.OptionLabel(uses, f.Use), func(f *link.MediaFilter) { f.Use = "" })
	for i, tag := range f.Tags {
		add("Tag", tag, func(f *link.MediaFilter) { f.Tags = slices.Delete(slices.Clone(f.Tags), i, i+1) })
	}
	add("Order", ui.OptionLabel(sorts, f.Sort), func(f *link.MediaFilter) { f.Sort = "" })
	return list
}

// PickModel is the dialog for choosing files from the library.
type PickModel struct {
	Link    link.Workspace
	Filter  link.MediaFilter
	Folders Tree
	Files   []File
	Next    string
}

// pageURL returns the address of the files that follow the one with the id.
func (m PickModel) pageURL(afterFileID string) string {
	f := m.Filter
	f.After = afterFileID
	return m.Link.PickMedia(f)
}
