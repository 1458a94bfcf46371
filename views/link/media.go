package link

import "net/url"

const media = "/media"

// RootFolder selects the files that are in no folder.
const RootFolder = "root"

// MediaFilter says which files the library shows, and how. All of it is in the address.
type MediaFilter struct {
	Folder string // a folder's id, RootFolder, or "" for all files
	Query  string
	Kind   string // image or video
	Tag    string
	Use    string // unused or removed
	Sort   string // oldest, name or largest; "" for the newest first
	View   string // list, or "" for the grid
	After  string // the last file of the page before
}

// fields returns the names of the query with where their values are.
func (f *MediaFilter) fields() map[string]*string {
	return map[string]*string{
		"folder": &f.Folder, "q": &f.Query, "kind": &f.Kind, "tag": &f.Tag, "use": &f.Use, "sort": &f.Sort, "view": &f.View,
		"after": &f.After,
	}
}

// ParseMediaFilter reads the filter of an address.
func ParseMediaFilter(query url.Values) (f MediaFilter) {
	for name, value := range f.fields() {
		*value = query.Get(name)
	}
	return f
}

// Encode returns the filter as the query of an address.
func (f MediaFilter) Encode() string { return f.queryValues().Encode() }

func (f MediaFilter) queryValues() url.Values {
	query := url.Values{}
	for name, value := range f.fields() {
		if *value != "" {
			query.Set(name, *value)
		}
	}
	return query
}

// Media returns the address of the library; the zero filter selects all files.
func (w Workspace) Media(f MediaFilter) string { return withQuery(w.At(media), f.queryValues()) }

// PickMedia returns the address of the dialog in which files of the library are chosen.
func (w Workspace) PickMedia(f MediaFilter) string {
	return withQuery(w.At(media+"/pick"), f.queryValues())
}

// UploadFiles accepts the form with new files for the library.
func (w Workspace) UploadFiles() string { return w.At(media + "/files") }

// File shows a file (GET) and changes it (POST).
func (w Workspace) File(id string) string { return joinPath(w.UploadFiles(), id) }

// FileFrom is File with the list to which the person goes back.
func (w Workspace) FileFrom(id string, f MediaFilter) string {
	return withQuery(w.File(id), f.queryValues())
}

// ChangeFiles changes many files.
func (w Workspace) ChangeFiles() string { return w.At(media + "/edit") }

// DeleteFiles asks for confirmation, and deletes many files once it is given.
func (w Workspace) DeleteFiles() string { return w.At(media + "/delete") }

// Folders creates a folder (POST).
func (w Workspace) Folders() string { return w.At(media + "/folders") }

// Folder renames or moves a folder (POST).
func (w Workspace) Folder(id string) string { return joinPath(w.Folders(), id) }

// DeleteFolder deletes an empty folder (POST).
func (w Workspace) DeleteFolder(id string) string { return joinPath(w.Folders(), id, "delete") }

// Uploads reserves a file for a script that uploads it (POST), and says how far files have been processed (GET).
func (w Workspace) Uploads() string { return w.At(media + "/uploads") }

// CancelUpload gives up a reserved file (POST).
func (w Workspace) CancelUpload(id string) string { return joinPath(w.Uploads(), id, "cancel") }
