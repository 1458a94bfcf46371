package web

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/views/posts"
)

// accountOfPostGone is shown in place of a plan for a draft whose account was disconnected.
const accountOfPostGone = "The account is no longer connected. An owner or admin can connect it again under Accounts."

// loadPlanOrReason requests the plan and adds it to the model. If there is no plan, it adds what the form still needs
// for one, or why the request was refused. It removes invalid settings from the request.
func (r *request) loadPlanOrReason(m *posts.ComposeModel, in contract.PlanPosts) error {
	if m.Plan.Missing = missingInputText(m.Values, in); m.Plan.Missing != "" {
		return nil
	}
	in.Editing = m.PostID
	wrong, unchosen := r.web.removeInvalidSettings(in.PerPlatform), unchosenSettingErrors(*m)
	plan, err := r.web.cfg.App.PlanPosts(r.context(), r.caller, in)
	var known *core.Error
	switch e, ok := asFormRefusal(err); {
	case ok:
		m.Plan.Refused = r.web.errorForPeople(e)
		if m.Refused == nil && len(m.Errors) == 0 {
			m.Errors, _ = r.placeError(e, inputForFieldPath(e.Path))
		}
		return nil
	case errors.As(err, &known) && known.Code == core.CodeNotFound && m.PostID != "":
		m.Plan.Missing = accountOfPostGone
		return nil
	case errors.As(err, &known) && known.Code == core.CodeNotFound:
		m.Plan.Missing = "One of the accounts is no longer connected. Choose the accounts again."
		if len(in.MediaIDs) > 0 {
			m.Plan.Missing = "An account is no longer connected, or a file was deleted. Choose the accounts and files again."
		}
		return nil
	case err != nil:
		return err
	}
	m.Plan.Plan = &plan
	for _, row := range plan.Rows {
		named := posts.PlanRow{PlanRow: row, Network: r.web.cfg.Networks.DisplayName(core.Platform(row.Platform))}
		if i := slices.IndexFunc(m.Accounts, func(a posts.Account) bool { return a.ID == row.AccountID }); i >= 0 {
			named.Account = m.Accounts[i].Name
		}
		if m.Values.Uploading {
			row.Issues = substituteOrAddUploadWait(row.Issues)
			named.Issues, named.OK = row.Issues, false
			plan.OK, plan.Table = false, ""
		}
		for _, e := range slices.Concat(wrong[row.Platform], unchosen[row.Platform]) {
			told := r.web.errorForPeople(e)
			named.OK, plan.OK, plan.Table = false, false, ""
			issue := core.Issue{Code: core.IssueCode(e.Code), Message: told.Message, Hint: told.Hint}
			m.Plan.AddOrMergeCause(posts.Cause{Issue: issue, Input: inputForFieldPath(e.Path)}, named)
		}
		for _, issue := range row.Issues {
			if issue.Reason.Code == core.IssueTitleRequired.Code && len(m.Files) == 0 {
				continue // the form asks for a title once it has a video
			}
			m.Plan.AddOrMergeCause(posts.Cause{Issue: issue.Reason, Input: inputForIssue(*m, named, issue.Reason)}, named)
		}
		m.Plan.Rows = append(m.Plan.Rows, named)
	}
	for _, row := range m.Plan.Rows {
		for _, warning := range row.Warnings {
			m.Plan.AddOrMergeCause(posts.Cause{
				Issue: warning.Reason, Warning: true, Input: inputForIssue(*m, row, warning.Reason),
			}, row)
		}
	}
	return nil
}

// substituteOrAddUploadWait replaces each issue about a missing file or text with one that says that the post waits
// for uploads. If there are no issues, it adds this one.
func substituteOrAddUploadWait(issues []contract.Issue) []contract.Issue {
	waits := core.Issue{
		Code: core.IssueMediaNotReady.Code, Message: "The post is waiting for your files to be uploaded.",
	}
	wait := contract.Issue{Code: string(waits.Code), Message: waits.Message, Reason: waits}
	for i := range issues {
		switch issues[i].Reason.Code {
		case core.IssueMediaRequired.Code, core.IssueTextRequired.Code:
			issues[i] = wait
		}
	}
	if len(issues) == 0 {
		return []contract.Issue{wait}
	}
	return issues
}

// issueInputs maps each issue code to the composer's input that it is about; "" means none. inputForIssue replaces the
// shared text, title and tags with a network's own.
var issueInputs = map[core.IssueCode]string{
	core.IssueCaptionTooLong.Code: posts.FieldText, core.IssueTextRequired.Code: posts.FieldText,
	core.IssueTextNotAllowed.Code: posts.FieldText, core.IssueHashtagsMany.Code: posts.FieldText,
	core.IssueMentionsTooMany.Code: posts.FieldText, core.IssueCharactersUnsupported.Code: posts.FieldText,
	core.IssueLinksTooMany.Code: posts.FieldText, core.WarnHashtagsMany.Code: posts.FieldText,
	core.WarnSameTextRecently.Code: posts.FieldText,

	core.IssueTitleTooLong.Code: posts.FieldTitle, core.IssueTitleRequired.Code: posts.FieldTitle,
	core.WarnTitleNotPublished.Code: posts.FieldTitle, core.IssueTagsTooLong.Code: posts.FieldTags,

	core.IssueMediaRequired.Code: posts.FieldMedia, core.IssueMediaNotReady.Code: posts.FieldMedia,
	core.IssueMediaFailed.Code: posts.FieldMedia, core.IssueMediaPurged.Code: posts.FieldMedia,
	core.IssueMediaKindUnsupported.Code: posts.FieldMedia, core.IssueMediaCountUnsupported.Code: posts.FieldMedia,
	core.IssueMediaMixedUnsupported.Code: posts.FieldMedia, core.IssueFormatUnsupported.Code: posts.FieldMedia,
	core.IssueFileTooLarge.Code: posts.FieldMedia, core.IssueAspectUnsupported.Code: posts.FieldMedia,
	core.IssueResolutionUnsupported.Code: posts.FieldMedia, core.IssueDurationTooShort.Code: posts.FieldMedia,
	core.IssueDurationTooLong.Code: posts.FieldMedia, core.WarnNotAShort.Code: posts.FieldMedia,
	core.IssueMediaUnreachable.Code: "", core.WarnImagesConverted.Code: posts.FieldMedia,

	core.IssueSettingConflict.Code: posts.FieldSetting, core.IssueSettingUnavailable.Code: posts.FieldSetting,
	core.WarnSettingIgnored.Code: posts.FieldSetting,

	core.IssueAccountExpired.Code: posts.FieldAccount, core.IssueAccountRevoked.Code: posts.FieldAccount,
	core.WarnAccountLimitNear.Code: posts.FieldAccount, core.WarnAccountBlocked.Code: posts.FieldAccount,
	core.IssueNetworkUnavailable.Code: "", core.IssueQuotaExceeded.Code: "",

	core.IssueTimeInPast.Code: posts.FieldAt, core.IssueTimeTooFar.Code: posts.FieldAt,
	core.IssueTimeDoesNotExist.Code: posts.FieldAt, core.IssueTimeRequired.Code: posts.FieldAt,
	core.WarnTimeOccursTwice.Code: posts.FieldAt,
}

// inputForIssue returns the name of the input that a row's issue is about, or "" if it is about none.
func inputForIssue(m posts.ComposeModel, row posts.PlanRow, issue core.Issue) (inputNameOrEmpty string) {
	own := m.Values.Overrides[row.Platform]
	switch input := issueInputs[issue.Code]; {
	case input == posts.FieldSetting && issue.Setting == "":
		return ""
	case input == posts.FieldSetting:
		return posts.SettingFieldName(row.Platform, issue.Setting)
	case input == posts.FieldText && (own.Text != "" || own.NoText), input == posts.FieldTitle && own.Title != "",
		input == posts.FieldTags && own.Tags != "":
		return posts.OverrideFieldName(row.Platform, input)
	default:
		return input
	}
}

// removeInvalidSettings removes settings with invalid values from the blocks, so that the rest of the plan can be
// shown. It returns the errors by network.
func (w *Web) removeInvalidSettings(blocks map[string]json.RawMessage) (errorsByPlatform map[string][]*core.Error) {
	wrong := map[string][]*core.Error{}
	for platform, block := range blocks {
		rules, ok := w.cfg.Networks.FindRules(core.Platform(platform))
		if !ok {
			continue
		}
		_, err := rules.NormalizeSettings(block)
		for _, e := range core.Errors(core.PrefixPaths("perPlatform."+platform, err)) {
			if field, ok := w.findSettingField(e.Path); ok && removeSetting(blocks, platform, field.Name) {
				wrong[platform] = append(wrong[platform], e)
			}
		}
	}
	return wrong
}

// removeSetting removes a setting from its network's block, and reports whether it was there.
func removeSetting(blocks map[string]json.RawMessage, platform, setting string) (removed bool) {
	values := map[string]json.RawMessage{}
	if json.Unmarshal(blocks[platform], &values) != nil || values[setting] == nil {
		return false
	}
	delete(values, setting)
	rest, err := json.Marshal(values)
	blocks[platform] = rest
	return err == nil
}

// findSettingField returns the field of the network's setting to which a path in the API request refers; ok is false
// if there is none.
func (w *Web) findSettingField(fieldPath string) (field network.Field, ok bool) {
	parts := strings.SplitN(fieldPath, ".", 3)
	if len(parts) < 3 || parts[0] != "perPlatform" && parts[0] != "settings" {
		return field, false
	}
	rules, ok := w.cfg.Networks.FindRules(core.Platform(parts[1]))
	if !ok {
		return field, false
	}
	name, _, _ := strings.Cut(parts[2], "[")
	for _, f := range rules.Describe().Fields {
		if f.Name == name {
			return f, true
		}
	}
	return field, false
}

// missingInputText returns a sentence that says what the form still needs for a plan, or "".
func missingInputText(values posts.Values, in contract.PlanPosts) (sentenceOrEmpty string) {
	isEmpty := in.Text == "" && in.Title == "" && len(in.MediaIDs) == 0 && len(in.Overrides) == 0 &&
		len(in.PerPlatform) == 0
	switch {
	case len(in.Targets.AccountIDs) == 0 && isEmpty:
		return "Select an account and add text or a file."
	case len(in.Targets.AccountIDs) == 0:
		return "Select an account to see what will be posted."
	case isEmpty:
		return "Write some text or add a file to see what will be posted."
	case values.When == posts.WhenAt && values.At == "":
		return "Enter a date and time to see what will be posted."
	}
	return ""
}
