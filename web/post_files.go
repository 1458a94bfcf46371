package web

import (
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/posts"
)

// loadFiles are the files that a post names, in its order.
func (r *request) loadFiles(ids []string) ([]posts.File, error) {
	found, err := r.web.cfg.App.PostFiles(r.context(), r.caller, ids)
	return fileViews(ids, found), err
}

func fileViews(ids []string, found map[string]contract.Media) []posts.File {
	var list []posts.File
	for _, id := range ids {
		m, ok := found[id]
		if !ok {
			continue
		}
		f := posts.File{Name: m.OriginalName, Video: m.Kind == string(core.FileVideo), Trouble: fileTroubles[m.Status]}
		if m.DurationMs != nil {
			f.Length = time.Duration(*m.DurationMs) * time.Millisecond
		}
		if m.ThumbnailURL != nil {
			f.Thumbnail = *m.ThumbnailURL
		}
		if m.PurgedAt != nil {
			f.Trouble, f.Thumbnail = "removed", ""
		}
		list = append(list, f)
	}
	return list
}

// troubleWords say of a file's state why the file cannot be sent.
var fileTroubles = map[string]string{
	string(core.MediaUploading): "not uploaded yet", string(core.MediaProcessing): "processing",
	string(core.MediaFailed): "cannot be used",
}
