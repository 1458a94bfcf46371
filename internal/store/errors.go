package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"belfry/internal/core"
)

// taken maps the name of a unique constraint to what a person is told.
var taken = map[string]string{
	"workspaces_slug_key":          "Another workspace has this short name.",
	"users_email":                  "This e-mail address is in use.",
	"groups_workspace_id_name_key": "Another group has this name.",
	"folders_siblings":             "Another folder in the same place has this name.",
}

// ErrSameID tells that another post of the account has the network's id that a post was given.
var ErrSameID = errors.New("another post has this id of the network's")

const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
)

// translate turns what the database says into what a caller can act on, where it can.
func translate(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return core.NotFound().Because(err)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		if message, ok := taken[pg.ConstraintName]; ok && pg.Code == uniqueViolation {
			return core.Fail(core.CodeConflict, "%s", message).WithHint("Choose another.").Because(err)
		}
		if pg.ConstraintName == "posts_external_id" {
			return fmt.Errorf("%w: %w", ErrSameID, err)
		}
		// A row that another workspace owns, or that is gone, is not there for this one.
		if pg.Code == foreignKeyViolation && strings.HasSuffix(pg.ConstraintName, "_fkey") {
			return core.NotFound().Because(err)
		}
	}
	return err
}

// Away tells whether an error means that the database cannot be reached at the moment.
func Away(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		// 57P01..03: shutting down, crashed, starting up; 53300: too many connections.
		return strings.HasPrefix(pg.Code, "57P") || strings.HasPrefix(pg.Code, "08") || pg.Code == "53300"
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) && !errors.Is(err, context.DeadlineExceeded) ||
		pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "unexpected EOF")
}
