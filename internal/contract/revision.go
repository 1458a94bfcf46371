package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// newRevision returns a text that identifies an object's content. A form sends back the revision that it showed, so
// that a change by somebody else is noticed. A value must not contain pointers.
func newRevision(values ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", values))
	return hex.EncodeToString(sum[:8])
}

// textOrEmpty returns a text that may be null, or "".
func textOrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
