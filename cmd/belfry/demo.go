package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/secret"
)

// demoFiles are the brands' data and pictures.
//
//go:embed demo
var demoFiles embed.FS

// demoBrand is a workspace of the demo.
type demoBrand struct {
	Name, Zone, Color string
	Posts             []demoPost
}

// demoPost is a post to all accounts of its brand.
type demoPost struct {
	Day     int    // days from today: one in the past is live, one in the future queued
	At      string // the time of day, "now" today; empty for a draft
	Text    string
	Picture string // a file name, or empty
	Refused string // the network's message, for a post that fails; it goes to one account only
}

func loadDemoBrands() (brands []demoBrand, err error) {
	text, err := demoFiles.ReadFile("demo/brands.json")
	if err == nil {
		err = json.Unmarshal(text, &brands)
	}
	return brands, err
}

// demoEmail is the owner of the demo if the service has not been set up yet.
const demoEmail = "demo@example.org"

// makeDemo creates a workspace for each demo brand and prints how to sign in. They belong to the owner of the oldest
// workspace, or to a new person if there is no workspace.
func (g *seeder) makeDemo(ctx context.Context, p *program) error {
	owner, err := g.app.FirstOwner(ctx)
	if err != nil {
		return err
	}
	in, signIn := contract.CreateWorkspace{OwnerEmail: owner}, "with your password"
	if owner == "" {
		in = contract.CreateWorkspace{OwnerEmail: demoEmail, OwnerName: "Demo Owner", Password: secret.Random(18)}
		signIn = "with the password " + in.Password
	}
	brands, err := loadDemoBrands()
	if err != nil {
		return err
	}
	suffix, err := g.freeSuffix(ctx, brands)
	if err != nil {
		return err
	}
	var list strings.Builder
	table := tabwriter.NewWriter(&list, 0, 0, 2, ' ', 0)
	for _, brand := range brands {
		in.Name, in.TZ = brand.Name+suffix, brand.Zone
		slug, err := g.makeBrand(ctx, in, brand)
		if err != nil {
			return fmt.Errorf("create the workspace %s: %w", in.Name, err)
		}
		fmt.Fprintf(table, "  %s\t%s\n", in.Name, slug)
	}
	_ = table.Flush() // a Builder accepts everything
	return p.printf("The demo workspaces are ready:\n\n%s\nOpen %s and sign in as %s %s.\n"+
		"To create an API key, run `belfry key create --workspace SHORT-NAME --name demo --scope write`.",
		list.String(), g.session.cfg.PublicURL, in.OwnerEmail, signIn)
}

// freeSuffix returns the suffix for the brands' names so that none of them is taken: "", " 2", " 3"...
func (g *seeder) freeSuffix(ctx context.Context, brands []demoBrand) (string, error) {
	existing, err := g.app.ListWorkspaces(ctx)
	for suffix, n := "", 2; ; suffix, n = fmt.Sprintf(" %d", n), n+1 {
		taken := slices.ContainsFunc(existing, func(w core.Workspace) bool {
			return slices.ContainsFunc(brands, func(b demoBrand) bool { return w.Name == b.Name+suffix })
		})
		if !taken {
			return suffix, err
		}
	}
}

// makeBrand creates a workspace with its accounts, group, pictures and posts, and returns its slug.
func (g *seeder) makeBrand(ctx context.Context, in contract.CreateWorkspace, brand demoBrand) (string, error) {
	made, err := g.createWorkspace(ctx, in)
	if err != nil {
		return "", err
	}
	var accounts []string
	var strict string // an account at a network whose refusals are final
	for _, card := range g.listTextNetworks() {
		account, err := g.connectAccount(ctx, string(card.ID), brand.Name)
		if err != nil {
			return "", err
		}
		accounts = append(accounts, account.ID)
		if !card.ErrorsMayPublish {
			strict = account.ID
		}
	}
	group, err := g.app.CreateGroup(ctx, g.owner, contract.CreateGroup{
		Name: "All accounts", Color: &brand.Color, AccountIDs: accounts,
	})
	if err != nil {
		return "", err
	}
	pictures, err := g.addPictures(ctx, made.Workspace, brand)
	if err != nil {
		return "", err
	}
	for _, post := range brand.Posts {
		request := contract.PlanPosts{Targets: contract.Targets{GroupID: &group.ID}, Text: post.Text}
		if post.Refused != "" {
			request.Targets = contract.Targets{AccountIDs: []string{strict}}
		}
		if post.Picture != "" {
			request.MediaIDs = []string{pictures[post.Picture]}
		}
		if err := g.makePost(ctx, made.Workspace, brand.Zone, post, request); err != nil {
			return "", err
		}
	}
	return made.Slug, nil
}

// makePost saves a draft, schedules a post, or publishes a post and backdates it.
func (g *seeder) makePost(
	ctx context.Context, ws core.WorkspaceID, zoneName string, post demoPost, request contract.PlanPosts,
) error {
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		return err
	}
	local := time.Now().In(zone).AddDate(0, 0, post.Day).Format(time.DateOnly) + "T" + post.At
	switch {
	case post.At == "":
		request.When = &contract.When{Word: "draft"}
	case post.Day > 0:
		request.When = &contract.When{PublishAt: local, Timezone: zoneName}
	default:
		request.When = &contract.When{Word: "now"}
	}
	if post.Refused != "" {
		if err := g.refusePost(ctx, post.Text, post.Refused); err != nil {
			return err
		}
	}
	made, err := g.app.CreatePosts(ctx, g.owner, contract.CreatePosts{Confirm: true, PlanPosts: request})
	if err != nil || request.When.Word != "now" {
		return err
	}
	for _, p := range made.Posts {
		if err := g.publishPost(ctx, ws, p.ID); err != nil {
			return err
		}
		if post.Day == 0 {
			continue
		}
		at, err := time.ParseInLocation("2006-01-02T15:04", local, zone)
		if err != nil {
			return err
		}
		if err := g.app.BackdatePost(ctx, g.owner, p.ID, at); err != nil {
			return err
		}
	}
	return nil
}

// addPictures adds a brand's pictures to its media, and returns their ids by file name.
func (g *seeder) addPictures(ctx context.Context, ws core.WorkspaceID, brand demoBrand) (map[string]string, error) {
	ids := map[string]string{}
	for _, post := range brand.Posts {
		name := post.Picture
		if name == "" || ids[name] != "" {
			continue
		}
		data, err := demoFiles.ReadFile("demo/" + name)
		if err != nil {
			return nil, err
		}
		size := int64(len(data))
		upload, err := g.app.CreateUpload(ctx, g.owner, contract.CreateUpload{Filename: name, Mime: "image/jpeg", Size: size})
		if err != nil {
			return nil, err
		}
		_, err = g.app.Intake().ReceiveUpload(ctx, path.Base(upload.UploadURL), size, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if err := g.processPicture(ctx, ws, upload.MediaID); err != nil {
			return nil, fmt.Errorf("add %s: %w", name, err)
		}
		ids[name] = upload.MediaID
	}
	return ids, nil
}

// processPicture processes a file, or waits until the running service has processed it.
func (g *seeder) processPicture(ctx context.Context, ws core.WorkspaceID, id string) error {
	mediaID, err := core.ParseID[core.MediaKind](id)
	if err != nil {
		return err
	}
	return pollUntil(ctx, func(ctx context.Context) (bool, error) {
		if err := g.app.Intake().ProcessFile(ctx, ws, mediaID); err != nil {
			return false, err
		}
		m, err := g.app.GetMedia(ctx, g.owner, id)
		if err == nil && m.Status == string(core.MediaFailed) {
			err = errors.New("the file could not be processed; see the service's log")
		}
		return m.Status == string(core.MediaReady), err
	})
}
