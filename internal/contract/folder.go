package contract

import "belfry/internal/core"

// Folder is the folder record (decisions.md, Media, folders, groups).
type Folder struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	ParentID  *string `json:"parentId" doc:"The parent folder; null at the top level."`
	CreatedAt Time    `json:"createdAt"`
	UpdatedAt Time    `json:"updatedAt"`
}

// Revision identifies the folder's name and place (core.NewRevision).
func (f Folder) Revision() string { return core.NewRevision(f.Name, textOrEmpty(f.ParentID)) }

// Folders is the response to GET /folders.
type Folders struct {
	Folders    []Folder `json:"folders" nullable:"false"`
	NextCursor *string  `json:"nextCursor"`
}

// CreateFolder is the body of POST /folders.
type CreateFolder struct {
	Name     string      `json:"name" minLength:"1" maxLength:"80"`
	ParentID Opt[string] `json:"parentId,omitzero" doc:"The parent folder. If it is null or absent, the folder is created at the top level."`
}

// EditFolder is the request PATCH /folders/{id}.
type EditFolder struct {
	ID       string      `json:"-" path:"id"`
	Name     *string     `json:"name,omitempty" minLength:"1" maxLength:"80"`
	ParentID Opt[string] `json:"parentId,omitzero" doc:"The new parent folder. Null moves the folder to the top level."`
	// Revision is the revision of the folder that the dashboard showed, or "" to make the change whatever the folder's
	// revision.
	Revision string `json:"-"`
}

// FolderOf converts a folder to its record.
func FolderOf(f core.Folder) Folder {
	out := Folder{ID: f.ID.String(), Name: f.Name, CreatedAt: Time{f.CreatedAt}, UpdatedAt: Time{f.UpdatedAt}}
	if !f.Parent.IsZero() {
		out.ParentID = new(f.Parent.String())
	}
	return out
}
