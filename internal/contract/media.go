package contract

// Media is the record of a file (Spec §2, Media).
type Media struct {
	ID           string   `json:"id" doc:"The one that the upload's reservation answered."`
	Kind         string   `json:"kind" enum:"image,video" doc:"As declared until the bytes have been looked at; then as they are."`
	OriginalName string   `json:"originalName"`
	Mime         string   `json:"mime"`
	Size         int64    `json:"size" doc:"Bytes."`
	Status       string   `json:"status" enum:"uploading,processing,ready,failed"`
	FailReason   *string  `json:"failReason" doc:"Why the file cannot be used; set when failed."`
	Width        *int     `json:"width" doc:"Pixels, as the file is shown."`
	Height       *int     `json:"height"`
	DurationMs   *int64   `json:"durationMs"`
	FolderID     *string  `json:"folderId" doc:"The folder that it lies in; null at the root."`
	Title        *string  `json:"title"`
	Description  *string  `json:"description"`
	Tags         []string `json:"tags" nullable:"false"`
	Pinned       bool     `json:"pinned" doc:"A pinned file is never removed after publishing."`
	PublishedAt  *Time    `json:"publishedAt" doc:"When the last post with the file went live."`
	PurgedAt     *Time    `json:"purgedAt" doc:"When the bytes were removed; a post naming the file is refused with media_purged."`
	ThumbnailURL *string  `json:"thumbnailUrl" doc:"Signed, needs no credential and expires: take a fresh one from this record."`
	CreatedAt    Time     `json:"createdAt"`
}

// MediaList answers GET /media.
type MediaList struct {
	Media      []Media `json:"media" nullable:"false"`
	NextCursor *string `json:"nextCursor"`
}

// ListMedia are the filters of GET /media (decisions.md, Media, folders, groups).
type ListMedia struct {
	FolderID string `query:"folderId" doc:"A folder's id, or root for the files in none."`
	Kind     string `query:"kind" enum:"image,video" doc:"Images or videos only."`
	Status   string `query:"status" doc:"Comma-separated states." example:"ready"`
	Q        string `query:"q" doc:"Name, title or description contains." example:"rye"`
	Tag      string `query:"tag" doc:"Files that carry the tag." example:"bread"`
	Limit    int    `query:"limit" minimum:"1" maximum:"100" default:"50" doc:"Rows of one page."`
	Cursor   string `query:"cursor" doc:"The nextCursor of the page before."`
}

// CreateUpload is the body of POST /media/uploads.
type CreateUpload struct {
	Filename string  `json:"filename" minLength:"1" maxLength:"255"`
	Mime     string  `json:"mime" minLength:"1" maxLength:"255"`
	Size     int64   `json:"size" minimum:"1" doc:"Bytes; the PUT's Content-Length must be the same."`
	FolderID *string `json:"folderId,omitempty"`
}

// Paths of a file's signed addresses, which a token follows: where its bytes are uploaded, and where they are read.
const (
	UploadPath = "/upload/"
	FilePath   = "/media/"
)

// Upload is a reservation: where the bytes go, and until when.
type Upload struct {
	MediaID   string `json:"mediaId"`
	UploadURL string `json:"uploadUrl" doc:"Signed and for one use; PUT the raw bytes there, without a credential."`
	ExpiresAt Time   `json:"expiresAt"`
}

// Uploaded answers the PUT to an upload address.
type Uploaded struct {
	MediaID string `json:"mediaId"`
	Status  string `json:"status"`
}

// MediaFromURL is the body of POST /media/from-url.
type MediaFromURL struct {
	URL      string  `json:"url" minLength:"1" maxLength:"2000" doc:"https only."`
	Filename string  `json:"filename,omitempty" maxLength:"255"`
	FolderID *string `json:"folderId,omitempty"`
}

// EditMedia is the request of PATCH /media/{id}.
type EditMedia struct {
	ID          string      `json:"-" path:"id"`
	Title       Opt[string] `json:"title,omitzero"`
	Description Opt[string] `json:"description,omitzero"`
	Tags        *[]string   `json:"tags,omitempty" maxItems:"200" nullable:"false"`
	FolderID    Opt[string] `json:"folderId,omitzero" doc:"The folder to lie in; null for the root."`
	Pinned      *bool       `json:"pinned,omitempty"`
}
