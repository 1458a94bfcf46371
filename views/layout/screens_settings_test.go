package layout_test

import (
	"encoding/json"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/settings"
)

func (f fixture) keyPages() map[string]templ.Component {
	m := settings.KeysModel{
		Frame: f.frame("API keys", layout.SectionSettings), Zone: f.zone, API: true, Address: "http://localhost:8080/v1",
		Keys: []contract.Key{
			{
				ID: "key_1", Name: "Newsletter script", Scope: "write", Hint: "Zx81kQpM", CreatedAt: *f.in(-100 * time.Hour),
				LastUsedAt: f.in(-time.Hour),
			},
			{ID: "key_2", Name: "Dashboard on the wall", Scope: "read", Hint: "aB3dE5fG", CreatedAt: *f.in(-200 * time.Hour)},
		},
	}
	m.Slug = "bell-rope-studio"
	made := m
	m.Frame = f.several("API keys", layout.SectionSettings)
	made.New = &contract.Key{
		ID: "key_1", Name: "Newsletter script", Scope: "write",
		Key: "belfry_live_Zx81kQpMv7nL2sT9wYb4cD6eF8gH0jK1aBcDeF",
	}
	return map[string]templ.Component{
		"keys": settings.Keys(m), "keys-made": settings.Keys(made),
		"keys-none": settings.Keys(settings.KeysModel{
			Frame: m.Frame, Zone: f.zone, UpgradeURL: "https://example.org/plans",
			Errors: map[string]string{"name": "Give it a name.", "scope": "Choose one."},
		}),
	}
}

func (f fixture) memberPages() map[string]templ.Component {
	m := settings.MembersModel{
		Frame: f.frame("Members", layout.SectionSettings), Zone: f.zone, Now: f.now, Me: "usr_1", Role: core.RoleOwner,
		Members: []contract.Member{
			{
				ID: "usr_1", Name: "Ada Lindqvist", Email: "ada@example.org", Role: "owner", Status: "active",
				CreatedAt: *f.in(-100 * time.Hour),
			},
			{
				ID: "usr_2", Name: "Ben Miller", Email: "ben@example.org", Role: "editor", Status: "invited",
				CreatedAt: *f.in(-time.Hour), ExpiresAt: f.in(167 * time.Hour),
			},
			{
				ID: "usr_3", Name: "Maximiliane von und zu Hohenbuchau", Email: "maximiliane.von.und.zu.hohenbuchau@example.org",
				Role: "viewer", Status: "invited", CreatedAt: *f.in(-200 * time.Hour), ExpiresAt: f.in(-time.Hour),
			},
		},
	}
	made, admin, unsent := m, m, m
	made.New = &contract.Member{
		Email: "ben@example.org", Emailed: true,
		InviteURL: "http://localhost:8080/invitations/Zx81kQpMv7nL2sT9wYb4cD6eF8gH0jK1aBcDeFgHiJk",
	}
	made.Mails, made.Kept, made.Outbox = true, true, link.Outbox
	unsent.New, unsent.Mails = &contract.Member{Email: made.New.Email, InviteURL: made.New.InviteURL}, true
	admin.Me, admin.Role = "usr_2", core.RoleAdmin
	admin.Errors = map[string]string{
		"email": "This is not an email address.", "name": "The name is too long.",
		"role": "Choose one.",
	}
	w := settings.WorkspaceModel{
		Frame: f.frame("General", layout.SectionSettings), Name: "Bell & Rope",
		Slug: "bell-rope", Zone: "Europe/Berlin",
	}
	wrong := w
	wrong.Errors = map[string]string{"slug": "Another workspace has or had this short name.", "tz": "There is no such zone."}
	return map[string]templ.Component{
		"members": settings.Members(m), "members-made": settings.Members(made), "members-admin": settings.Members(admin),
		"members-unsent": settings.Members(unsent),
		"workspace":      settings.Workspace(w), "workspace-wrong": settings.Workspace(wrong),
	}
}

func (f fixture) personPages() map[string]templ.Component {
	frame := f.frame("Settings", layout.SectionSettings)
	editor := frame
	editor.Manages = false
	free, owner := core.DefaultPlans()[core.PlanFree], core.DefaultPlans()[core.PlanOwner]
	used := core.Usage{Period: "2026-11", Posts: 30, StorageBytes: 1_700_000_000, Accounts: 1, Members: 1}
	ours, theirs := core.NewID[core.SessionKind](), core.NewID[core.SessionKind]()
	return map[string]templ.Component{
		"profile": settings.Profile(settings.ProfileModel{
			Frame: editor, Role: core.RoleEditor,
			Managers: []contract.Member{{Name: "Grace", Email: "grace@example.org", Role: "owner"}},
			Name:     "Ada", Email: "ada@example.org", Mails: true, Mail: core.MailOwn,
		}),
		"profile-wrong": settings.Profile(settings.ProfileModel{
			Frame: frame, Role: core.RoleOwner, Errors: map[string]string{"name": "Enter a name.", "email": "It is in use."},
		}),
		"security": settings.Security(settings.SecurityModel{
			Frame: frame, Zone: f.zone, Present: ours, Sessions: []core.BrowserSession{
				{ID: ours, Browser: "Firefox/140.0 (Windows)", Since: f.now.Add(-time.Hour), SeenAt: f.now},
				{ID: theirs, Browser: "Version/19.0 Safari/604.1 (iPhone)", Since: f.now.Add(-30 * time.Hour), SeenAt: f.now},
			},
		}),
		"security-wrong": settings.Security(settings.SecurityModel{
			Frame: frame, Zone: f.zone, Errors: map[string]string{"current": "The password is wrong. Check it and try again.", "new": "Too short."},
		}),
		"appearance": settings.Appearance(editor),
		"plan": settings.Usage(settings.UsageModel{
			Frame: frame, Plan: free, Usage: contract.UsageOf(used, free), Drafts: 85, UpgradeURL: "https://example.org/plans",
		}),
		"plan-unlimited": settings.Usage(settings.UsageModel{Frame: editor, Plan: owner, Usage: contract.UsageOf(used, owner)}),
		"audit-none":     settings.Audit(settings.AuditModel{Frame: frame, Zone: f.zone}),
		"audit":          settings.Audit(f.audit(frame)),
	}
}

func (f fixture) audit(frame layout.Frame) settings.AuditModel {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	return settings.AuditModel{
		Frame: frame, Zone: f.zone, Older: "/w/bell/settings/audit?cursor=7", Filter: link.AuditFilter{User: "usr_1"},
		Members:     []contract.Member{{ID: "usr_1", Name: "Ada Lindqvist"}, {ID: "usr_2", Name: "Ben Miller"}},
		NetworkName: func(core.Platform) string { return "Threads" },
		Actions: [][]settings.AuditEntry{
			{{
				At: f.now, Actor: "session", Name: "Ada Lindqvist", Action: core.AuditMemberChanged, SubjectName: "Ben Miller",
				Before: raw(`{"role":"viewer"}`), After: raw(`{"role":"editor"}`), Address: "192.0.2.7",
			}},
			{{
				At: f.now, Actor: "api_key", Name: "Ada Lindqvist", Credential: "Newsletter script", Action: core.AuditPostChanged,
				Subject: postID, Before: raw(`{"status":"draft"}`),
				After: raw(`{"status":"queued","publishAt":"2026-12-24T17:00:00Z"}`),
			}},
			{{At: f.now, Actor: "operator", Action: core.AuditPlanChanged, Before: raw(`{"plan":"free"}`), After: raw(`{"plan":"owner"}`)}},
			{{At: f.now, Actor: "worker", Action: core.AuditAccessRemoved}},
			{
				{
					At: f.now, Actor: "session", Name: "Ben Miller", Action: core.AuditPostDeleted,
					Before: raw(`{"status":"draft","account":"Bell & Rope"}`), Address: "192.0.2.7",
				},
				{
					At: f.now, Actor: "session", Name: "Ben Miller", Action: core.AuditPostDeleted,
					Before: raw(`{"status":"failed","account":"Bell & Rope"}`), Address: "192.0.2.7",
				},
			},
			{{
				At: f.now, Actor: "session", Name: "Ben Miller", Action: core.AuditGroupChanged, Subject: "grp_1",
				Before: raw(`{"name":"Bakeries","accounts":["acc_1"]}`), After: raw(`{"accounts":["acc_1","acc_2"],"changed":"accounts"}`),
			}},
			{{At: f.now, Actor: "session", Action: core.AuditAction("something_new")}},
		},
	}
}
