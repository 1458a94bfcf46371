package layout_test

import (
	"fmt"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/static"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/media"
)

func (f fixture) mediaPages() map[string]templ.Component {
	frame := f.frame("Media", layout.SectionMedia)
	folders := media.NewTree([]contract.Folder{
		{ID: "fld_1", Name: "Summer"}, {ID: "fld_2", Name: "Bells & ropes", ParentID: new("fld_1")}, {ID: "fld_3", Name: "Winter"},
	})
	file := func(n int, name string) contract.Media {
		return contract.Media{
			ID: fmt.Sprintf("med_%d", n), Kind: "image", OriginalName: name, Mime: "image/jpeg", Size: 482_133, Status: "ready",
			Width: new(1080), Height: new(1350), Tags: []string{"bells", "noon"}, CreatedAt: *f.in(-time.Hour),
			ThumbnailURL: new(static.URL("icon.svg")),
		}
	}
	noon, video, broken, waits, gone := file(1, "bell-at-noon.jpg"), file(2, "casting-day-with-a-rather-long-name.mp4"),
		file(3, "page.jpg"), file(4, "rope.png"), file(5, "old.jpg")
	noon.Pinned, noon.Title, noon.Description = true, new("The bell at noon"), new("A bronze bell against a blue sky")
	video.Kind, video.Mime, video.DurationMs = "video", "video/mp4", new(int64(83_000))
	broken.Status, broken.FailReason, broken.ThumbnailURL = "failed", new("The file is a web page."), nil
	waits.Status, waits.ThumbnailURL = "processing", nil
	gone.CreatedAt, gone.PublishedAt, gone.PurgedAt = *f.in(-80 * time.Hour), f.in(-73*time.Hour), f.in(-time.Hour)
	library := media.LibraryModel{
		Frame: frame, Folders: folders, Filter: link.MediaFilter{Folder: "fld_1"}, Next: "med_5",
		Files: []media.File{
			{Media: noon}, {Media: video, DeletedAt: f.now.Add(24 * time.Hour)}, {Media: broken}, {Media: waits}, {Media: gone},
		},
		Retention: 72 * time.Hour, Zone: f.zone,
	}
	filtered := library
	filtered.Filter = link.MediaFilter{Folder: "fld_1", Query: "bell", Kind: "image", Tags: []string{"noon", "dusk"}, Sort: "name"}
	list := library
	list.Filter.View, list.Filter.After = "list", "med_9"
	refused := library
	refused.Files, refused.NewFolder, refused.Renamed = nil, "Winter", "Winter"
	refused.Errors = map[string]string{"new-folder": "Another folder has this name.", "folder-name": "Another folder has this name."}
	first := media.LibraryModel{Frame: frame, Retention: 72 * time.Hour}
	none := first
	none.Filter.Query = "zyzzyva"
	end := first
	end.Filter.After = "med_1"
	viewer := library
	viewer.Frame.Writes = false
	reader := first
	reader.Frame.Writes = false

	page := media.FileModel{
		Frame: frame, File: media.File{Media: noon}, URL: static.URL("icon.svg"), Folders: folders, Zone: f.zone,
		Retention: 72 * time.Hour, Values: media.NewFileValues(noon), MorePosts: true, NextID: "med_2",
		Posts: []media.FilePost{{ID: postID, Status: "live", Title: "The workshop bell is up", Line: "Live · Threads · Ada Lindqvist"}},
	}
	watched := page
	watched.File, watched.DeletedAt, watched.Posts = media.File{Media: video}, f.now.Add(time.Hour), nil
	viewed := watched
	viewed.Frame.Writes = false
	removed := page
	removed.File, removed.URL, removed.Values = media.File{Media: gone}, "", media.NewFileValues(gone)
	wrong := page
	wrong.File, wrong.URL, wrong.Posts, wrong.MorePosts = media.File{Media: broken}, "", nil, false
	wrong.Errors = map[string]string{"name": "The text is longer than 2000 bytes.", "description": "Too long.", "tags": "Too many."}
	picker := media.PickModel{Link: frame.Link, Folders: folders, Files: library.Files, Next: "med_5"}
	return map[string]templ.Component{
		"media": media.Library(library), "media-list": media.Library(list), "media-refused": media.Library(refused),
		"media-first": media.Library(first), "media-no-match": media.Library(none), "media-end": media.Library(end),
		"media-filtered": media.Library(filtered), "media-viewer": media.Library(viewer), "media-reader": media.Library(reader),
		"media-file": media.FilePage(page), "media-video": media.FilePage(watched), "media-removed": media.FilePage(removed),
		"media-file-wrong": media.FilePage(wrong), "media-video-viewer": media.FilePage(viewed),
		"part-media": media.LibraryPart(library), "part-file": media.FilePart(page), "part-pick": media.PickPart(picker),
		"part-pick-none": media.PickFiles(media.PickModel{Link: frame.Link}),
	}
}
