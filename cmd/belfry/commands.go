package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"belfry/internal/config"
	"belfry/internal/httpd"
	"belfry/internal/sandbox"
	"belfry/migrations"
)

// command is one row of the table of commands.
type command struct {
	name   string // one or two words
	takes  string // the name of its argument, or ""
	about  string // what it does, in one sentence
	more   string // more help
	define func(*options) action
}

// action runs a command after its options have been parsed. The configuration is nil for commands that do not need
// it.
type action func(ctx context.Context, p *program, cfg *config.Config) error

// defineWithoutOptions returns a define function for a command without options.
func defineWithoutOptions(run action) func(*options) action {
	return func(*options) action { return run }
}

// needsConfig reports whether the command reads the configuration. Other commands also run with an invalid
// configuration.
func (c command) needsConfig() bool { return c.name != "version" && c.name != "sandbox" }

// allCommands returns all commands in the order in which help lists them.
func allCommands() []command {
	const local = "You can run this command whether or not the service is running. If the local database is not running, the\ncommand starts it, and stops it again at the end."
	return []command{
		{
			"serve", "", "Run the service: dashboard, API and worker.",
			"On SIGTERM or Ctrl-C, the service gives work in progress up to 20 seconds to finish, and then exits.", defineWithoutOptions(runServe),
		},
		{
			"migrate", "", "Migrate the database to this version's schema.",
			"Make a backup first. You need this command only for an external database: `belfry serve` automatically migrates\nthe local database and any empty database.", defineWithoutOptions(runMigrate),
		},
		{
			"sandbox", "", "Run only the simulated networks.",
			"If no network has credentials, the service runs its own simulated networks. Use this command to share simulated\nnetworks among several processes of the service.",
			defineSandbox,
		},
		{
			"seed", "", "Create demo workspaces with accounts, pictures, videos and two weeks of posts.",
			"The workspaces belong to the owner with the oldest membership on this server. If there is no workspace yet, the\ncommand creates an owner. The networks must be simulated.\n" + local, defineSeed,
		},
		{
			"workspace create", "", "Create a workspace for a new or existing owner, and print the workspace's ID and short name.", local,
			defineCreateWorkspace,
		},
		{"workspace list", "", "List all workspaces: short name, ID, subscription plan and name.", local, defineWithoutOptions(withMigratedSession(mustExist, printWorkspaces))},
		{"workspace plan", "", "Change the subscription plan of a workspace.", local, defineSetWorkspacePlan},
		{
			"key create", "", "Create an API key and print it once.", "The key acts on behalf of the owner who joined the workspace first.\n" + local,
			defineCreateAPIKey,
		},
		{"user password", "", "Change a person's password to one that you pass on standard input.", local, defineSetUserPassword},
		{
			"accounts revoke-unreadable", "", "Mark accounts as revoked if their tokens can no longer be decrypted, so that the service can start again.",
			"Without --confirm, the command only lists the accounts whose tokens cannot be decrypted. With --confirm, it deletes\n" +
				"these tokens and marks the accounts as revoked. Their posts cannot be published until people reconnect the\n" +
				"accounts.\n" +
				"Use the same BELFRY_ variables as the service, so that the command has the same secret keys.", defineRevokeUnreadableAccounts,
		},
		{
			"secrets rotate", "", "Re-encrypt the secrets in the database with the newest secret key, so that you can remove older keys.",
			"First, make the newest key the first one in BELFRY_SECRET_KEYS or secret.keys on every machine, and restart every\n" +
				"process of the service. You can run this command while the service is running, and more than once. For all steps, see\n" +
				"docs/operations.md, Keys.",
			defineWithoutOptions(withMigratedSession(mustExist, reencryptSecretsAndPrintResult)),
		},
		{
			"backup", "FILE", "Write the local database to a file.",
			"The file contains neither the media files nor the secret keys.\n" + local, defineBackup,
		},
		{
			"restore confirm", "", "Resume publishing after a restore.",
			"If posts were published after the backup, the restored service publishes nothing until you run this command. Belfry\n" +
				"then marks these posts as live, asks the networks about posts that may have been published, and publishes all other\n" +
				"posts that are due. `belfry doctor` lists the affected posts.\n" +
				"If the file storage may be as outdated as the database, this command lists the posts that may already be\n" +
				"published, and stops. On the networks, check which of these posts have been published, cancel those posts in Belfry,\n" +
				"and run this command again with --unproved.\n" + local,
			defineConfirmRestore,
		},
		{
			"restore", "FILE", "Replace the local database with a backup.",
			"First, stop the service, and put its secret keys (BELFRY_SECRET_KEYS, or secret.keys in BELFRY_DATA_DIR) and its file\n" +
				"storage (BELFRY_STORAGE_URL) in place. Without the keys, the service does not start if the backup contains\n" +
				"accounts' tokens. Without the receipts in the file storage, Belfry cannot know what was published after the backup.\n" +
				"If posts were published after the backup, the service publishes nothing until you run `belfry restore confirm`.", defineRestore,
		},
		{"config", "", "Print the configuration without secrets.", "", defineWithoutOptions(printConfig)},
		{
			"doctor", "", "Find problems and show how to fix them.",
			"This command changes nothing. If the local database is not running, the command starts it, and stops it\nagain at the end. The command exits with status 1 if a check fails.", defineWithoutOptions(runDoctor),
		},
		{"healthcheck", "", "Check whether the service is ready.", "The command exits with status 1 if the service is not ready.", defineWithoutOptions(checkReadyAndPrint)},
		{"version", "", "Print the version.", "", defineWithoutOptions(printVersion)},
	}
}

// runCommand finds the command at the beginning of args and runs it.
func (p *program) runCommand(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return &usageError{"a command is missing", formatHelp(allCommands())}
	}
	if args[0] == "help" || isHelpFlag(args[0]) {
		if len(args) == 1 {
			return p.printLinef("%s", formatHelp(allCommands()))
		}
		args = append(args[1:], "--help")
	}
	for _, c := range allCommands() {
		words := strings.Fields(c.name)
		if len(args) < len(words) || !slices.Equal(args[:len(words)], words) {
			continue
		}
		set := newOptions(c)
		run := c.define(set)
		if err := set.parseOrPrintHelpIfAsked(p, args[len(words):]); err != nil {
			return err
		}
		var cfg *config.Config
		if c.needsConfig() {
			var err error
			if cfg, err = config.Load(p.environ, networkVariables()); err != nil {
				return err
			}
		}
		return run(ctx, p, cfg)
	}
	list := listTwoWordCommands(args[0])
	if len(args) == 2 && isHelpFlag(args[1]) && len(list) > 0 {
		return p.printLinef("%s", formatHelp(list))
	}
	if len(list) == 0 {
		list = allCommands()
	}
	return &usageError{fmt.Sprintf("there is no command %q", strings.Join(args, " ")), formatHelp(list)}
}

func isHelpFlag(arg string) bool { return slices.Contains([]string{"--help", "-help", "-h"}, arg) }

// listTwoWordCommands returns the commands with two words of which the first one is firstWord.
func listTwoWordCommands(firstWord string) []command {
	return slices.DeleteFunc(allCommands(), func(c command) bool { return !strings.HasPrefix(c.name, firstWord+" ") })
}

func runMigrate(ctx context.Context, p *program, cfg *config.Config) (err error) {
	db, err := connectOrStartCommandDatabase(ctx, cfg, mayCreate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close(ctx)) }()
	if err := migrations.Run(ctx, db.pool); err != nil {
		return err
	}
	return p.printLinef("The database is up to date.")
}

func defineSandbox(o *options) action {
	addr := o.flags.String("addr", "127.0.0.1:9090", "where to listen, as HOST:PORT")
	journal := o.flags.String("journal", "", "a folder for accounts and posts, so that they survive restarts (default: none, and each restart deletes them)")
	callbacks := o.flags.String("callbacks", "", "where the networks send their callbacks: BELFRY_PUBLIC_URL, followed by /callbacks (default: they send none)")
	return func(ctx context.Context, p *program, _ *config.Config) (err error) {
		networks, err := sandbox.New(sandbox.Config{JournalDir: *journal, AppName: "Belfry", CallbackURL: *callbacks})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, networks.Close()) }()
		if err := p.printLinef("The simulated networks are at http://%s/_/. Set BELFRY_NETWORKS_URL=http://%s, and set the client ID and secret of each network to %q.",
			*addr, *addr, sandbox.Credentials); err != nil {
			return err
		}
		return httpd.Serve(ctx, *addr, "--addr", networks, slog.New(slog.NewTextHandler(p.err, nil)))
	}
}

func printConfig(_ context.Context, p *program, cfg *config.Config) error { return cfg.Print(p.out) }

// checkReadyAndPrint prints that the service is ready, or returns an error.
func checkReadyAndPrint(ctx context.Context, p *program, cfg *config.Config) error {
	at, err := localURL(cfg.Addr)
	if err != nil {
		return err
	}
	status, _, err := getStatusAndHeader(ctx, at, "/readyz", 5*time.Second)
	switch {
	case err != nil:
		return fmt.Errorf("the service does not respond at %s: check that it is running", at)
	case status != http.StatusOK:
		return errors.New("the service is not ready; its log shows why")
	}
	return p.printLinef("The service is ready.")
}

// getStatusAndHeader sends a GET request and returns the status and headers of the response.
func getStatusAndHeader(
	ctx context.Context, base *url.URL, path string, timeout time.Duration,
) (status int, header http.Header, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath(path).String(), nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	return answer.StatusCode, answer.Header, answer.Body.Close()
}

func printVersion(_ context.Context, p *program, _ *config.Config) error {
	return p.printLinef("%s", versionText())
}

// versionText returns the program's version, or the commit that it was built from.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(len(s.Value), 12)]
		}
	}
	return "devel"
}
