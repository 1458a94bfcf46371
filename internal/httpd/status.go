package httpd

import (
	"net/http"

	"belfry/internal/core"
)

// statuses maps codes to HTTP statuses (Spec §7, decisions.md).
var statuses = map[core.Code]int{
	core.CodeInvalidRequest:        http.StatusBadRequest,
	core.CodeUnauthenticated:       http.StatusUnauthorized,
	core.CodeQuotaExceeded:         http.StatusPaymentRequired,
	core.CodeInsufficientScope:     http.StatusForbidden,
	core.CodeNotFound:              http.StatusNotFound,
	core.CodeMethodNotAllowed:      http.StatusMethodNotAllowed,
	core.CodeConflict:              http.StatusConflict,
	core.CodeConfirmRequired:       http.StatusConflict,
	core.CodePlanHasIssues:         http.StatusConflict,
	core.CodeMediaPurged:           http.StatusConflict,
	core.CodeSizeMismatch:          http.StatusBadRequest, // 411 when the length is missing
	core.CodeAlreadyUploaded:       http.StatusConflict,
	core.CodeUploadInProgress:      http.StatusConflict,
	core.CodeUploadExpired:         http.StatusGone,
	core.CodeOutcomeUnknown:        http.StatusConflict,
	core.CodeIdempotencyMismatch:   http.StatusConflict,
	core.CodeIdempotencyInProgress: http.StatusConflict,
	core.CodePayloadTooLarge:       http.StatusRequestEntityTooLarge,
	core.CodeUnsupportedMediaType:  http.StatusUnsupportedMediaType,
	core.CodeRateLimited:           http.StatusTooManyRequests,
	core.CodeUnavailable:           http.StatusServiceUnavailable,
	core.CodeInternal:              http.StatusInternalServerError,
}

// Status returns the HTTP status of a code.
func Status(code core.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}
