package web

import (
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/posts"
)

// filesOf are the files that a post names, in its order.
func (v *visit) filesOf(ids []string) ([]posts.File, error) {
	found, err := v.web.cfg.App.PostFiles(v.ctx(), v.caller, ids)
	return shownFiles(ids, found), err
}

func shownFiles(ids []string, found map[string]contract.Media) []posts.File {
	var list []posts.File
	for _, id := range ids {
		m, ok := found[id]
		if !ok {
			continue
		}
		f := posts.File{Name: m.OriginalName, Video: m.Kind == string(core.FileVideo), Trouble: troubleWords[m.Status]}
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
var troubleWords = map[string]string{
	string(core.MediaUploading): "not uploaded yet", string(core.MediaProcessing): "being looked at", string(core.MediaFailed): "cannot be used",
}
