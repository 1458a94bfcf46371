package app

import (
	"context"
	"errors"

	"belfry/internal/core"
	"belfry/internal/store"
)

// loadFiles returns the files of a request's mediaIds in the same order, with repetitions. It returns not_found if a
// file does not exist.
func loadFiles(ctx context.Context, t store.Tenant, idTexts []string) ([]core.Media, error) {
	ids, err := parseIDs[core.MediaKind]("mediaIds", idTexts)
	if err != nil {
		return nil, err
	}
	found, err := t.MediaWithoutUnverifiedFacts(ctx, ids)
	if err != nil {
		return nil, err
	}
	return pickFilesInOrder(found, ids)
}

// pickFilesInOrder returns the files with these ids, in the order of the ids. For a missing file, it returns
// not_found with the index of the id.
func pickFilesInOrder(found map[core.MediaID]core.Media, ids []core.MediaID) ([]core.Media, error) {
	files := make([]core.Media, len(ids))
	for i, id := range ids {
		file, ok := found[id]
		if !ok {
			return nil, core.NotFoundAt(indexedPath("mediaIds", i))
		}
		files[i] = file
	}
	return files, nil
}

func mediaIDs(files []core.Media) []core.MediaID {
	return convertAll(files, func(file core.Media) core.MediaID { return file.ID })
}

// fileIssues returns one issue for each file that cannot be published.
func fileIssues(files []core.Media) []core.Issue {
	var issues []core.Issue
	seen := map[core.MediaID]bool{}
	for _, file := range files {
		if issue := file.Issue(); issue != nil && !seen[file.ID] {
			issues, seen[file.ID] = append(issues, *issue), true
		}
	}
	return issues
}

// lockFilesAndFindPurged locks files until the end of the transaction, so that their bytes are not deleted before the
// post uses them. It returns an issue for each file whose bytes have been deleted, and not_found for a file that does
// not exist.
func lockFilesAndFindPurged(ctx context.Context, t store.Tenant, ids []core.MediaID,
) (purgedIssues []core.Issue, err error) {
	held, err := t.LockMediaShared(ctx, ids)
	if err != nil {
		return nil, err
	}
	var removed []core.Media
	for _, id := range ids {
		file, ok := held[id]
		if !ok {
			return nil, core.NotFound()
		}
		if !file.PurgedAt.IsZero() {
			removed = append(removed, file)
		}
	}
	return fileIssues(removed), nil
}

// savePostFilesUnlessPurged locks the files of an edited post as lockFilesAndFindPurged does, and stores which files
// the post has. It returns media_purged if the bytes of one of them have been deleted.
func savePostFilesUnlessPurged(ctx context.Context, t store.Tenant, p core.Post) error {
	issues, err := lockFilesAndFindPurged(ctx, t, p.MediaIDs)
	if err != nil {
		return err
	}
	if len(issues) > 0 {
		return refuseIfPostHasIssues(p, issues)
	}
	return t.SetPostMedia(ctx, p.ID, p.MediaIDs)
}

// lockPublishablePostFiles locks the files of a post that is to be published again, until the transaction ends. It
// returns an error if one of the files cannot be published.
func lockPublishablePostFiles(ctx context.Context, t store.Tenant, p core.Post) error {
	if len(p.MediaIDs) == 0 {
		return nil
	}
	if _, err := t.LockMediaShared(ctx, p.MediaIDs); err != nil {
		return err
	}
	files, err := t.MediaInOrderIncludingDeleted(ctx, p.MediaIDs)
	if err != nil {
		return err
	}
	if issues := fileIssues(files); len(issues) > 0 {
		return replaceHintsIfMediaPurged(refuseIfPostHasIssues(p, issues))
	}
	return nil
}

// replaceHintsIfMediaPurged replaces the hints about purged files in a media_purged error with one for a failed post,
// whose files cannot be changed. It returns any other error unchanged.
func replaceHintsIfMediaPurged(err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.CodeMediaPurged {
		return err
	}
	for _, row := range e.Rows {
		for i := range row.Issues {
			if row.Issues[i].Code == core.IssueMediaPurged.Code {
				row.Issues[i].Hint = core.HintReplacePurgedFile
			}
		}
	}
	return e.WithHint("%s The `rows` field contains the file's name.", core.HintReplacePurgedFile)
}
