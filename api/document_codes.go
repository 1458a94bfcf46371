package api

import (
	"fmt"
	"strings"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

// meaning explains an error code: when it is returned, and what to do.
type meaning struct{ when, advice string }

// meanings explains the error codes. The OpenAPI document, its examples and docs/api/errors.md are generated from them.
var meanings = map[core.Code]meaning{
	core.CodeInvalidRequest: {"The request is not valid: for example, the JSON is malformed, a field is unknown or repeated, or a type, time zone or date is invalid.", "Read `message` and `hint`, then correct the request."},
	core.CodeUnauthenticated: {
		"The credential is missing, mistyped or revoked.",
		"Send an API key. Owners and admins can create keys in the dashboard, under Settings > API keys.",
	},
	core.CodeQuotaExceeded:     {"The subscription plan does not include what the request needs, or one of its limits has been reached: for example, the monthly post quota is used up, the file is too large, or the storage is full. The response contains `limit`, `used` and `upgradeUrl`.", "Follow `hint`, or change the subscription plan."},
	core.CodeInsufficientScope: {"The credential does not allow the request: the credential is read-only, or the route requires a signed-in person, a recent sign-in or another role.", "Use another credential, or sign in again."},
	core.CodeNotFound: {
		"The path does not exist, or the workspace has no record with this ID. The response is the same for an ID from another workspace.",
		"Check the path, and use an ID from one of this workspace's lists.",
	},
	core.CodeMethodNotAllowed: {
		"The path does not support this method.",
		"The `Allow` header lists the supported methods.",
	},
	core.CodeConflict: {"The current state does not allow the request: for example, the post is being published, or the name is taken.", "Read `message` and `hint`, and get the record again to see its current state."},
	core.CodeConfirmRequired: {
		"The request body does not contain `confirm: true`. Nothing was created.",
		"Check the plan with `POST /posts/plan`, then repeat the request with `confirm: true`.",
	},
	core.CodePlanHasIssues: {"The plan has issues. The response contains the plan's `rows`.", "Fix the issues in `rows`."},
	core.CodeMediaPurged: {
		"A post uses a file whose content has been deleted. The response contains the plan's `rows`.",
		"Upload the file again, and use its new ID. If the post has failed, duplicate it, and use the new ID in the duplicate.",
	},
	core.CodeSizeMismatch: {
		"The `Content-Length` of an upload differs from the reserved `size`. If the header is missing, the status is 411.",
		"Set `Content-Length` to the reserved size.",
	},
	core.CodeAlreadyUploaded: {
		"The file has already been uploaded to this upload address.",
		"Poll the file's record until its `status` is `ready` or `failed`.",
	},
	core.CodeUploadInProgress: {"Another PUT to this upload address is still in progress, or was interrupted less than 30 seconds ago.", "Wait for the number of seconds in `Retry-After`, then try again."},
	core.CodeUploadExpired:    {"The upload address has expired.", "Reserve a new upload with `POST /media/uploads`, and use its new ID."},
	core.CodeOutcomeUnknown: {
		"Belfry does not know whether the network published the post.",
		"Check the account on the network. If the post is not there, retry it with `confirmNotPublished: true`. You can also record in the dashboard whether the post was published.",
	},
	core.CodeIdempotencyMismatch: {"The Idempotency-Key has already been used for another request.", "Use a new Idempotency-Key."},
	core.CodeIdempotencyInProgress: {
		"The first request with this Idempotency-Key is still in progress.",
		"Wait for the number of seconds in `Retry-After`, then try again.",
	},
	core.CodePayloadTooLarge: {"The request body is larger than 1 MiB.", "Send a smaller body. To upload a file, reserve an upload address."},
	core.CodeUnsupportedMediaType: {
		"The Content-Type is not JSON in UTF-8.",
		"Send JSON in UTF-8 with the header `Content-Type: application/json`.",
	},
	core.CodeRateLimited: {"A rate limit has been reached.", "Wait for the number of seconds in `Retry-After`, then try again."},
	core.CodeUnavailable: {
		"The service is temporarily unavailable.",
		"Wait for the number of seconds in `Retry-After`, then try again.",
	},
	core.CodeInternal: {
		"Something went wrong on the server.",
		"Give the operator the `X-Request-Id`, which identifies the request in the log.",
	},
}

// formatCodesChapter returns the Markdown chapter about all codes of errors, issues and warnings.
func formatCodesChapter() string {
	return "## Error codes\n\n" + formatErrorCodeTable() +
		"\n## Plan issues\n\nIf any row of a plan has an issue, none of the plan's posts can be created.\n\n" + formatIssueTable() +
		"\n## Plan warnings\n\nPosts can be created despite warnings.\n\n" + formatWarningTable()
}

func formatErrorCodeTable() string {
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

func formatIssueTable() string {
	return formatIssueTextTable(func(t core.IssueText) bool { return !t.Warning })
}

func formatWarningTable() string {
	return formatIssueTextTable(func(t core.IssueText) bool { return t.Warning })
}

// formatIssueTextTable returns a table of the issues and warnings for which include returns true.
func formatIssueTextTable(include func(core.IssueText) bool) string {
	var b strings.Builder
	b.WriteString("| Code | Message | Hint |\n|---|---|---|\n")
	for _, t := range core.AllIssueTexts() {
		if include(t) {
			message, hint := t.WithEllipses()
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Code, message, hint)
		}
	}
	return b.String()
}
