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

// taken maps the name of a unique constraint to the message for a person.
var taken = map[string]string{
	"workspaces_slug_key":          "Another workspace has this short name.",
	"users_email":                  "This email address is in use.",
	"groups_workspace_id_name_key": "Another group has this name.",
	"folders_siblings":             "The parent folder already contains a folder with this name.",
}

// ErrNotFound says that the row asked for does not exist, or belongs to another workspace. It carries
// core.NotFound, which is what a caller is told who asked for that row.
var ErrNotFound = fmt.Errorf("no such row: %w", core.NotFound())

// MissingError says that a row was not written because one that it refers to does not exist in its workspace.
// It carries core.NotFound as well.
type MissingError struct {
	Missing string // what is missing, in the words of the schema, such as "account"
	cause   error
}

func (e *MissingError) Error() string { return fmt.Sprintf("no such %s: %v", e.Missing, e.cause) }

// Unwrap returns what a caller is told and what the database said.
func (e *MissingError) Unwrap() []error { return []error{core.NotFound(), e.cause} }

// IsMissing tells whether err says that a row could not refer to what is named, because there is no such thing.
func IsMissing(err error, what string) bool {
	e, ok := errors.AsType[*MissingError](err)
	return ok && e.Missing == what
}

// ErrSameID tells that another post of the account has the network's id that a post was given.
var ErrSameID = errors.New("another post has this network ID")

const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
)

// translateError turns what the database says into what a caller can act on, where it can.
func translateError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		if message, ok := taken[pg.ConstraintName]; ok && pg.Code == uniqueViolation {
			return core.Fail(core.CodeConflict, "%s", message).WithHint("Choose another.").Because(err)
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

// Deadlocked tells whether the database broke a transaction off because it and another waited for each other.
func Deadlocked(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "40P01"
}

// Away tells whether an error means that the database cannot answer at the moment: it is not there, it hung
// up, it is so busy that it took longer than a statement may, or it lacks the room to.
func Away(err error) bool {
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

// awayStates are the SQLSTATEs of a server that will answer again.
var awayStates = []string{
	"57014", // the statement took too long
	"57P01", // the server is shutting down
	"57P02", // it crashed
	"57P03", // it is starting
	"57P05", // the session was idle for too long
	"25006", // it only reads, as a standby does until it takes over
}

// awayClasses are the classes of SQLSTATEs of such a server.
var awayClasses = []string{
	"08", // the connection broke
	"53", // the disk is full, memory or connections have run out
}
