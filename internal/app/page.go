package app

import "belfry/internal/core"

// Page sizes of lists (decisions.md, Shape of the API).
const (
	defaultPageSize = 50
	maxPageSize     = 100
)

// parsePageSizeOrDefault returns the number of rows per page for the `limit` of a request: the default for 0, and
// invalid_request for a limit that is out of range.
func parsePageSizeOrDefault(limit int) (rows int, err error) {
	if limit == 0 {
		return defaultPageSize, nil
	}
	if limit < 1 || limit > maxPageSize {
		return 0, core.Invalid("limit", "A page can have 1 to %d rows.", maxPageSize)
	}
	return limit, nil
}
