package api

import (
	"fmt"
	"strings"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

// meaning says of a code when it is answered, and what to do then, in sentences.
type meaning struct{ when, advice string }

// meanings is the one place that explains the error codes; the description, its examples and
// docs/api/errors.md are made of it.
var meanings = map[core.Code]meaning{
	core.CodeInvalidRequest:        {"The request cannot be understood: broken JSON, an unknown or repeated key, a wrong type, zone or date.", "`hint` names the place."},
	core.CodeUnauthenticated:       {"The credential is missing, mistyped or revoked.", "Send a key from Settings, API keys."},
	core.CodeQuotaExceeded:         {"The plan does not include this, the month's posts are used up, or the file or the storage is too large; the body carries `limit`, `used` and `upgradeUrl`.", "Wait, cancel a post, delete files, or change the plan."},
	core.CodeInsufficientScope:     {"The credential may not do this: it only reads, or the route needs a signed-in person or another role.", "Use another credential."},
	core.CodeNotFound:              {"Nothing in this workspace has the id; an id of another workspace looks the same.", "Take ids from the lists this workspace answers."},
	core.CodeMethodNotAllowed:      {"The path does not take this method.", "`Allow` lists those that it takes."},
	core.CodeConflict:              {"The record is not in a state in which this can be done: a post is being sent, a name is taken.", "Read it again, then decide."},
	core.CodeConfirmRequired:       {"The body lacks `confirm: true`; nothing was created.", "Look at the plan first."},
	core.CodePlanHasIssues:         {"The plan has issues; the body carries its `rows`.", "Mend what the rows name."},
	core.CodeMediaPurged:           {"A post names a file whose bytes were removed; the body carries the plan's `rows`.", "Upload the file again."},
	core.CodeSizeMismatch:          {"Upload address only: `Content-Length` is not the reserved `size`; 411 when it is missing.", "Send `Content-Length` as reserved."},
	core.CodeAlreadyUploaded:       {"Upload address only: the file is there already.", "Read its record until it is ready or failed."},
	core.CodeUploadInProgress:      {"Upload address only: another PUT is bringing the file, or broke off within the last half minute.", "Wait as many seconds as `Retry-After` says."},
	core.CodeUploadExpired:         {"Upload address only: its hour has passed.", "Reserve a new one."},
	core.CodeOutcomeUnknown:        {"Nobody knows whether the network took the post.", "Look at the network; then send `confirmNotPublished`, or say in the dashboard what you saw."},
	core.CodeIdempotencyMismatch:   {"The Idempotency-Key was used with another body.", "Use a new key."},
	core.CodeIdempotencyInProgress: {"The first request with this Idempotency-Key has not been answered yet.", "Wait as many seconds as `Retry-After` says."},
	core.CodePayloadTooLarge:       {"The body is larger than 1 MiB.", "Send less; files go to an upload address."},
	core.CodeUnsupportedMediaType:  {"The body is not JSON by its Content-Type.", "Send JSON in UTF-8 with the header `Content-Type: application/json`."},
	core.CodeRateLimited:           {"A limit is reached.", "Wait as many seconds as `Retry-After` says."},
	core.CodeUnavailable:           {"The service cannot answer at the moment.", "Try again after as many seconds as `Retry-After` says."},
	core.CodeInternal:              {"Something went wrong on the server.", "Give the operator the `X-Request-Id`, under which the log has it."},
}

// codesChapter lists all codes of errors, issues and warnings.
func codesChapter() string {
	return "## Error codes\n\n" + codeTable() +
		"\n## Issues of a plan\n\nA row with an issue cannot be created.\n\n" + issueTable(false) +
		"\n## Warnings of a plan\n\nA row with a warning can be created.\n\n" + issueTable(true)
}

func codeTable() string {
	var b strings.Builder
	b.WriteString("| Code | Status | When | What to do |\n|---|---|---|---|\n")
	for _, code := range core.Codes {
		m := meanings[code]
		status := fmt.Sprint(httpd.Status(code))
		if code == core.CodeSizeMismatch {
			status += fmt.Sprint(", ", lengthRequired)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", code, status, m.when, m.advice)
	}
	return b.String()
}

func issueTable(warnings bool) string {
	var b strings.Builder
	b.WriteString("| Code | Message | Hint |\n|---|---|---|\n")
	for _, issue := range core.Issues() {
		if issue.Warning == warnings {
			message, hint := issue.Words()
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", issue.Code, message, hint)
		}
	}
	return b.String()
}
