package app

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// loadFiles returns the files of a request's mediaIds in the same order, with repetitions. It returns not_found if a
// file does not exist.
func loadFiles(ctx context.Context, t store.Tenant, texts []string) ([]core.Media, error) {
	ids, err := parseIDs[core.MediaKind]("mediaIds", texts)
	if err != nil {
		return nil, err
	}
	found, err := t.MediaByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	return filesInOrder(found, ids)
}

func filesInOrder(found map[core.MediaID]core.Media, ids []core.MediaID) ([]core.Media, error) {
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

// fileIssues returns an issue for each file that cannot be published, without duplicates.
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

// lockFiles locks files, so that their bytes are kept, until the end of the transaction that makes a post use them.
// It returns an issue for each file whose content was deleted meanwhile, and not_found for a file that was deleted.
func lockFiles(ctx context.Context, t store.Tenant, ids []core.MediaID) ([]core.Issue, error) {
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

// savePostFiles replaces the files of a draft.
func savePostFiles(ctx context.Context, t store.Tenant, p *core.Post) error {
	issues, err := lockFiles(ctx, t, p.MediaIDs)
	if err != nil {
		return err
	}
	if len(issues) > 0 {
		return planErrorForPost(p, issues)
	}
	return t.SetPostMedia(ctx, p.ID, p.MediaIDs)
}

// lockAvailableFiles locks the files of a post that is published again until the transaction ends, or returns an error if
// they are no longer available.
func lockAvailableFiles(ctx context.Context, t store.Tenant, p *core.Post) error {
	if len(p.MediaIDs) == 0 {
		return nil
	}
	if _, err := t.LockMediaShared(ctx, p.MediaIDs); err != nil {
		return err
	}
	files, err := t.MediaInOrder(ctx, p.MediaIDs)
	if err != nil {
		return err
	}
	if issues := fileIssues(files); len(issues) > 0 {
		return planErrorForPost(p, issues)
	}
	return nil
}
