package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// NewRevision returns a string that identifies an object's content. A form sends back the revision that it showed, so
// that Belfry notices a change by somebody else. The values must be texts, bytes, booleans, ids, or lists of these.
func NewRevision(values ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", values))
	return hex.EncodeToString(sum[:8])
}
