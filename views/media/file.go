// Package media contains the media library: its folders and files, the page of a file, and the dialog for choosing
// files.
package media

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// File is a file for display.
type File struct {
	contract.Media
	// DeletedAt is when the bytes will be deleted, or zero if they are kept.
	DeletedAt time.Time
	Selected  bool
}

// name returns the file's title or, if it has none, its original name.
func (f File) name() string {
	if f.Title != nil {
		return *f.Title
	}
	return f.OriginalName
}

func (f File) isVideo() bool { return f.Kind == string(core.FileVideo) }

// deletionText says on which day the file's bytes will be deleted. It returns "" if they are kept.
func (f File) deletionText(zone core.Zone) (textOrEmpty string) {
	if f.DeletedAt.IsZero() {
		return ""
	}
	return "Will be deleted on " + f.DeletedAt.In(zone.Location()).Format("2 Jan")
}

// thumbnailURL returns the address of the file's thumbnail, or "" if there is none.
func (f File) thumbnailURL() (urlOrEmpty string) {
	if f.ThumbnailURL == nil || f.PurgedAt != nil {
		return ""
	}
	return *f.ThumbnailURL
}

// iconName returns the icon that is shown without a thumbnail.
func (f File) iconName() string {
	switch {
	case f.PurgedAt != nil:
		return "file-x"
	case f.Status == string(core.MediaProcessing):
		return "loader-circle"
	case f.Status == string(core.MediaFailed):
		return "triangle-alert"
	case f.isVideo():
		return "film"
	}
	return "image"
}

// formatVideoLengthOrEmpty returns the length of a video, or "" if it is not known.
func (f File) formatVideoLengthOrEmpty() string {
	if !f.isVideo() || f.DurationMs == nil {
		return ""
	}
	d := (time.Duration(*f.DurationMs) * time.Millisecond).Round(time.Second)
	if d >= time.Hour {
		return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// unusableLabel returns why the file cannot be used, for example because it is still being processed, or "" if it can.
func (f File) unusableLabel() (labelOrEmpty string) {
	switch {
	case f.PurgedAt != nil:
		return "Deleted"
	case f.Status == string(core.MediaProcessing):
		return "Processing"
	case f.Status == string(core.MediaFailed):
		return "Cannot be used"
	}
	return ""
}

func (f File) kindWord() string {
	if f.isVideo() {
		return "Video"
	}
	return "Image"
}

// fileFormatName returns the format of the file, such as JPEG.
func (f File) fileFormatName() string {
	_, format, _ := strings.Cut(f.Mime, "/")
	if format == "quicktime" {
		return "MOV"
	}
	return strings.ToUpper(format)
}

// typeLabel returns the file's format and kind, such as "MP4 video".
func (f File) typeLabel() string { return f.fileFormatName() + " " + strings.ToLower(f.kindWord()) }

// typeOrStateText returns the file's type, with the length of a video, or why the file cannot be used.
func (f File) typeOrStateText() string {
	if state := f.unusableLabel(); state != "" {
		return state
	}
	if length := f.formatVideoLengthOrEmpty(); length != "" {
		return f.typeLabel() + " (" + length + ")"
	}
	return f.typeLabel()
}

func (f File) formatDimensionsOrEmpty() (textOrEmpty string) {
	if f.Width == nil || f.Height == nil {
		return ""
	}
	return fmt.Sprintf("%d × %d", *f.Width, *f.Height)
}

func (f File) sizeText() string { return core.FormatBytes(f.Size) }

func (f File) tagList() string { return strings.Join(f.Tags, ", ") }

// altTextOrName returns the file's alternative text or, if it has none, its name.
func (f File) altTextOrName() string {
	if f.Description != nil {
		return *f.Description
	}
	return f.name()
}

// summary returns the file's kind, length, size and state on one line.
func (f File) summary() string {
	if state := f.unusableLabel(); state != "" {
		return f.kindWord() + " · " + state
	}
	parts := []string{f.kindWord(), f.formatVideoLengthOrEmpty(), f.sizeText()}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// Names of the inputs of a file's form.
const (
	FieldName        = "name"
	FieldDescription = "description"
	FieldTags        = "tags"
	FieldFolder      = "folder"
	FieldPinned      = "pinned"
)

// FileValues are the values of a file's form.
type FileValues struct {
	Name, Description, Tags, Folder string
	Pinned                          bool
}

// NewFileValues returns the values of the form for a file.
func NewFileValues(m contract.Media) FileValues {
	v := FileValues{
		Name: File{Media: m}.name(), Tags: strings.Join(m.Tags, ", "), Folder: link.RootFolder, Pinned: m.Pinned,
	}
	if m.Description != nil {
		v.Description = *m.Description
	}
	if m.FolderID != nil {
		v.Folder = *m.FolderID
	}
	return v
}

// FileModel is the page of a file.
type FileModel struct {
	Frame layout.Frame
	File
	// URL is the address of the bytes; empty if they were deleted or are not uploaded yet.
	URL     string
	Folders Tree
	Posts   []FilePost
	// MorePosts reports that posts other than Posts also use the file.
	MorePosts bool
	// InUse reports that a draft, a queued post or a post with a pending retry uses the file. Retention is how long the
	// bytes are kept after the last post with the file went live.
	InUse     bool
	Retention time.Duration
	Zone      core.Zone
	Form      string // value of ui.FieldForm
	Values    FileValues
	// Changed reports that somebody else changed the file after the form was opened.
	Changed bool
	Refused *contract.Error
	Errors  map[string]string
	Back    link.MediaFilter
	// PreviousID and NextID are the files directly before and after this one in the list; "" for none.
	PreviousID, NextID string
	InDrawer           bool // shown in the library's drawer instead of on a page
}

// FilePost is a post that uses a file.
type FilePost struct{ ID, Status, Title, Line string }

// retentionText returns the retention in words.
func (m FileModel) retentionText() string { return formatRetention(m.Retention) }

func formatRetention(d time.Duration) string {
	if d%time.Hour != 0 {
		return ui.CountNoun(int(d.Minutes()), "minute", "minutes")
	}
	return ui.CountNoun(int(d.Hours()), "hour", "hours")
}

// whyKeptText says why the file's bytes are kept. It returns "" if they are not.
func (m FileModel) whyKeptText() (textOrEmpty string) {
	switch {
	case m.Status != string(core.MediaReady) || m.PurgedAt != nil || !m.DeletedAt.IsZero():
		return ""
	case m.Pinned:
		return "Pinned: kept until you unpin or delete the file."
	}
	if m.InUse {
		return "Kept until the last post with this file is live, and for " + m.retentionText() + " after that."
	}
	return "Kept until " + m.retentionText() + " after a post with this file goes live."
}

// offersPinning reports whether the page offers to pin the file: that would keep the file's bytes longer, and the
// person may do it.
func (m FileModel) offersPinning() bool {
	return m.Frame.Writes && !m.Pinned && m.Status == string(core.MediaReady) && m.PurgedAt == nil
}
