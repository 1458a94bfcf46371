package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"belfry/internal/core"
)

// taken contains the message and the hint for each unique constraint, by its name.
var taken = map[string]struct{ message, hint string }{
	"workspaces_slug_key":          {"Another workspace has or had this short name.", "Choose a different short name."},
	"users_email":                  {"This email address is already in use.", "Enter a different address."},
	"groups_workspace_id_name_key": {"Another group has this name.", "Choose a different name."},
	"folders_siblings":             {"Another folder in the same place has this name.", "Choose a different name."},
}

// ErrNotFound means that a row does not exist or belongs to another workspace. It wraps core.NotFound, the error for
// the caller.
var ErrNotFound = fmt.Errorf("no such row: %w", core.NotFound())

// MissingError means that a row was not written because it refers to a row that does not exist in its workspace. It
// also wraps core.NotFound.
type MissingError struct {
	Missing string // the name of what is missing in the schema, such as "account"
	cause   error
}

func (e *MissingError) Error() string { return fmt.Sprintf("no such %s: %v", e.Missing, e.cause) }

// Unwrap returns the error for the caller and the database's error.
func (e *MissingError) Unwrap() []error { return []error{core.NotFound(), e.cause} }

// IsMissingReference reports whether err is a MissingError for the given name.
func IsMissingReference(err error, referenceName string) bool {
	e, ok := errors.AsType[*MissingError](err)
	return ok && e.Missing == referenceName
}

// ErrSameID means that another post of the account has the same id on the network.
var ErrSameID = errors.New("another post of the account has the same ID on the network")

const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
)

// translateError converts the database errors that a caller can act on.
func translateError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		if t, ok := taken[pg.ConstraintName]; ok && pg.Code == uniqueViolation {
			return core.Fail(core.CodeConflict, "%s", t.message).WithHint("%s", t.hint).WithCause(err)
		}
		if pg.ConstraintName == "posts_external_id" {
			return fmt.Errorf("%w: %w", ErrSameID, err)
		}
		if columns, ok := strings.CutSuffix(pg.ConstraintName, "_id_fkey"); ok && pg.Code == foreignKeyViolation {
			// PostgreSQL names a foreign key after its table and columns, such as posts_workspace_id_account_id_fkey.
			columns = strings.TrimPrefix(columns, pg.TableName+"_")
			return &MissingError{Missing: strings.TrimPrefix(columns, "workspace_id_"), cause: err}
		}
	}
	return err
}

// IsDeadlock reports whether PostgreSQL cancelled a transaction because of a deadlock.
func IsDeadlock(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "40P01"
}

// IsUnavailable reports whether an error means that the database is temporarily unavailable: unreachable, disconnected,
// out of resources, or so busy that a statement exceeded its time limit.
func IsUnavailable(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.Contains(awayStates, pg.Code) || slices.Contains(awayClasses, pg.Code[:min(2, len(pg.Code))])
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok && !errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, io.ErrUnexpectedEOF)
}

// awayStates are the SQLSTATEs of a server that is temporarily unavailable.
var awayStates = []string{
	"57014", // the statement took too long
	"57P01", // the server is shutting down
	"57P02", // it crashed
	"57P03", // it is starting
	"57P05", // the session was idle for too long
	"25006", // it is read-only, such as a standby that has not taken over yet
}

// awayClasses are the classes of other such SQLSTATEs.
var awayClasses = []string{
	"08", // the connection broke
	"53", // the disk is full, memory or connections have run out
}
