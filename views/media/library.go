package media

import (
	"cmp"

	"belfry/internal/contract"
	"belfry/views/layout"
	"belfry/views/link"
)

// Fields of the forms of the library. FieldBack is the list to which the person goes back.
const (
	FieldUpload = "upload"
	FieldFile   = "file"
	FieldAct    = "act"
	FieldTag    = "tag"
	FieldBack   = "back"
	FieldParent = "parent"
	FieldSure   = "sure"
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
	Folders Tree
	Files   []File
	// Next is the file after which the next page begins; empty on the last page.
	Next string
	// NewFolder and Renamed are names that were typed and refused, with Errors by the id of the input.
	NewFolder, Renamed string
	Errors             map[string]string
	Refused            *contract.Error
}

func (m LibraryModel) urlWith(change func(*link.MediaFilter)) string {
	f := m.Filter
	f.After = ""
	change(&f)
	return m.Frame.Link.Media(f)
}

// folderURL returns the list of a folder, in the same order and view.
func (m LibraryModel) folderURL(id string) string {
	return m.Frame.Link.Media(link.MediaFilter{Folder: id, Sort: m.Filter.Sort, View: m.Filter.View})
}

func (m LibraryModel) isFiltered() bool {
	f := m.Filter
	return f.Query != "" || f.Kind != "" || f.Tag != "" || f.Use != ""
}

// folder returns the current folder; "" for all files and for those in no folder.
func (m LibraryModel) folder() string {
	if m.Filter.Folder == link.RootFolder {
		return ""
	}
	return m.Filter.Folder
}

func (m LibraryModel) title() string {
	switch m.Filter.Folder {
	case "":
		return "All files"
	case link.RootFolder:
		return "Not in a folder"
	}
	return m.Folders.name(m.Filter.Folder)
}

// renamed returns the name in the form of a folder.
func (m LibraryModel) renamed(f contract.Folder) string { return cmp.Or(m.Renamed, f.Name) }

// tags returns the tags of the files, each once.
func (m LibraryModel) tags() (list []string) {
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

// choice is a value of a filter.
type choice struct{ value, label string }

var (
	kinds = []choice{{"", "All types"}, {"image", "Images"}, {"video", "Videos"}}
	uses  = []choice{{"", "Any use"}, {"unused", "Not used yet"}, {"removed", "Removed after publishing"}}
	sorts = []choice{{"", "Newest first"}, {"oldest", "Oldest first"}, {"name", "By name"}, {"largest", "Largest first"}}
)

// PickModel is the dialog in which files of the library are chosen.
type PickModel struct {
	Link    link.Workspace
	Filter  link.MediaFilter
	Folders Tree
	Files   []File
	Next    string
}

func (m PickModel) nextURL() string {
	f := m.Filter
	f.After = m.Next
	return m.Link.PickMedia(f)
}
