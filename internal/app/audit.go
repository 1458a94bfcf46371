package app

import (
	"context"
	"strconv"

	"belfry/internal/core"
	"belfry/internal/store"
)

// auditPage is the number of entries on a page of the audit log.
const auditPage = 50

// AuditQuery selects entries of the audit log. Empty fields do not restrict the selection.
type AuditQuery struct {
	User   string // id of a person
	Action core.AuditAction
	Cursor string // AuditPage.Next of the previous page
}

// AuditPage is a page of the audit log, newest first. Next is empty on the last page.
type AuditPage struct {
	Entries []store.AuditRow
	Next    string
}

// ReadAuditLog returns a page of the workspace's audit log. Only a person who manages the workspace may read it.
func (a *App) ReadAuditLog(ctx context.Context, c core.Caller, q AuditQuery) (AuditPage, error) {
	t, err := a.authorizeSession(c, true)
	if err != nil {
		return AuditPage{}, err
	}
	f := store.AuditFilter{Action: q.Action, Limit: auditPage + 1}
	if q.User != "" {
		if f.User, err = core.ParseID[core.UserKind](q.User); err != nil {
			return AuditPage{}, err
		}
	}
	if q.Cursor != "" {
		if f.Before, err = strconv.ParseInt(q.Cursor, 10, 64); err != nil || f.Before <= 0 {
			return AuditPage{}, core.Invalid("cursor", "This page of the audit log does not exist.")
		}
	}
	rows, err := t.AuditLog(ctx, f)
	if err != nil || len(rows) <= auditPage {
		return AuditPage{Entries: rows}, err
	}
	rows = rows[:auditPage]
	return AuditPage{Entries: rows, Next: strconv.FormatInt(rows[auditPage-1].ID, 10)}, nil
}
