package app

import (
	"context"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/store"
)

// ListSessions lists the browsers in which the person is signed in, most recently used first.
func (a *App) ListSessions(ctx context.Context, c core.Caller) ([]core.BrowserSession, error) {
	if _, err := a.authorizeSession(c); err != nil {
		return nil, err
	}
	list, err := a.cfg.Store.SessionsOfUser(ctx, c.AttributedUser(), a.cfg.Now())
	if err != nil {
		return nil, fmt.Errorf("list the sessions of %s: %w", c.AttributedUser(), err)
	}
	return list, nil
}

// EndSession signs the person out of one browser. It returns not_found if they have no such session.
func (a *App) EndSession(ctx context.Context, c core.Caller, id string) error {
	t, err := a.authorizeSession(c)
	t, session, err := parseIDUnlessFailed[core.SessionKind](t, id, err)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		ended, err := t.EndSession(ctx, c.AttributedUser(), session)
		if err != nil {
			return err
		}
		if !ended {
			return core.NotFound()
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditSessionEnded, Actor: c, Subject: id})
	})
}

// EndAllSessions signs the person out of all browsers, including the present one.
func (a *App) EndAllSessions(ctx context.Context, c core.Caller) error {
	t, err := a.authorizeSession(c)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		if err := t.EndAllSessions(ctx, c.AttributedUser()); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditSessionEnded, Actor: c})
	})
}
