package app

import (
	"context"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// groupColor is the default color of a group.
const groupColor = "#8a8f98"

var colorForm = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// ListGroups lists the groups by name.
func (a *App) ListGroups(ctx context.Context, c core.Caller) (contract.Groups, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return contract.Groups{}, err
	}
	list, err := t.Groups(ctx)
	return contract.Groups{Groups: convertAll(list, groupOf)}, err
}

// GetGroup returns a group.
func (a *App) GetGroup(ctx context.Context, c core.Caller, id string) (contract.Group, error) {
	t, groupID, err := authorizeAndParseID[core.GroupKind](a, c, core.Read, id)
	if err != nil {
		return contract.Group{}, err
	}
	g, err := t.Group(ctx, groupID)
	return groupOf(g), err
}

// CreateGroup creates a group of connected accounts. It requires a plan that includes groups.
func (a *App) CreateGroup(ctx context.Context, c core.Caller, in contract.CreateGroup) (contract.Group, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return contract.Group{}, err
	}
	now := a.cfg.Now().UTC().Truncate(time.Microsecond)
	g := store.Group{
		ID: core.NewID[core.GroupKind](), Name: in.Name, Description: in.Description, Color: valueOr(in.Color, groupColor),
		CreatedAt: now, UpdatedAt: now,
	}
	fields := contract.EditGroup{Name: &g.Name, Description: &g.Description, Color: &g.Color}
	if err := checkGroupFields(fields); err != nil {
		return contract.Group{}, err
	}
	if g.Accounts, err = a.parseConnectedAccountIDs(ctx, t, in.AccountIDs); err != nil {
		return contract.Group{}, err
	}
	_, plan, err := a.loadWorkspaceAndPlan(ctx, t)
	if err != nil {
		return contract.Group{}, err
	}
	if !plan.Groups {
		return contract.Group{}, core.NewFeatureNotIncludedError("groups")
	}
	err = t.Tx(ctx, func(t store.Tenant) error {
		if err := t.AddEmptyGroup(ctx, g); err != nil {
			return err
		}
		if err := t.SetGroupAccounts(ctx, g.ID, g.Accounts); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditGroupCreated, Actor: c, Subject: g.ID.String(), After: newAuditedGroup(g),
		})
	})
	return groupOf(g), err
}

// EditGroup changes the fields that are set in the request. accountIds replaces all accounts of the group.
func (a *App) EditGroup(ctx context.Context, c core.Caller, in contract.EditGroup) (contract.Group, error) {
	t, groupID, err := authorizeWriteAndParseID[core.GroupKind](a, c, in.ID, checkGroupFields(in))
	if err != nil {
		return contract.Group{}, err
	}
	var g store.Group
	err = t.Tx(ctx, func(t store.Tenant) error {
		if g, err = t.LockGroup(ctx, groupID); err != nil {
			return err
		}
		if err := checkRevisionIfShown("group", in.Revision, groupOf(g).Revision()); err != nil {
			return err
		}
		before := g
		g.Name, g.Description, g.Color = valueOr(in.Name, g.Name), valueOr(in.Description, g.Description),
			valueOr(in.Color, g.Color)
		g.UpdatedAt = a.cfg.Now().UTC().Truncate(time.Microsecond)
		if err := t.UpdateGroupFields(ctx, g); err != nil {
			return err
		}
		if in.AccountIDs != nil {
			if g.Accounts, err = a.parseConnectedAccountIDs(ctx, t, *in.AccountIDs); err != nil {
				return err
			}
			if err := t.SetGroupAccounts(ctx, groupID, g.Accounts); err != nil {
				return err
			}
		}
		return auditGroupChange(ctx, t, c, before, g)
	})
	return groupOf(g), err
}

// AddAccountToGroup adds a connected account to a group. It changes nothing if the group already contains the account.
func (a *App) AddAccountToGroup(ctx context.Context, c core.Caller, id, accountID string) (contract.Group, error) {
	t, groupID, err := authorizeAndParseID[core.GroupKind](a, c, core.Write, id)
	if err != nil {
		return contract.Group{}, err
	}
	var g store.Group
	err = t.Tx(ctx, func(t store.Tenant) error {
		if g, err = t.LockGroup(ctx, groupID); err != nil {
			return err
		}
		added, err := a.parseConnectedAccountIDs(ctx, t, []string{accountID})
		if err != nil || slices.Contains(g.Accounts, added[0]) {
			return err
		}
		before := g
		g.Accounts, g.UpdatedAt = append(g.Accounts, added[0]), a.cfg.Now().UTC().Truncate(time.Microsecond)
		if err := t.UpdateGroupFields(ctx, g); err != nil {
			return err
		}
		if err := t.SetGroupAccounts(ctx, groupID, g.Accounts); err != nil {
			return err
		}
		return auditGroupChange(ctx, t, c, before, g)
	})
	return groupOf(g), err
}

// DeleteGroup deletes a group. It does not change the group's accounts.
func (a *App) DeleteGroup(ctx context.Context, c core.Caller, id string) error {
	t, groupID, err := authorizeAndParseID[core.GroupKind](a, c, core.Write, id)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		g, err := t.LockGroup(ctx, groupID)
		if err != nil {
			return err
		}
		if err := t.DeleteGroup(ctx, groupID); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditGroupDeleted, Actor: c, Subject: groupID.String(), Before: newAuditedGroup(g),
		})
	})
}

// checkGroupFields returns invalid_request for the first invalid field that is set in the request.
func checkGroupFields(in contract.EditGroup) error {
	if in.Name != nil {
		if err := checkName("name", "The group's name", *in.Name); err != nil {
			return err
		}
	}
	description := valueOr(in.Description, "")
	if !utf8.ValidString(description) {
		return core.Invalid("description", "The description is not valid UTF-8.")
	}
	if n := utf8.RuneCountInString(description); n > maxDescription {
		return core.Invalid("description", "The description has %d characters; the limit is %d.", n, maxDescription)
	}
	if color := valueOr(in.Color, groupColor); !colorForm.MatchString(color) {
		return core.Invalid("color", "%q is not a color in the form #rrggbb.", color)
	}
	return nil
}

// parseConnectedAccountIDs parses the ids of a group's accounts and returns them without duplicates. It returns
// not_found if one of the accounts is not connected to this workspace.
func (a *App) parseConnectedAccountIDs(ctx context.Context, t store.Tenant, ids []string) ([]core.AccountID, error) {
	parsed, err := parseIDs[core.AccountKind]("accountIds", ids)
	if err != nil {
		return nil, err
	}
	found, err := t.ConnectedAccountsByID(ctx, parsed)
	if err != nil {
		return nil, err
	}
	unique := uniqueIDs(parsed)
	_, err = pickAccountsInOrder(found, unique, "accountIds", ids)
	return unique, err
}

func groupOf(g store.Group) contract.Group {
	return contract.Group{
		ID: g.ID.String(), Name: g.Name, Description: g.Description, Color: g.Color,
		AccountIDs: convertAll(g.Accounts, core.AccountID.String),
		CreatedAt:  contract.Time{Time: g.CreatedAt}, UpdatedAt: contract.Time{Time: g.UpdatedAt},
	}
}
