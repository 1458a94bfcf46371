package publish

import (
	"context"
	"errors"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/network"
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
	for i, file := range c.files {
		err := c.checkOrConvertFile(ctx, i)
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
	}
	c.filesChecked = true
	return nil
}

// checkOrConvertFile checks that a file can be opened. If this server sends a JPEG in place of the file,
// checkOrConvertFile creates the JPEG and sets its size in c.item.
func (c *claim) checkOrConvertFile(ctx context.Context, i int) error {
	jpeg := c.conversions[i]
	if !c.pushes {
		jpeg = nil // it is made when the network downloads it
	}
	object, err := c.engine.cfg.OpenFile(ctx, c.files[i], jpeg)
	if err != nil {
		return err
	}
	if jpeg != nil {
		c.item.Files[i].Bytes = object.Size()
	}
	return object.Close()
}
