package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"belfry/internal/app"
	"belfry/internal/config"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/sandbox"
	"belfry/internal/secret"
)

// seedOutput is what `seed --json` prints.
type seedOutput struct {
	Workspace string            `json:"workspace"`
	Email     string            `json:"email"`
	Password  string            `json:"password"`
	Key       string            `json:"key"`
	Accounts  map[string]string `json:"accounts"`
	// MoreAccounts are further accounts on each network, if --accounts is more than 1.
	MoreAccounts map[string][]string `json:"moreAccounts,omitempty"`
}

// How long a demo post may take to be published, and a demo file to be processed.
const (
	publishPatience = time.Minute
	processPatience = time.Minute
)

// seedAskPatience is how long seed waits for Belfry to ask a network about a refusal.
const seedAskPatience = 10 * time.Second

// samplePostsInEachState returns one post in each state, for `seed --json`.
func samplePostsInEachState() []demoPost {
	return []demoPost{
		{Text: "This draft is not published until you schedule or send it."},
		{Day: 1, At: "18:00", Text: "This post is scheduled for 18:00 in Berlin."},
		{At: "now", Text: "Hello! This post is live on the simulated network."},
		{
			At: "now", Text: "The simulated network refused this post, to show what a failed post looks like.",
			Refused: "The network refused this text.",
		},
	}
}

// titledFiles are files for a post, with the title that the post needs for them.
type titledFiles struct {
	title string
	files []string
}

// listFilesToTryUntilAccepted returns what makeSamplePostsAndCollectDue tries for a post, at first no files, until the
// network accepts the post.
func listFilesToTryUntilAccepted() []titledFiles {
	return []titledFiles{
		{},
		{files: []string{"harbour-at-dawn.jpg"}},
		{title: "A video", files: []string{"harbour.mp4"}},
	}
}

func defineSeed(o *options) action {
	asJSON := o.flags.Bool("json", false, "create one small workspace for scripts instead, and print its details as JSON")
	accounts := o.flags.Int("accounts", 1, "with --json: the number of accounts on each network")
	seed := withMigratedSession(mayCreate, func(ctx context.Context, p *program, s *commandSession) (err error) {
		g := &seeder{session: s}
		stop, err := g.useOrStartSandboxAndReplaceConfig(ctx)
		if err != nil {
			return err
		}
		defer stop()
		if err := s.openStorageAndRecreateApp(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.appConfig.Blobs.Close()) }()
		g.app = s.app
		if err := g.app.GuardOrNil().HoldPublishingIfRewoundElseUpdateMark(ctx); err != nil { // seed publishes
			return fmt.Errorf("compare the database with the receipts and the mark in the file storage: %w", err)
		}
		if !*asJSON {
			return g.makeDemoWorkspacesAndPrintSignIn(ctx, p)
		}
		out, err := g.makeSampleWorkspace(ctx, *accounts)
		if err != nil {
			return err
		}
		if len(g.holdReasons) > 0 {
			_, _ = fmt.Fprintln(p.err, g.summarizeHoldReasons())
		}
		return json.NewEncoder(p.out).Encode(out) //nolint:gosec // the script needs the password of the owner it asked for
	})
	return func(ctx context.Context, p *program, cfg *config.Config) error {
		switch {
		case *accounts < 1:
			return o.usageErrorf("--accounts is %d, but must be at least 1", *accounts)
		case *accounts > 1 && !*asJSON:
			return o.usageErrorf("--accounts applies only to the workspace that --json creates: add --json")
		}
		if cfg.NetworksURL == "" && !usesOwnSandbox(cfg) {
			return errors.New("seed needs simulated networks, but this service uses the real ones: use an installation in which no network has credentials")
		}
		return seed(ctx, p, cfg)
	}
}

// seeder creates demo workspaces through the app, so that all rules of the product apply.
type seeder struct {
	session *commandSession
	app     *app.App
	base    *url.URL // the address of the simulated networks, as SCHEME://HOST
	control string   // the address of the control API of the simulated networks
	owner   core.Caller
	files   map[string]string // ids of the files that the workspace has, by their names in the demo
	due     []duePost

	mu          sync.Mutex
	holdReasons []string // why posts are queued although they are due
}

// duePost is a queued post that publishDueAndBackdateWorkspaces publishes.
type duePost struct {
	owner core.Caller
	post  string
	past  time.Time // the time to backdate the post to; zero for none
}

// useOrStartSandboxAndReplaceConfig makes g use the simulated networks at BELFRY_NETWORKS_URL or in the running
// service. If the service is not running, it starts the service's own networks with their journal, and replaces the
// session's appConfig with one for them; the caller must then recreate the app. The caller must call stop.
func (g *seeder) useOrStartSandboxAndReplaceConfig(ctx context.Context) (stop func(), err error) {
	s := g.session
	stop = func() {}
	if !usesOwnSandbox(s.cfg) {
		g.base, err = url.Parse(s.cfg.NetworksURL)
		g.control = s.cfg.NetworksURL + "/_/"
		return stop, err
	}
	at, err := ownSandboxURLOrNil(s.cfg)
	if err != nil {
		return nil, err
	}
	g.control = at.String() + "/_/"
	if g.callSandboxControl(ctx, http.MethodGet, "posts", nil) != nil { // the service is not running
		if at.Host, stop, err = g.startSandboxServer(ctx); err != nil {
			return nil, err
		}
		s.cfg.MediaURL = "http://" + at.Host
		g.control = at.String() + "/_/"
		s.appConfig, err = newAppConfigWithoutStorage(s.cfg, s.appConfig.Ring, s.appConfig.Log, at)
	}
	g.base = &url.URL{Scheme: at.Scheme, Host: at.Host}
	return stop, err
}

// startSandboxServer starts the service's own simulated networks on a free port. address is HOST:PORT.
func (g *seeder) startSandboxServer(ctx context.Context) (address string, stop func(), err error) {
	networks, err := sandbox.New(sandbox.Config{
		Prefix: sandboxPath, JournalDir: sandboxFolder(g.session.cfg), JournalAlone: true, AppName: "Belfry",
	})
	if errors.Is(err, sandbox.ErrJournalInUse) { // its own networks would issue tokens that the service does not know
		return "", nil, fmt.Errorf("the service that uses this BELFRY_DATA_DIR does not respond at %s: "+
			"set BELFRY_ADDR to the address of the service, then run the command again", g.session.cfg.Addr)
	}
	if err != nil {
		return "", nil, fmt.Errorf("start the simulated networks: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, errors.Join(err, networks.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/", networks)
	mux.HandleFunc("GET "+contract.FilePath+"{token}/{name}", g.serveMediaToNetworks)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}
	go server.Serve(listener) //nolint:errcheck // it returns when the server is closed
	return listener.Addr().String(), func() {
		_ = server.Close()
		_ = networks.Close()
	}, nil
}

// callSandboxControl calls the control API of the simulated networks.
func (g *seeder) callSandboxControl(ctx context.Context, method, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, g.control+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("call the simulated networks: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the simulated networks responded with %s to %s %s", answer.Status, method, path)
	}
	return nil
}

// serveMediaToNetworks serves a media file to the simulated networks while the service is not running.
func (g *seeder) serveMediaToNetworks(w http.ResponseWriter, r *http.Request) {
	f, err := g.app.Intake().AwaitGateAndOpenFile(r.Context(), r.PathValue("token"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Content.Close()
	w.Header().Set("Content-Type", f.Mime)
	http.ServeContent(w, r, "", f.Modified, f.Content)
}

// createAndEnterWorkspace creates a workspace, and makes its owner the caller of the following operations.
func (g *seeder) createAndEnterWorkspace(ctx context.Context, in contract.CreateWorkspace) (app.SignedIn, error) {
	made, err := g.app.CreateWorkspaceWithOwner(ctx, in)
	if err != nil {
		return made, err
	}
	g.files = map[string]string{}
	g.owner, err = g.app.AuthenticateSession(ctx, app.Session{
		ID: "seed-" + secret.RandomText(16), User: made.User.String(), Workspace: made.Workspace.String(),
		Proof: made.Proof, ProvedAt: time.Now(),
	})
	return made, err
}

// makeSampleWorkspace creates a small workspace with a random name and accounts on each network. The first account of
// each network gets one post in each state.
func (g *seeder) makeSampleWorkspace(ctx context.Context, accountsPerNetwork int) (*seedOutput, error) {
	name := strings.ToLower(rand.Text()[:8]) // only characters that every network allows in a username
	out := &seedOutput{
		Email: "owner-" + name + "@example.org", Password: secret.RandomText(18), Accounts: map[string]string{},
		MoreAccounts: map[string][]string{},
	}
	made, err := g.createAndEnterWorkspace(ctx, contract.CreateWorkspace{
		Name: "Demo " + name, TZ: "Europe/Berlin", OwnerName: "Demo Owner", OwnerEmail: out.Email, Password: out.Password,
	})
	if err != nil {
		return nil, err
	}
	out.Workspace = made.Slug
	key, err := g.app.CreateKey(ctx, g.owner, contract.CreateKey{Name: "Demo key", Scope: string(core.Write)})
	if err != nil {
		return nil, err
	}
	out.Key = key.Key
	for _, card := range g.listConfiguredNetworks() {
		account, err := g.connectAccount(ctx, string(card.ID), "demo_"+name)
		if err != nil {
			return nil, err
		}
		out.Accounts[account.Platform] = account.ID
		if err := g.makeSamplePostsAndCollectDue(ctx, account); err != nil {
			return nil, fmt.Errorf("create posts on %s: %w", card.Name, err)
		}
		for i := 1; i < accountsPerNetwork; i++ {
			more, err := g.connectAccount(ctx, string(card.ID), fmt.Sprintf("demo_%s_%d", name, i))
			if err != nil {
				return nil, err
			}
			out.MoreAccounts[more.Platform] = append(out.MoreAccounts[more.Platform], more.ID)
		}
	}
	return out, g.publishDueAndBackdateWorkspaces(ctx)
}

// makeSamplePostsAndCollectDue makes the posts of samplePostsInEachState, with the first files of
// listFilesToTryUntilAccepted that the account's network accepts. It adds posts that are due to g.due.
func (g *seeder) makeSamplePostsAndCollectDue(ctx context.Context, account contract.Account) error {
	to := contract.Targets{AccountIDs: []string{account.ID}}
	for _, post := range samplePostsInEachState() {
		var request contract.PlanPosts
		var err error
		for _, try := range listFilesToTryUntilAccepted() {
			post.Title, post.Files = try.title, try.files
			if request, err = g.uploadFilesAndPickTargets(ctx, post, to); err != nil {
				return err
			}
			if len(request.Targets.AccountIDs) > 0 {
				break
			}
		}
		if err := g.createPostsAndCollectIfDue(ctx, "Europe/Berlin", post, request); err != nil {
			return err
		}
	}
	return nil
}

// listConfiguredNetworks lists the networks that are set up on this server.
func (g *seeder) listConfiguredNetworks() []app.NetworkCard {
	return slices.DeleteFunc(g.app.ListSupportedNetworks(), func(card app.NetworkCard) bool { return !card.Configured })
}

// connectAccount connects an account as a person would: it gives consent on the network's page and follows the
// redirect.
func (g *seeder) connectAccount(ctx context.Context, platform, profile string) (contract.Account, error) {
	start, err := g.app.StartConnect(ctx, g.owner, contract.Connect{Platform: platform})
	if err != nil {
		return contract.Account{}, err
	}
	page, err := url.Parse(start.AuthorizeURL)
	if err != nil {
		return contract.Account{}, err
	}
	page.Scheme, page.Host = g.base.Scheme, g.base.Host
	back, err := sandbox.GiveConsent(ctx, g.base.String(), page.String(), profile)
	if err != nil {
		return contract.Account{}, err
	}
	done, err := g.app.FinishConnectOrReconnect(ctx, g.owner, platform, back.Query())
	if err != nil {
		return contract.Account{}, err
	}
	if len(done.Accounts) != 1 {
		return contract.Account{}, fmt.Errorf("connecting an account on %s created %d accounts, not one", platform, len(done.Accounts))
	}
	return done.Accounts[0], nil
}

// makeNetworksRefuseNextPost makes the simulated networks refuse the next post that contains the given text, with the
// message.
func (g *seeder) makeNetworksRefuseNextPost(ctx context.Context, containing, message string) error {
	fault := map[string]any{"kind": "reject", "match": containing, "message": message}
	return g.callSandboxControl(ctx, http.MethodPost, "faults", fault)
}

// publishedAtOnce is the number of demo posts that are published in parallel, because some networks need seconds per
// post.
const publishedAtOnce = 16

// publishDueAndBackdateWorkspaces publishes the posts in g.due, and backdates past posts and their workspaces. It
// also updates how much of their limits the accounts have used.
func (g *seeder) publishDueAndBackdateWorkspaces(ctx context.Context) error {
	if err := g.publishAndBackdateDuePosts(ctx); err != nil {
		return err
	}
	done := map[core.WorkspaceID]bool{}
	for _, due := range g.due {
		if ws := due.owner.Workspace(); !done[ws] {
			done[ws] = true
			if err := g.app.BackdateWorkspaceAndUpdateFacts(ctx, due.owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// publishAndBackdateDuePosts publishes the posts in g.due, or waits until the running service has published them. It
// backdates past posts. Posts that a network's limit holds stay queued (see summarizeHoldReasons).
func (g *seeder) publishAndBackdateDuePosts(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(publishedAtOnce)
	for _, due := range g.due {
		group.Go(func() error {
			held, err := g.publishOrCollectHoldReason(ctx, due)
			if err != nil || held || due.past.IsZero() {
				return err
			}
			if err := g.app.BackdateIfLiveOrFailed(ctx, due.owner, due.post, due.past); err != nil {
				return err
			}
			return g.backdateOnNetworkIfLive(ctx, due)
		})
	}
	return group.Wait()
}

// backdateOnNetworkIfLive gives a live post its past time on the pages of its simulated network too.
func (g *seeder) backdateOnNetworkIfLive(ctx context.Context, due duePost) error {
	card, err := g.app.GetPostCard(ctx, due.owner, due.post)
	if err != nil || card.ExternalID == nil {
		return err
	}
	post := map[string]any{"network": card.Platform, "id": *card.ExternalID, "at": due.past}
	return g.callSandboxControl(ctx, http.MethodPost, "posts/backdate", post)
}

// publishOrCollectHoldReason publishes a post, or waits until the running service has published it. It returns true
// if a network's limit holds the post for longer than seed waits, and adds the reason to g.holdReasons. Otherwise,
// the post is live, has failed, or waits until Belfry asks the network about a refusal that is not final.
func (g *seeder) publishOrCollectHoldReason(ctx context.Context, due duePost) (held bool, err error) {
	post, err := core.ParseID[core.PostKind](due.post)
	if err != nil {
		return false, err
	}
	ws := due.owner.Workspace()
	done, err := pollUntil(ctx, publishPatience, func(ctx context.Context) (bool, error) {
		if err := g.app.Engine().PublishOrPrepare(ctx, newWorkerName(), ws, post); err != nil {
			return false, err
		}
		now, err := g.app.GetPostCard(ctx, due.owner, due.post)
		held = now.Held && time.Until(now.NextTryAt) > publishPatience
		// If a refusal is not final, Belfry asks the network again later, before the post fails.
		return held || now.Status != string(core.PostQueued) || time.Until(now.AskAt) > seedAskPatience, err
	})
	switch {
	case err != nil:
		return false, fmt.Errorf("publish the demo post %s: %w", due.post, err)
	case !done:
		return false, fmt.Errorf("the demo post %s was not published within %s: check that the service and its worker are running",
			due.post, publishPatience)
	case held:
		return true, g.collectHoldReason(ctx, due)
	}
	return false, g.app.Engine().FetchAndStoreLinkIfMissing(ctx, ws, post)
}

// collectHoldReason adds the message of the post's last event, which says why the post is held, to g.holdReasons.
func (g *seeder) collectHoldReason(ctx context.Context, due duePost) error {
	timeline, err := g.app.ListPostEventsAndNextRetry(ctx, due.owner, due.post)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holdReasons = append(g.holdReasons, timeline.Events[len(timeline.Events)-1].Message)
	return nil
}

// summarizeHoldReasons says how many posts a network's limit holds, why, and what to do.
func (g *seeder) summarizeHoldReasons() string {
	reasons := slices.Compact(slices.Sorted(slices.Values(g.holdReasons)))
	return fmt.Sprintf("Demo posts that are not published yet: %d. %s\n"+
		"To publish demo posts without waiting, use an empty database, and set BELFRY_DATA_DIR to an empty folder.",
		len(g.holdReasons), strings.Join(reasons, " "))
}

// pollUntil calls isDone every 100 ms until it returns true or an error. done is false if the timeout ends first.
func pollUntil(
	ctx context.Context, timeout time.Duration, isDone func(context.Context) (bool, error),
) (done bool, err error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		done, err = isDone(limited)
		switch {
		case err != nil && limited.Err() != nil: // isDone was interrupted
			return false, ctx.Err()
		case done || err != nil:
			return done, err
		}
		select {
		case <-limited.Done():
			return false, ctx.Err()
		case <-tick.C:
		}
	}
}
