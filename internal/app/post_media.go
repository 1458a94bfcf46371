package app

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// findFiles returns the files that a request names in mediaIds, in its order and as often as it names them. One that
// does not exist is not_found.
func findFiles(ctx context.Context, t store.Tenant, texts []string) ([]core.Media, error) {
	ids, err := parseIDs[core.MediaKind]("mediaIds", texts)
	if err != nil {
		return nil, err
	}
	found, err := t.MediaByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	return pickFiles(found, ids)
}

func pickFiles(found map[core.MediaID]core.Media, ids []core.MediaID) ([]core.Media, error) {
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

// fileIssues says which files cannot go out, each once.
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

// lockFiles keeps the bytes of files until the transaction ends, which makes a post use them. What was removed
// since the files were looked at is an issue; what was deleted is not_found.
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

// replaceFiles gives a draft other files.
func replaceFiles(ctx context.Context, t store.Tenant, p *core.Post) error {
	issues, err := lockFiles(ctx, t, p.MediaIDs)
	if err != nil {
		return err
	}
	if len(issues) > 0 {
		return postPlanError(p, issues)
	}
	return t.SetPostMedia(ctx, p.ID, p.MediaIDs)
}

// lockPostFiles makes sure that a post which is to go out once more still has its files, and keeps them until the
// transaction ends.
func lockPostFiles(ctx context.Context, t store.Tenant, p *core.Post) error {
	if len(p.MediaIDs) == 0 {
		return nil
	}
	if _, err := t.LockMediaShared(ctx, p.MediaIDs); err != nil {
		return err
	}
	files, err := t.PostMedia(ctx, p.MediaIDs)
	if err != nil {
		return err
	}
	if issues := fileIssues(files); len(issues) > 0 {
		return postPlanError(p, issues)
	}
	return nil
}
