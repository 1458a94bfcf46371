package publish

import (
	"context"
	"errors"
	"time"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// checkOrConvertFilesIfNeeded checks that the files for a call can be sent, and makes the JPEGs that are sent in place
// of some. It returns a *network.Error if a file cannot be sent.
func (c *claim) checkOrConvertFilesIfNeeded(ctx context.Context, do core.Action) error {
	if !c.mustCheckFiles(do) {
		return nil
	}
	if c.unreachable {
		return network.NewMediaUnreachableError(c.desc.Name)
	}
	for i, file := range c.files {
		err := c.checkOrConvertFileAndSetSize(ctx, i)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			issue := core.IssueMediaPurged.WithoutNetwork(file.Name)
			if known := file.Issue(); known != nil {
				issue = *known
			}
			if issue.Code == core.IssueMediaPurged.Code {
				issue.Hint = core.HintReplacePurgedFile
			}
			c.fileIssue = &issue
			return &network.Error{Kind: network.Rejected, Code: string(issue.Code), Message: issue.Message, Hint: issue.Hint}
		case err != nil:
			c.log.Warn("could not read one of the post's files", "media", file.ID, "error", err)
			return &network.Error{Kind: network.NotSent, Message: "The file " + file.Name + " could not be read."}
		}
	}
	c.filesChecked = true
	return nil
}

// mustCheckFiles reports whether a call is the claim's first that sends or refers to files: a network that has returned
// a handle has already downloaded them.
func (c *claim) mustCheckFiles(do core.Action) bool {
	sendsRest := do == core.DoStatus && c.pushes && !c.pub.Armed
	return !c.filesChecked && (do == core.DoCreate || sendsRest)
}

// convertPatience is how long the claims of a post wait for the conversion of its images, all together. After that, the
// call converts them, within its own time limit.
const convertPatience = time.Hour

// convertFilesWithinTimeout makes the JPEGs that a call needs before the call begins, because conversions wait for each
// other. inTime is false if that takes longer than a call may: the next claim continues. The call reports all other
// errors.
func (c *claim) convertFilesWithinTimeout(ctx context.Context, do core.Action) (inTime bool) {
	patience := c.engine.cfg.Schedule.CallTimeout()
	waited := time.Duration(c.pub.Polls) * patience
	if !c.mustCheckFiles(do) || c.unreachable || c.pub.Rest == store.RestConverting && waited > convertPatience {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i, jpeg := range c.conversions {
		if jpeg != nil && c.checkOrConvertFileAndSetSize(ctx, i) != nil && ctx.Err() != nil {
			return false
		}
	}
	return true
}

// checkOrConvertFileAndSetSize checks that a file can be opened. If a JPEG is sent in place of the file,
// checkOrConvertFileAndSetSize makes the JPEG, and sets its size in c.item.
func (c *claim) checkOrConvertFileAndSetSize(ctx context.Context, index int) error {
	jpeg := c.conversions[index]
	object, err := c.engine.cfg.OpenFile(ctx, c.files[index], jpeg)
	if err != nil {
		return err
	}
	if jpeg != nil {
		c.item.Files[index].Bytes = object.Size()
	}
	return object.Close()
}
