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

// demoFiles are the brands' data, pictures and videos.
//
//go:embed demo
var demoFiles embed.FS

// demoBrand is a workspace of the demo.
type demoBrand struct {
	Name, Zone, Color string
	Posts             []demoPost
}

// demoPost is a post to all accounts of its brand that can publish it.
type demoPost struct {
	Day     int    // days from today; past posts become live, future posts are queued
	At      string // the time of day, or "now", or "" for a draft
	Title   string
	Text    string
	Files   []string // names of files of the demo
	Refused string   // the network's message if it refuses the post, which then goes to one account only
}

func loadDemoBrands() (brands []demoBrand, err error) {
	text, err := demoFiles.ReadFile("demo/brands.json")
	if err == nil {
		err = json.Unmarshal(text, &brands)
	}
	return brands, err
}

// demoEmail is the email address of the demo's owner if the service has not been set up yet.
const demoEmail = "demo@example.org"

// makeDemoWorkspacesAndPrintSignIn creates a workspace for each demo brand and prints how to sign in. The workspaces
// belong to the owner with the oldest membership on this server, or to a new person if there is no workspace.
func (g *seeder) makeDemoWorkspacesAndPrintSignIn(ctx context.Context, p *program) error {
	owner, err := g.app.FindFirstOwnerEmail(ctx)
	if err != nil {
		return err
	}
	in, signIn := contract.CreateWorkspace{OwnerEmail: owner}, "with your password"
	if owner == "" {
		in = contract.CreateWorkspace{OwnerEmail: demoEmail, OwnerName: "Demo Owner", Password: secret.RandomText(18)}
		signIn = "with the password `" + in.Password + "`"
	}
	brands, err := loadDemoBrands()
	if err != nil {
		return err
	}
	suffix, err := g.findFreeNameSuffix(ctx, brands)
	if err != nil {
		return err
	}
	var list strings.Builder
	table := tabwriter.NewWriter(&list, 0, 0, 2, ' ', 0)
	for _, brand := range brands {
		in.Name, in.TZ = brand.Name+suffix, brand.Zone
		slug, err := g.makeBrandWorkspaceAndCollectDue(ctx, in, brand)
		if err != nil {
			return fmt.Errorf("create the workspace %s: %w", in.Name, err)
		}
		fmt.Fprintf(table, "  %s\t%s\n", in.Name, slug)
	}
	if err := g.publishDueAndBackdateWorkspaces(ctx); err != nil {
		return err
	}
	_ = table.Flush() // writes to a Builder cannot fail
	held := ""
	if len(g.holdReasons) > 0 {
		held = "\n\n" + g.summarizeHoldReasons()
	}
	return p.printLinef("The demo workspaces are ready:\n\n%s\nOpen %s and sign in as %s %s.\n"+
		"To create an API key, run `belfry key create --workspace SHORT-NAME --name demo --scope write`.%s",
		list.String(), g.session.cfg.PublicURL, in.OwnerEmail, signIn, held)
}

// findFreeNameSuffix returns the first of the suffixes "", " 2", " 3" and so on with which none of the brands' names is
// taken.
func (g *seeder) findFreeNameSuffix(ctx context.Context, brands []demoBrand) (string, error) {
	existing, err := g.app.ListAllWorkspaces(ctx)
	for suffix, n := "", 2; ; suffix, n = fmt.Sprintf(" %d", n), n+1 {
		taken := slices.ContainsFunc(existing, func(w core.Workspace) bool {
			return slices.ContainsFunc(brands, func(b demoBrand) bool { return w.Name == b.Name+suffix })
		})
		if !taken {
			return suffix, err
		}
	}
}

// makeBrandWorkspaceAndCollectDue creates a workspace with its accounts, group, files and posts, and returns its
// slug. It adds posts that are due to g.due.
func (g *seeder) makeBrandWorkspaceAndCollectDue(
	ctx context.Context, in contract.CreateWorkspace, brand demoBrand,
) (slug string, err error) {
	made, err := g.createAndEnterWorkspace(ctx, in)
	if err != nil {
		return "", err
	}
	var accounts []string
	for _, card := range g.listConfiguredNetworks() {
		account, err := g.connectAccount(ctx, string(card.ID), brand.Name)
		if err != nil {
			return "", err
		}
		accounts = append(accounts, account.ID)
	}
	for i, post := range brand.Posts {
		request, err := g.uploadFilesAndPickTargets(ctx, post, contract.Targets{AccountIDs: accounts})
		if err != nil {
			return "", err
		}
		if i == 0 { // a photo
			group := contract.CreateGroup{Name: "Photo networks", Color: &brand.Color, AccountIDs: request.Targets.AccountIDs}
			if _, err := g.app.CreateGroup(ctx, g.owner, group); err != nil {
				return "", err
			}
		}
		if err := g.createPostsAndCollectIfDue(ctx, brand.Zone, post, request); err != nil {
			return "", err
		}
	}
	return made.Slug, nil
}

// uploadFilesAndPickTargets uploads a post's files, and returns the request for the candidates that can publish the
// post, perhaps none. A post that its network will refuse goes to one account only.
func (g *seeder) uploadFilesAndPickTargets(
	ctx context.Context, post demoPost, candidates contract.Targets,
) (request contract.PlanPosts, err error) {
	request = contract.PlanPosts{
		Targets: candidates, Title: post.Title, Text: post.Text, When: &contract.When{Word: "draft"},
	}
	for _, name := range post.Files {
		id, err := g.uploadAndAwaitDemoFileIfMissing(ctx, name)
		if err != nil {
			return request, err
		}
		request.MediaIDs = append(request.MediaIDs, id)
	}
	plan, err := g.app.PlanPosts(ctx, g.owner, request)
	if err != nil {
		return request, err
	}
	var able []contract.PlanRow
	for _, row := range plan.Rows {
		if row.OK {
			able = append(able, row)
		}
	}
	if post.Refused != "" {
		able = g.pickRefusableRow(able)
	}
	if len(able) == len(plan.Rows) {
		return request, nil
	}
	request.Targets = contract.Targets{}
	for _, row := range able {
		request.Targets.AccountIDs = append(request.Targets.AccountIDs, row.AccountID)
	}
	return request, nil
}

// pickRefusableRow returns the row of one account, preferably on a network whose refusals are final. It returns none if
// there are no rows.
func (g *seeder) pickRefusableRow(rows []contract.PlanRow) (atMostOne []contract.PlanRow) {
	for _, card := range g.app.ListSupportedNetworks() {
		for _, row := range rows {
			if row.Platform == string(card.ID) && !card.ErrorsMayPublish {
				return []contract.PlanRow{row}
			}
		}
	}
	return rows[:min(1, len(rows))]
}

// createPostsAndCollectIfDue creates the posts of a request: drafts, scheduled posts, or queued posts that are due.
// It adds the due ones to g.due, for publishDueAndBackdateWorkspaces. It makes the networks refuse the next post with
// this text if post.Refused is set.
func (g *seeder) createPostsAndCollectIfDue(
	ctx context.Context, zoneName string, post demoPost, request contract.PlanPosts,
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
		if err := g.makeNetworksRefuseNextPost(ctx, post.Text, post.Refused); err != nil {
			return err
		}
	}
	made, err := g.app.CreatePosts(ctx, g.owner, contract.CreatePosts{Confirm: true, PlanPosts: request})
	if err != nil || request.When.Word != "now" {
		return err
	}
	for _, p := range made.Posts {
		due := duePost{owner: g.owner, post: p.ID}
		if post.Day < 0 {
			if due.past, err = time.ParseInLocation("2006-01-02T15:04", local, zone); err != nil {
				return err
			}
		}
		g.due = append(g.due, due)
	}
	return nil
}

// uploadAndAwaitDemoFileIfMissing adds a file of the demo to the workspace's media, unless the workspace already has
// it, and waits until the file has been processed.
func (g *seeder) uploadAndAwaitDemoFileIfMissing(ctx context.Context, name string) (id string, err error) {
	if id := g.files[name]; id != "" {
		return id, nil
	}
	data, err := demoFiles.ReadFile("demo/" + name)
	if err != nil {
		return "", err
	}
	size := int64(len(data))
	upload, err := g.app.ReserveUpload(ctx, g.owner, contract.CreateUpload{
		Filename: name, Mime: "application/octet-stream", Size: size,
	})
	if err != nil {
		return "", err
	}
	if _, err = g.app.Intake().ReceiveUpload(ctx, path.Base(upload.UploadURL), size, bytes.NewReader(data)); err != nil {
		return "", err
	}
	if err := g.processOrAwaitFile(ctx, upload.MediaID); err != nil {
		return "", fmt.Errorf("add %s: %w", name, err)
	}
	g.files[name] = upload.MediaID
	return upload.MediaID, nil
}

// processOrAwaitFile processes a file, or waits until the running service has processed it.
func (g *seeder) processOrAwaitFile(ctx context.Context, id string) error {
	mediaID, err := core.ParseID[core.MediaKind](id)
	if err != nil {
		return err
	}
	processed, err := pollUntil(ctx, processPatience, func(ctx context.Context) (bool, error) {
		if err := g.app.Intake().ClaimAndProcessFile(ctx, g.owner.Workspace(), mediaID); err != nil {
			return false, err
		}
		m, err := g.app.GetMedia(ctx, g.owner, id)
		if err == nil && m.Status == string(core.MediaFailed) {
			err = errors.New("the file could not be processed; the log shows why")
		}
		return m.Status == string(core.MediaReady), err
	})
	if err == nil && !processed {
		err = fmt.Errorf("the file was not processed within %s: check that the service and its worker are running",
			processPatience)
	}
	return err
}
