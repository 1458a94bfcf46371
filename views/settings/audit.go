package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// Names of the inputs for filtering the audit log.
const (
	FieldPerson = "user"
	FieldAction = "action"
)

// AuditModel is the page of the audit log.
type AuditModel struct {
	Frame layout.Frame
	Zone  core.Zone
	// Actions are the entries of each action. An action on several things has an entry for each.
	Actions [][]AuditEntry
	// Members are the people to filter by.
	Members []contract.Member
	Filter  link.AuditFilter
	// NetworkName returns the display name of a network.
	NetworkName func(core.Platform) string
	// Older is the address of the next page; empty on the last.
	Older string
}

// AuditEntry is a row of the audit log.
type AuditEntry struct {
	At         time.Time
	Actor      string // session, api_key, worker or operator
	Name       string // of the person; "" for a former member, the operator and the worker
	Credential string
	Action     core.AuditAction
	Subject    string
	// SubjectName is the name of the member that the entry is about; "" for anything else.
	SubjectName   string
	Before, After json.RawMessage
	Address       string
}

// actorName returns the name of the person who made the change, or says what else made it.
func (e AuditEntry) actorName() string {
	switch e.Actor {
	case "operator":
		return "Server operator"
	case string(core.CredentialWorker):
		return "Belfry"
	}
	return cmp.Or(e.Name, "Former member")
}

// actorNote returns the API key that was used, or who the operator is; "" for other changes.
func (e AuditEntry) actorNote() (noteOrEmpty string) {
	switch e.Actor {
	case "operator":
		return "The person who runs this server"
	case string(core.CredentialKey):
		return "API key " + e.Credential
	}
	return ""
}

// auditActions are the actions in a workspace's log, in the order of the filter's options.
var auditActions = []ui.Option{
	{Value: string(core.AuditMemberInvited), Label: "Member invited"},
	{Value: string(core.AuditMemberJoined), Label: "Member joined"},
	{Value: string(core.AuditMemberChanged), Label: "Role changed"},
	{Value: string(core.AuditMemberRemoved), Label: "Member removed"},
	{Value: string(core.AuditKeyCreated), Label: "API key created"},
	{Value: string(core.AuditKeyRevoked), Label: "API key revoked"},
	{Value: string(core.AuditAccountConnected), Label: "Account connected"},
	{Value: string(core.AuditAccountRemoved), Label: "Account disconnected"},
	{Value: string(core.AuditAccountsRevoked), Label: "Account revoked"},
	{Value: string(core.AuditAccessRemoved), Label: "App removed on the network"},
	{Value: string(core.AuditAccountErased), Label: "Account's data deleted"},
	{Value: string(core.AuditPostChanged), Label: "Post changed"},
	{Value: string(core.AuditPostDeleted), Label: "Post deleted"},
	{Value: string(core.AuditFileChanged), Label: "File changed"},
	{Value: string(core.AuditFileDeleted), Label: "File deleted"},
	{Value: string(core.AuditFolderChanged), Label: "Folder changed"},
	{Value: string(core.AuditFolderDeleted), Label: "Folder deleted"},
	{Value: string(core.AuditGroupCreated), Label: "Group created"},
	{Value: string(core.AuditGroupChanged), Label: "Group changed"},
	{Value: string(core.AuditGroupDeleted), Label: "Group deleted"},
	{Value: string(core.AuditWorkspaceCreated), Label: "Workspace created"},
	{Value: string(core.AuditWorkspaceChanged), Label: "Workspace changed"},
	{Value: string(core.AuditPlanChanged), Label: "Subscription plan changed"},
	{Value: string(core.AuditProfileChanged), Label: "Profile changed"},
	{Value: string(core.AuditPasswordChanged), Label: "Password changed"},
	{Value: string(core.AuditPasswordConfirmed), Label: "Password confirmed"},
	{Value: string(core.AuditSessionEnded), Label: "Signed out of a browser"},
}

// changedPostID returns the id of the post that the entry is about; "" if it is about something else, or about the
// deletion of a post.
func (e AuditEntry) changedPostID() (idOrEmpty string) {
	if e.Action != core.AuditPostChanged {
		return ""
	}
	return e.Subject
}

// actionName returns the name of the action.
func (e AuditEntry) actionName() string { return ui.OptionLabel(auditActions, string(e.Action)) }

// memberOptionsWithoutInvitations returns the members to filter by, without the invitations.
func (m AuditModel) memberOptionsWithoutInvitations() (list []ui.Option) {
	for _, member := range m.Members {
		if member.ExpiresAt == nil {
			list = append(list, ui.Option{Value: member.ID, Label: member.Name})
		}
	}
	return list
}

// filterChips returns the conditions of the filter.
func (m AuditModel) filterChips() (list []ui.FilterChip) {
	person, action := m.Filter.User, m.Filter.Action
	if person != "" {
		list = append(list, ui.FilterChip{
			Label: "Person: " + ui.OptionLabel(m.memberOptionsWithoutInvitations(), person),
			URL:   m.Frame.Link.AuditLog(link.AuditFilter{Action: action}),
		})
	}
	if action != "" {
		list = append(list, ui.FilterChip{
			Label: "Action: " + ui.OptionLabel(auditActions, action), URL: m.Frame.Link.AuditLog(link.AuditFilter{User: person}),
		})
	}
	return list
}

// hasIPAddresses reports whether the page has an entry with an IP address.
func (m AuditModel) hasIPAddresses() bool {
	return slices.ContainsFunc(m.Actions, func(entries []AuditEntry) bool { return entries[0].Address != "" })
}

// subjectAndChangeLines returns the subject of an entry and the values that changed, one per line. Times are in the
// page's zone.
func (m AuditModel) subjectAndChangeLines(e AuditEntry) []string {
	before, after := m.formatAuditValues(e.Before), m.formatAuditValues(e.After)
	var list []string
	if e.SubjectName != "" {
		list = append(list, e.SubjectName)
	}
	keys := make([]string, 0, len(before)+len(after))
	for key := range before {
		keys = append(keys, key)
	}
	for key := range after {
		if _, both := before[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		was, hadOne := before[key]
		is, hasOne := after[key]
		name := cmp.Or(auditKeys[key], key)
		switch {
		case key == "owner", hadOne && hasOne && was == is:
		case hadOne && hasOne:
			list = append(list, fmt.Sprintf("%s: %s → %s", name, was, is))
		case hasOne:
			list = append(list, name+": "+is)
		default:
			list = append(list, name+": "+was)
		}
	}
	return list
}

// auditKeys are the labels of the values in an entry.
var auditKeys = map[string]string{
	"name": "Name", "email": "Email", "role": "Role", "scope": "Permissions", "platform": "Network", "slug": "Short name",
	"tz": "Time zone", "plan": "Plan", "status": "Status", "publishAt": "Time", "account": "Account", "changed": "Changed",
	"files": "Files",
}

// formatAuditValues returns the values of a record as texts. It omits nested records and lists.
func (m AuditModel) formatAuditValues(raw json.RawMessage) map[string]string {
	var values map[string]any
	if len(raw) == 0 || json.Unmarshal(raw, &values) != nil {
		return nil
	}
	texts := map[string]string{}
	for key, value := range values {
		switch value := value.(type) {
		case string:
			switch at, err := time.Parse(time.RFC3339, value); {
			case key == "platform":
				texts[key] = m.NetworkName(core.Platform(value))
			case key == "plan":
				texts[key] = cmp.Or(planNames[core.PlanName(value)], value)
			case key == "role":
				texts[key] = cmp.Or(roleNames[core.Role(value)], value)
			case key == "scope":
				texts[key] = cmp.Or(scopeNames[value], value)
			case err == nil:
				texts[key] = m.Zone.FormatTime(at)
			default:
				texts[key] = value
			}
		case float64, bool:
			texts[key] = fmt.Sprint(value)
		}
	}
	return texts
}
