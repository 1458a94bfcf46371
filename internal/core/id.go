package core

import (
	"database/sql/driver"
	"encoding/base32"
	"fmt"
	"strings"

	"github.com/gofrs/uuid/v5"
)

// Kind is what an ID identifies. Its IDPrefix begins the printed form.
type Kind interface{ IDPrefix() string }

// ID is an opaque identifier: a UUIDv7, which sorts by time, printed as a TypeID such as post_01jd2v…. Ids of
// different kinds have different types and prefixes, so neither Go nor a client can confuse them.
type ID[K Kind] struct{ uuid uuid.UUID }

// The kinds of ids.
type (
	// WorkspaceKind is the Kind of WorkspaceID.
	WorkspaceKind struct{}
	// UserKind is the Kind of UserID.
	UserKind struct{}
	// KeyKind is the Kind of KeyID.
	KeyKind struct{}
	// AccountKind is the Kind of AccountID.
	AccountKind struct{}
	// GroupKind is the Kind of GroupID.
	GroupKind struct{}
	// MediaKind is the Kind of MediaID.
	MediaKind struct{}
	// FolderKind is the Kind of FolderID.
	FolderKind struct{}
	// PostKind is the Kind of PostID.
	PostKind struct{}
	// MailKind is the Kind of MailID.
	MailKind struct{}
	// SessionKind is the Kind of SessionID.
	SessionKind struct{}
)

// IDPrefix returns the prefix of workspace ids.
func (WorkspaceKind) IDPrefix() string { return "ws" }

// IDPrefix returns the prefix of people's ids.
func (UserKind) IDPrefix() string { return "usr" }

// IDPrefix returns the prefix of API key ids.
func (KeyKind) IDPrefix() string { return "key" }

// IDPrefix returns the prefix of account ids.
func (AccountKind) IDPrefix() string { return "acc" }

// IDPrefix returns the prefix of group ids.
func (GroupKind) IDPrefix() string { return "grp" }

// IDPrefix returns the prefix of file ids.
func (MediaKind) IDPrefix() string { return "med" }

// IDPrefix returns the prefix of folder ids.
func (FolderKind) IDPrefix() string { return "fld" }

// IDPrefix returns the prefix of post ids.
func (PostKind) IDPrefix() string { return "post" }

// IDPrefix returns the prefix of email ids.
func (MailKind) IDPrefix() string { return "mail" }

// IDPrefix returns the prefix of session ids.
func (SessionKind) IDPrefix() string { return "ses" }

// The types of ids.
type (
	// WorkspaceID identifies a workspace.
	WorkspaceID = ID[WorkspaceKind]
	// UserID identifies a person.
	UserID = ID[UserKind]
	// KeyID identifies an API key.
	KeyID = ID[KeyKind]
	// AccountID identifies an account.
	AccountID = ID[AccountKind]
	// GroupID identifies a group of accounts.
	GroupID = ID[GroupKind]
	// MediaID identifies a media file.
	MediaID = ID[MediaKind]
	// FolderID identifies a folder of files.
	FolderID = ID[FolderKind]
	// PostID identifies a post.
	PostID = ID[PostKind]
	// MailID identifies an email.
	MailID = ID[MailKind]
	// SessionID identifies a browser session.
	SessionID = ID[SessionKind]
)

// Crockford's alphabet in lowercase, as TypeID requires.
var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID returns a new unique id.
func NewID[K Kind]() ID[K] { return ID[K]{uuid.Must(uuid.NewV7())} }

// ParseID parses the printed form. The error is not_found, so a malformed id, an id of another kind and an id of
// another workspace are indistinguishable (Spec §7).
func ParseID[K Kind](s string) (ID[K], error) {
	id, ok := parseIDAllowingZero[K](s)
	if !ok || id.IsZero() { // the zero id means "none" in many places, so no client may send it
		return ID[K]{}, NotFound()
	}
	return id, nil
}

// parseIDAllowingZero parses the printed form, including that of the zero id.
func parseIDAllowingZero[K Kind](s string) (parsed ID[K], ok bool) {
	var k K
	body, ok := strings.CutPrefix(s, k.IDPrefix()+"_")
	if !ok || len(body) != 26 || body[0] > '7' {
		return ID[K]{}, false
	}
	// 26 characters hold 130 bits: two leading zero bits, then the 128 of the UUID.
	raw, err := crockford.DecodeString("000000" + body)
	if err != nil || len(raw) != 20 { // the decoder skips newlines
		return ID[K]{}, false
	}
	id := ID[K]{uuid.UUID(raw[4:])}
	return id, id.String() == s
}

// IDFromUUID returns the id of kind K with the given UUID.
func IDFromUUID[K Kind](raw [16]byte) ID[K] { return ID[K]{raw} }

// IsZero reports whether the id is unset.
func (id ID[K]) IsZero() bool { return id.uuid.IsNil() }

// String returns the printed form, with the prefix.
func (id ID[K]) String() string {
	var k K
	padded := make([]byte, 20)
	copy(padded[4:], id.uuid[:])
	return k.IDPrefix() + "_" + crockford.EncodeToString(padded)[6:]
}

// MarshalText returns the printed form.
func (id ID[K]) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote. The error is NotFound, because no record has a malformed id.
func (id *ID[K]) UnmarshalText(text []byte) error {
	parsed, ok := parseIDAllowingZero[K](string(text))
	if !ok {
		return NotFound()
	}
	*id = parsed
	return nil
}

// Bytes returns the UUID.
func (id ID[K]) Bytes() [16]byte { return id.uuid }

// Value returns the id for a uuid column. The unset id is the nil UUID, not NULL.
func (id ID[K]) Value() (driver.Value, error) { return id.uuid.String(), nil }

// Scan reads a uuid column. NULL is the unset id.
func (id *ID[K]) Scan(src any) error {
	if src == nil {
		*id = ID[K]{}
		return nil
	}
	if err := id.uuid.Scan(src); err != nil {
		var k K
		return fmt.Errorf("read %s id: %w", k.IDPrefix(), err)
	}
	return nil
}
