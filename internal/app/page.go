package app

import "belfry/internal/core"

// Page sizes of lists (decisions.md, Shape of the API).
const (
	defaultPageSize = 50
	maxPageSize     = 100
)

// parsePageSize returns the number of rows of a page for the `limit` of a request: the default for 0, and invalid_request
// for a number that is not allowed.
func parsePageSize(limit int) (int, error) {
	if limit == 0 {
		return defaultPageSize, nil
	}
	if limit < 1 || limit > maxPageSize {
		return 0, core.Invalid("limit", "A page has 1 to %d rows.", maxPageSize)
	}
	return limit, nil
}
