package link

import "net/url"

const media = "/media"

// RootFolder selects the files that are in no folder.
const RootFolder = "root"

// MediaFilter says which files the library shows, and how. Its fields are in the query of the library's address.
type MediaFilter struct {
	Folder string // a folder's id, RootFolder, or "" for all files
	Query  string
	Kind   string   // image or video
	Tags   []string // tags that each file has
	Use    string   // unused or removed
	Sort   string   // oldest, name or largest; "" for the newest first
	View   string   // list, or "" for the grid
	After  string   // the id of the last file on the previous page
}

// fieldsByParam maps the parameters of the query, except tagParam, to the fields of the filter.
func (f *MediaFilter) fieldsByParam() map[string]*string {
	return map[string]*string{
		"folder": &f.Folder, "q": &f.Query, "kind": &f.Kind, "use": &f.Use, "sort": &f.Sort, "view": &f.View,
		"after": &f.After,
	}
}

const tagParam = "tag"

// ParseMediaFilter parses the query of an address.
func ParseMediaFilter(query url.Values) (f MediaFilter) {
	for name, value := range f.fieldsByParam() {
		*value = query.Get(name)
	}
	for _, tag := range query[tagParam] {
		if tag != "" {
			f.Tags = append(f.Tags, tag)
		}
	}
	return f
}

// Encode returns the filter as the query of an address.
func (f MediaFilter) Encode() string { return f.queryValues().Encode() }

func (f MediaFilter) queryValues() url.Values {
	query := url.Values{}
	for name, value := range f.fieldsByParam() {
		if *value != "" {
			query.Set(name, *value)
		}
	}
	if len(f.Tags) > 0 {
		query[tagParam] = f.Tags
	}
	return query
}

// Media is the library; the zero filter selects all files.
func (w Workspace) Media(f MediaFilter) string { return withQuery(w.At(media), f.queryValues()) }

// PickMedia is the dialog for choosing files from the library.
func (w Workspace) PickMedia(f MediaFilter) string {
	return withQuery(w.At(media+"/pick"), f.queryValues())
}

// UploadFiles accepts a form with new files for the library (POST).
func (w Workspace) UploadFiles() string { return w.At(media + "/files") }

// File shows a file (GET) and changes it (POST).
func (w Workspace) File(fileID string) string { return joinPath(w.UploadFiles(), fileID) }

// FileInLibrary is the page of a file with a link back to the library with a filter.
func (w Workspace) FileInLibrary(fileID string, f MediaFilter) string {
	return withQuery(w.File(fileID), f.queryValues())
}

// ChangeSelectedFiles changes several files (POST).
func (w Workspace) ChangeSelectedFiles() string { return w.At(media + "/edit") }

// DeleteSelectedFiles asks for confirmation, and deletes several files once the person has confirmed (POST).
func (w Workspace) DeleteSelectedFiles() string { return w.At(media + "/delete") }

// CreateFolder creates a folder (POST).
func (w Workspace) CreateFolder() string { return w.At(media + "/folders") }

// EditFolder renames or moves a folder (POST).
func (w Workspace) EditFolder(folderID string) string { return joinPath(w.CreateFolder(), folderID) }

// DeleteFolder deletes an empty folder (POST).
func (w Workspace) DeleteFolder(folderID string) string {
	return joinPath(w.CreateFolder(), folderID, "delete")
}

// Uploads reserves a file for a script to upload (POST), and returns the state of uploaded files (GET).
func (w Workspace) Uploads() string { return w.At(media + "/uploads") }

// CancelUpload cancels a reserved upload (POST).
func (w Workspace) CancelUpload(fileID string) string { return joinPath(w.Uploads(), fileID, "cancel") }
