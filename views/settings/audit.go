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
		return "Operator"
	case string(core.CredentialWorker):
		return "Belfry"
	}
	return cmp.Or(e.Name, "Former member")
}

// usedKeyText returns the API key that was used, or "" for changes in the dashboard, by the operator or by the
// worker.
func (e AuditEntry) usedKeyText() string {
	if e.Actor == string(core.CredentialKey) {
		return "API key " + e.Credential
	}
	return ""
}

// auditActions are the actions in a workspace's log, in the order of the filter's options.
var auditActions = []struct {
	action core.AuditAction
	name   string
}{
	{core.AuditMemberInvited, "Member invited"},
	{core.AuditMemberJoined, "Member joined"},
	{core.AuditMemberChanged, "Role changed"},
	{core.AuditMemberRemoved, "Member removed"},
	{core.AuditKeyCreated, "API key created"},
	{core.AuditKeyRevoked, "API key revoked"},
	{core.AuditAccountConnected, "Account connected"},
	{core.AuditAccountRemoved, "Account disconnected"},
	{core.AuditAccountsRevoked, "Account revoked"},
	{core.AuditAccessRemoved, "App removed on the network"},
	{core.AuditAccountErased, "Account's data deleted"},
	{core.AuditPostChanged, "Post changed"},
	{core.AuditPostDeleted, "Post deleted"},
	{core.AuditFileChanged, "File changed"},
	{core.AuditFileDeleted, "File deleted"},
	{core.AuditFolderChanged, "Folder changed"},
	{core.AuditFolderDeleted, "Folder deleted"},
	{core.AuditGroupCreated, "Group created"},
	{core.AuditGroupChanged, "Group changed"},
	{core.AuditGroupDeleted, "Group deleted"},
	{core.AuditWorkspaceCreated, "Workspace created"},
	{core.AuditWorkspaceChanged, "Workspace changed"},
	{core.AuditPlanChanged, "Plan changed"},
	{core.AuditProfileChanged, "Profile changed"},
	{core.AuditPasswordChanged, "Password changed"},
	{core.AuditPasswordConfirmed, "Password confirmed"},
	{core.AuditSessionEnded, "Signed out of a browser"},
}

// changedPostID returns the id of the post that the entry is about; "" if it is about something else, or the post was
// deleted.
func (e AuditEntry) changedPostID() string {
	if e.Action != core.AuditPostChanged {
		return ""
	}
	return e.Subject
}

// actionName returns the name of the action.
func (e AuditEntry) actionName() string {
	for _, a := range auditActions {
		if a.action == e.Action {
			return a.name
		}
	}
	return string(e.Action)
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
			texts[key] = value
			if key == "platform" {
				texts[key] = m.NetworkName(core.Platform(value))
			} else if at, err := time.Parse(time.RFC3339, value); err == nil {
				texts[key] = m.Zone.FormatTime(at)
			}
		case float64, bool:
			texts[key] = fmt.Sprint(value)
		}
	}
	return texts
}
