package contract

import (
	"path"
	"strings"

	"belfry/internal/core"
)

// Media is the record of a file (Spec §2, Media).
type Media struct {
	ID           string   `json:"id" doc:"If the file was uploaded, this is the mediaId from its reservation."`
	Kind         string   `json:"kind" enum:"image,video" doc:"The declared kind until Belfry has examined the file; then the actual kind."`
	OriginalName string   `json:"originalName"`
	Mime         string   `json:"mime"`
	Size         int64    `json:"size" doc:"In bytes."`
	Status       string   `json:"status" enum:"uploading,processing,ready,failed"`
	FailReason   *string  `json:"failReason" doc:"Why the file cannot be used; set if the status is failed."`
	Width        *int     `json:"width" doc:"In pixels, as displayed."`
	Height       *int     `json:"height"`
	DurationMs   *int64   `json:"durationMs"`
	FolderID     *string  `json:"folderId" doc:"The file's folder; null at the top level."`
	Title        *string  `json:"title"`
	Description  *string  `json:"description"`
	Tags         []string `json:"tags" nullable:"false"`
	Pinned       bool     `json:"pinned" doc:"True if Belfry keeps the file's bytes even after the retention time."`
	PublishedAt  *Time    `json:"publishedAt" doc:"When the last post with the file went live."`
	PurgedAt     *Time    `json:"purgedAt" doc:"When Belfry deleted the file's bytes. From then on, a post with this file is refused with media_purged."`
	ThumbnailURL *string  `json:"thumbnailUrl" doc:"A signed address that needs no credential and expires. To get a new address, get the record again."`
	CreatedAt    Time     `json:"createdAt"`
}

// Revision identifies what people can change in a file (core.NewRevision).
func (m Media) Revision() string {
	return core.NewRevision(textOrEmpty(m.Title), textOrEmpty(m.Description), m.Tags, textOrEmpty(m.FolderID), m.Pinned)
}

// textOrEmpty returns a string that may be null, or "".
func textOrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// MediaList is the response to GET /media.
type MediaList struct {
	Media      []Media `json:"media" nullable:"false"`
	NextCursor *string `json:"nextCursor"`
}

// ListMedia has the filters of GET /media (decisions.md, Media, folders, groups).
type ListMedia struct {
	FolderID string `query:"folderId" doc:"A folder's ID, or \"root\" for files that are not in a folder."`
	Kind     string `query:"kind" enum:"image,video" doc:"Only images, or only videos."`
	Status   string `query:"status" doc:"Comma-separated statuses." example:"ready"`
	Q        string `query:"q" doc:"Text to find in the name, title, description or tags." example:"rye"`
	Tag      string `query:"tag" doc:"Only files with this tag." example:"bread"`
	Limit    int    `query:"limit" minimum:"1" maximum:"100" default:"50" doc:"Rows per page."`
	Cursor   string `query:"cursor" doc:"nextCursor from the previous page."`
}

// CreateUpload is the body of POST /media/uploads.
type CreateUpload struct {
	Filename string  `json:"filename" minLength:"1" maxLength:"255"`
	Mime     string  `json:"mime" minLength:"1" maxLength:"255"`
	Size     int64   `json:"size" minimum:"1" doc:"In bytes. The Content-Length of the PUT request must have the same value."`
	FolderID *string `json:"folderId,omitempty"`
}

// Paths of signed addresses for uploading and reading the bytes of a file. A token follows the path.
const (
	UploadPath = "/upload/"
	FilePath   = "/media/"
)

// AvatarPath begins the paths of Belfry's copies of account pictures. A name that cannot be guessed follows, so no
// credential is needed.
const AvatarPath = "/avatars/"

// avatarExtension is the file extension in the path of an avatar.
const avatarExtension = ".jpg"

// AvatarPathOf returns the path of the avatar that is stored under a key, or "" for the key "".
func AvatarPathOf(blobKey string) (pathOrEmpty string) {
	if blobKey == "" {
		return ""
	}
	return AvatarPath + path.Base(blobKey) + avatarExtension
}

// TrimAvatarExtension returns the name of an avatar from the last part of its path.
func TrimAvatarExtension(fileName string) string {
	return strings.TrimSuffix(fileName, avatarExtension)
}

// Upload is a reservation: the address to which the bytes are uploaded, and when it expires.
type Upload struct {
	MediaID   string `json:"mediaId"`
	UploadURL string `json:"uploadUrl" doc:"A signed address that accepts one complete upload. Send the raw bytes to it with PUT. No credential is needed."`
	ExpiresAt Time   `json:"expiresAt"`
}

// Uploaded is the response to the PUT to an upload address.
type Uploaded struct {
	MediaID string `json:"mediaId"`
	Status  string `json:"status"`
}

// MediaFromURL is the body of POST /media/from-url.
type MediaFromURL struct {
	URL      string  `json:"url" minLength:"1" maxLength:"2000" doc:"A public https:// address on port 443, without a user name."`
	Filename string  `json:"filename,omitempty" maxLength:"255"`
	FolderID *string `json:"folderId,omitempty"`
}

// EditMedia is the request PATCH /media/{id}.
type EditMedia struct {
	ID          string      `json:"-" path:"id"`
	Title       Opt[string] `json:"title,omitzero"`
	Description Opt[string] `json:"description,omitzero"`
	Tags        *[]string   `json:"tags,omitempty" maxItems:"200" nullable:"false"`
	FolderID    Opt[string] `json:"folderId,omitzero" doc:"The file's new folder. Null moves the file to the top level."`
	Pinned      *bool       `json:"pinned,omitempty"`
	// Revision is the revision of the file that the dashboard showed, or "" to make the change whatever the file's
	// revision.
	Revision string `json:"-"`
}
