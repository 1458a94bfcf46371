package web

import (
	"errors"
	"slices"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/posts"
)

// plan asks what the form would do, as soon as it says enough to ask.
func (v *visit) plan(m *posts.ComposeModel, in contract.PlanPosts) error {
	if m.Plan.Missing = missing(m.Values, in); m.Plan.Missing != "" {
		return nil
	}
	plan, err := v.web.cfg.App.PlanPosts(v.ctx(), v.caller, in)
	var known *core.Error
	switch e, ok := refused(err); {
	case ok:
		m.Plan.Refused = v.web.people(e)
		if m.Refused == nil && len(m.Errors) == 0 {
			m.Errors, _ = v.beside(e, inputFor)
		}
		return nil
	case errors.As(err, &known) && known.Code == core.CodeNotFound:
		m.Plan.Missing = "One of the accounts is not connected any more. Choose again."
		if len(in.MediaIDs) > 0 {
			m.Plan.Missing = "The account is not connected any more, or one of the post's files was deleted."
		}
		return nil
	case err != nil:
		return err
	}
	m.Plan.Plan = &plan
	for _, row := range plan.Rows {
		named := posts.PlanRow{PlanRow: row, Network: v.web.cfg.Networks.Name(core.Platform(row.Platform))}
		if i := slices.IndexFunc(m.Accounts, func(a posts.Account) bool { return a.ID == row.AccountID }); i >= 0 {
			named.Account = m.Accounts[i].Name
		}
		m.Plan.Rows = append(m.Plan.Rows, named)
	}
	return nil
}

// missing says what the form lacks before it says anything.
func missing(values posts.Values, in contract.PlanPosts) string {
	switch {
	case len(in.Targets.AccountIDs) == 0:
		return "Choose an account, and what would happen stands here."
	case in.Text == "" && len(in.MediaIDs) == 0 && in.Title == "" && len(in.Overrides) == 0 && len(in.PerPlatform) == 0:
		return "Write something, and what would happen stands here."
	case values.When == posts.WhenAt && values.At == "":
		return "Choose a date and time, and what would happen stands here."
	}
	return ""
}
