package posts

import (
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/views/ui"
)

// File is a file of a post for display.
type File struct {
	ID    string
	Name  string
	Video bool
	// Length is the length of a video; zero if it is not known.
	Length time.Duration
	// Thumbnail is the address of a thumbnail; empty if there is none.
	Thumbnail string
	// Alt is the file's description in the library.
	Alt string
	// Processing reports that the file cannot be used yet.
	Processing bool
	// Trouble is a short reason why the file cannot be published; empty if it can.
	Trouble string
	// Broken reports that the file must be replaced: it is deleted, or it is not a usable image or video.
	Broken bool
}

// Kind returns the kind of the file.
func (f File) Kind() core.FileKind {
	if f.Video {
		return core.FileVideo
	}
	return core.FileImage
}

func (f File) iconName() string {
	if f.Broken {
		return "file-x"
	}
	if f.Video {
		return "film"
	}
	return "image"
}

// summary returns the kind of the file, the duration of a video, and the file's trouble if it has any.
func (f File) summary() string {
	word := "Image"
	if f.Video {
		word = "Video"
	}
	if f.Length > 0 {
		seconds := int(f.Length.Round(time.Second).Seconds())
		word += fmt.Sprintf(" · %d:%02d", seconds/60, seconds%60)
	}
	if f.Trouble != "" {
		word += " · " + f.Trouble
	}
	return word
}

func fileCountText(n int) string { return ui.CountNoun(n, "file", "files") }
