package publish

import (
	"context"
	"errors"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// checkFilesAvailable returns a *network.Error if a file of the post cannot be sent. It checks only before a claim's
// first call that sends or refers to files: a network that has returned a handle has already downloaded them.
func (c *claim) checkFilesAvailable(ctx context.Context, do core.Action) error {
	if c.filesChecked || do != core.DoCreate && do != core.DoStatus || c.pub.Armed || c.pub.Handle != "" && !c.pushes {
		return nil
	}
	if c.unreachable {
		return network.NewMediaUnreachableError(c.desc.Name)
	}
	for _, file := range c.files {
		object, err := c.openFile(ctx, file)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			issue := core.IssueMediaPurged.With(file.Name)
			if known := file.Issue(); known != nil {
				issue = *known
			}
			c.fileIssue = &issue
			return &network.Error{Kind: network.Rejected, Code: string(issue.Code), Message: issue.Message, Hint: issue.Hint}
		case err != nil:
			c.log.Warn("could not read a file of a post", "media", file.ID, "error", err)
			return &network.Error{Kind: network.NotSent, Message: "The file " + file.Name + " could not be read."}
		}
		_ = object.Close() // it was not read
	}
	c.filesChecked = true
	return nil
}

// openFile opens a file for reading. It returns blob.ErrNotFound if the file cannot be sent.
func (c *claim) openFile(ctx context.Context, file store.Media) (blob.Object, error) {
	if file.Issue() != nil || file.Blob == "" {
		return nil, blob.ErrNotFound
	}
	return c.engine.cfg.Blobs.Open(ctx, file.Blob)
}
