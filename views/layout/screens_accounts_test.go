package layout_test

import (
	"fmt"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/core"
	"belfry/views/accounts"
	"belfry/views/groups"
	"belfry/views/layout"
)

func (f fixture) accountPages() map[string]templ.Component {
	limit := int64(4)
	frame := f.frame("Accounts", layout.SectionAccounts)
	networks := []accounts.Network{
		{ID: "threads", Name: "Threads", Profile: "profile", Needs: "You need a public Threads profile.", Configured: true},
		{
			ID: "facebook", Name: "Facebook", Profile: "Page",
			Needs: "You need a Facebook Page on which you may create content.", Configured: true,
		},
		{ID: "sixth", Name: "Sixth", Profile: "channel", Needs: "You need a channel."},
	}
	with := func(ofFirst, ofSecond []accounts.Account) []accounts.Network {
		list := append([]accounts.Network{}, networks...)
		list[0].Accounts, list[0].Found, list[1].Accounts, list[1].Found = ofFirst, 200, ofSecond, len(ofSecond)
		return list
	}
	ada := accounts.Account{
		ID: accA, Name: "Ada Lindqvist", Username: "ada", Status: "ok", Queued: 3,
		Next: accounts.Post{ID: postID, At: f.now.Add(time.Hour)}, Last: accounts.Post{ID: postID, At: f.now.Add(-time.Hour)},
		Quotas: []accounts.Quota{{Words: "12 of 250 posts in 24 hours"}},
	}
	near := ada
	near.ID, near.Name, near.Username = accD, "Ada’s bakery", "adabakes"
	near.EndsAt, near.KeepsGrant = f.now.Add(72*time.Hour), true
	near.Quotas, near.Blocked = []accounts.Quota{{Words: "240 of 250 posts in 24 hours", Near: true}}, "Try again tomorrow."
	near.Unreachable = []core.FileKind{core.FileImage}
	broken := []accounts.Account{
		{
			ID: accB, Name: "Bell & Rope", Status: "expired", Reason: "The consent ran out on 3 November.", Queued: 1, Lost: 2,
		},
		{
			ID: accC, Name: "Old workshop page with a rather long name that goes on", Status: "revoked",
			Reason: "It was connected at the simulated networks.",
		},
	}
	m := accounts.Model{
		Frame: frame, Zone: f.zone, Used: 204, Found: 204, Pages: 3, Networks: with([]accounts.Account{ada, near}, broken),
		Filter: accounts.Filter{Page: 2},
	}
	full := m
	full.Used, full.Found, full.Pages, full.Limit, full.Filter = 4, 4, 1, &limit, accounts.Filter{}
	full.UpgradeURL = "https://example.org/plans"
	nobody := m
	nobody.Networks, nobody.Found, nobody.Pages, nobody.Filter = networks, 0, 1, accounts.Filter{Query: "zzz", Page: 1}
	reader := m
	reader.Frame.Manages = false
	return map[string]templ.Component{
		"accounts": accounts.Page(m), "accounts-full": accounts.Page(full), "accounts-no-match": accounts.Page(nobody),
		"accounts-empty":  accounts.Page(accounts.Model{Frame: frame, Zone: f.zone, Networks: networks}),
		"accounts-reader": accounts.Page(reader),
		"part-accounts":   accounts.ListPart(m),
		"accounts-choose": accounts.Choose(accounts.ChooseModel{
			Frame: frame, Platform: "facebook", Network: "Facebook", Profile: "Page", Pending: "p1",
			Profiles: []accounts.Profile{
				{ID: "1", Name: "Bell & Rope", Chosen: true, Connected: true},
				{ID: "2", Name: "Ada’s bakery", Username: "adabakes", Chosen: true},
				{ID: "3", Name: "Town hall", Unusable: "You may not create content on this Page."},
			},
		}),
		"accounts-disconnect": layout.Confirm(layout.ConfirmModel{
			Frame: frame, Title: "Disconnect Ada Lindqvist on Threads?", Action: frame.Link.Disconnect(accA), Button: "Disconnect",
			Back: frame.Link.Accounts(),
			Points: []string{
				"Belfry stops using the account immediately and deletes the account's access tokens within about a day.",
				"Published posts stay on the network and in your list of posts.",
				"3 queued posts become drafts without a time and will not be published.",
			},
		}),
	}
}

func (f fixture) groupPages() map[string]templ.Component {
	frame := f.frame("Groups", layout.SectionGroups)
	var all []groups.Account
	for i, name := range []string{
		"Ada Lindqvist", "Bell & Rope", "Café Olé", "Dunmore Choir", "Evening Rides", "Foundry", "Garden & Co", "Harbour Bakery",
		"Iris Studio", "Jasper", "Kiln", "Lantern", "Maren Holt", "Night Owl Cycles",
	} {
		all = append(all, groups.Account{
			ID: fmt.Sprint("acc_", i), Name: name, Username: fmt.Sprint("user", i), Platform: "threads", Network: "Threads",
			Chosen: i%2 == 0,
		})
	}
	list := groups.ListModel{Frame: frame, Included: true, Accounts: all, Groups: []groups.Group{
		{ID: "grp_1", Name: "Everything", Color: "#0f766e", Accounts: all, Description: "All that we have."},
		{ID: "grp_2", Name: "Shops", Color: "#b45309", Accounts: all[:2]},
		{ID: "grp_3", Name: "Later", Color: "#8a8f98"},
	}}
	reader := list
	reader.Frame.Writes, reader.Frame.Manages = false, false
	form := f.frame("Edit group", layout.SectionGroups)
	return map[string]templ.Component{
		"groups": groups.List(list), "part-groups": groups.ListPart(list), "groups-reader": groups.List(reader),
		"groups-empty": groups.List(groups.ListModel{Frame: frame, Included: true, Accounts: all}),
		"groups-not-included": groups.List(groups.ListModel{
			Frame: frame, Groups: list.Groups[:1], UpgradeURL: "https://example.org/plans",
		}),
		"group": groups.Form(groups.FormModel{Frame: form, ID: "grp_1", Name: "Shops", Color: "#b45309", Accounts: all}),
		"group-wrong": groups.Form(groups.FormModel{
			Frame: f.frame("New group", layout.SectionGroups), Color: groups.DefaultColor(), Errors: map[string]string{groups.FieldName: "Enter a name."},
		}),
		"group-changed": groups.Form(groups.FormModel{
			Frame: form, ID: "grp_1", Name: "Our shops", Color: "#b45309", Accounts: all, Saved: &list.Groups[0],
		}),
	}
}
