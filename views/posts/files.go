package posts

import (
	"fmt"
	"time"

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
	// Trouble is a short reason why the file cannot be published; empty if it can.
	Trouble string
}

func (f File) iconName() string {
	if f.Video {
		return "film"
	}
	return "image"
}

func (f File) kindLabel() string {
	word := "Image"
	if f.Video {
		word = "Video"
	}
	if f.Length > 0 {
		seconds := int(f.Length.Round(time.Second).Seconds())
		word += fmt.Sprintf(", %d:%02d", seconds/60, seconds%60)
	}
	if f.Trouble != "" {
		word += " · " + f.Trouble
	}
	return word
}

func countFiles(n int) string { return ui.CountNoun(n, "file", "files") }
