package api

import (
	"fmt"
	"strings"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

// meanings say of every error code when it is answered.
var meanings = map[core.Code]string{
	core.CodeInvalidRequest:        "The request has a wrong form; `hint` names the place.",
	core.CodeUnauthenticated:       "The credential is missing, mistyped or revoked.",
	core.CodeQuotaExceeded:         "The plan does not include this, the month's posts are used up, or the file or the storage is too large; the body carries `limit`, `used` and `upgradeUrl`.",
	core.CodeInsufficientScope:     "The credential may not do this: it only reads, or the route needs a signed-in person.",
	core.CodeNotFound:              "Nothing in this workspace has the id.",
	core.CodeMethodNotAllowed:      "The path does not take this method; `Allow` lists those that it takes.",
	core.CodeConflict:              "The record is not in a state in which this can be done.",
	core.CodeConfirmRequired:       "The body lacks `confirm: true`; nothing was created.",
	core.CodePlanHasIssues:         "The plan has issues; the body carries its `rows`.",
	core.CodeMediaPurged:           "A post names a file whose bytes were removed.",
	core.CodeSizeMismatch:          "Upload address only: `Content-Length` is not the reserved `size`; 411 when it is missing.",
	core.CodeAlreadyUploaded:       "Upload address only: the file is there already.",
	core.CodeUploadInProgress:      "Upload address only: another PUT is bringing the file right now.",
	core.CodeUploadExpired:         "Upload address only: its time has passed.",
	core.CodeOutcomeUnknown:        "Nobody knows whether the network took the post; a person has to look first.",
	core.CodeIdempotencyMismatch:   "The Idempotency-Key was used with another body.",
	core.CodeIdempotencyInProgress: "The first request with this Idempotency-Key has not been answered yet.",
	core.CodePayloadTooLarge:       "The body is larger than 1 MiB.",
	core.CodeUnsupportedMediaType:  "The body is not JSON by its Content-Type.",
	core.CodeRateLimited:           "Too many requests; wait as many seconds as `Retry-After` says.",
	core.CodeUnavailable:           "The service cannot answer at the moment; try again after `Retry-After`.",
	core.CodeInternal:              "Something went wrong on the server; the log has it under the request id.",
}

// codesChapter lists all codes of errors, issues and warnings.
func codesChapter() string {
	var b strings.Builder
	b.WriteString("## Error codes\n\n| Status | Code | When |\n|---|---|---|\n")
	for _, code := range core.Codes {
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", httpd.Status(code), code, meanings[code])
	}
	b.WriteString("\n## Issues of a plan\n\nA row with an issue cannot be created.\n\n")
	issueTable(&b, false)
	b.WriteString("\n## Warnings of a plan\n\nA row with a warning can be created.\n\n")
	issueTable(&b, true)
	return b.String()
}

func issueTable(b *strings.Builder, warnings bool) {
	b.WriteString("| Code | Message | Hint |\n|---|---|---|\n")
	for _, issue := range core.Issues() {
		if issue.Warning == warnings {
			message, hint := issue.Words()
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", issue.Code, message, hint)
		}
	}
}
