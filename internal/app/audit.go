package app

import (
	"context"
	"strconv"

	"belfry/internal/core"
	"belfry/internal/store"
)

const (
	// auditPage is the number of actions on a page of the audit log.
	auditPage = 50
	// auditRows is the approximate maximum number of entries on a page: an action on many things has an entry for each.
	auditRows = 300
)

// AuditQuery selects entries of the audit log. Empty fields do not restrict the selection.
type AuditQuery struct {
	User   string // id of a person
	Action core.AuditAction
	Cursor string // AuditPage.Next of the previous page
}

// AuditPage is a page of the audit log, newest first: for each action, its entries. Next is empty on the last page.
type AuditPage struct {
	Actions [][]store.AuditRow
	Next    string
}

// ReadAuditLog returns a page of the workspace's audit log. Only a person who manages the workspace may read it.
func (a *App) ReadAuditLog(ctx context.Context, c core.Caller, q AuditQuery) (AuditPage, error) {
	t, err := a.authorizeManager(c)
	if err != nil {
		return AuditPage{}, err
	}
	f := store.AuditFilter{Action: q.Action, Limit: auditRows + 1}
	if err := core.CheckText("action", "The action", string(q.Action), maxFilterName); err != nil {
		return AuditPage{}, err
	}
	if q.User != "" {
		if f.User, err = core.ParseID[core.UserKind](q.User); err != nil {
			return AuditPage{}, err
		}
	}
	if q.Cursor != "" {
		if f.Before, err = strconv.ParseInt(q.Cursor, 10, 64); err != nil || f.Before <= 0 {
			return AuditPage{}, core.Invalid("cursor", "This page of the audit log does not exist.").
				WithHint("Open the first page of the audit log.")
		}
	}
	rows, err := t.AuditLog(ctx, f)
	if err != nil {
		return AuditPage{}, err
	}
	page := AuditPage{Actions: groupEntriesOfOneAction(rows)}
	isLast := len(rows) <= auditRows
	if !isLast && len(page.Actions) > 1 { // the rest of the oldest action may be missing
		page.Actions = page.Actions[:len(page.Actions)-1]
	}
	if len(page.Actions) > auditPage {
		page.Actions, isLast = page.Actions[:auditPage], false
	}
	if !isLast {
		oldest := page.Actions[len(page.Actions)-1]
		page.Next = strconv.FormatInt(oldest[len(oldest)-1].ID, 10)
	}
	return page, nil
}

// groupEntriesOfOneAction puts successive entries about the same action together.
func groupEntriesOfOneAction(rows []store.AuditRow) (actions [][]store.AuditRow) {
	for _, row := range rows {
		last := len(actions) - 1
		if last >= 0 && actions[last][0].IsPartOfSameAction(row) {
			actions[last] = append(actions[last], row)
		} else {
			actions = append(actions, []store.AuditRow{row})
		}
	}
	return actions
}
