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
	takes  string // its argument, if it has one
	about  string // one sentence
	more   string // what else is good to know before it runs
	define func(*options) action
}

// action runs a command after its options have been parsed. The configuration is nil for commands that do not need
// it.
type action func(ctx context.Context, p *program, cfg *config.Config) error

// noOptions defines a command without options.
func noOptions(run action) func(*options) action {
	return func(*options) action { return run }
}

// needsConfig reports whether the command reads the configuration. Other commands also run with an invalid
// configuration.
func (c command) needsConfig() bool { return c.name != "version" && c.name != "sandbox" }

// allCommands returns all commands in the order in which help lists them.
func allCommands() []command {
	const local = "You can run it while the service is running or stopped. If the service is stopped, the command starts the local\ndatabase, and stops it at the end."
	return []command{
		{
			"serve", "", "Run the service: dashboard, API and worker.",
			"On SIGTERM or Ctrl-C, the service starts no new work, finishes open work and exits.", noOptions(runServe),
		},
		{
			"migrate", "", "Migrate the database to this program's schema.",
			"Make a backup first. `belfry serve` migrates its own database and an empty one automatically.", noOptions(runMigrate),
		},
		{
			"sandbox", "", "Run only the simulated networks.",
			"The service runs its own simulators while no network has credentials. Use this command when several processes share\nthe simulators.",
			defineSandbox,
		},
		{
			"seed", "", "Create demo workspaces with accounts, pictures and two weeks of posts.",
			"They belong to the owner of the first workspace. The networks must be simulated.\n" + local, defineSeed,
		},
		{
			"workspace create", "", "Create a workspace and its owner, and print its id and short name.", local,
			defineWorkspaceCreate,
		},
		{"workspace list", "", "List all workspaces: short name, id, plan and name.", local, noOptions(inSession(mustExist, listWorkspaces))},
		{"workspace plan", "", "Change the plan of a workspace.", local, defineWorkspacePlan},
		{
			"key create", "", "Create an API key and print it once.", "The key acts for the workspace's owner.\n" + local,
			defineKeyCreate,
		},
		{"user password", "", "Set a person's password, read from standard input.", local, defineUserPassword},
		{
			"accounts revoke-unreadable", "", "Revoke accounts whose tokens can no longer be decrypted, so that the service can start again.",
			"Without --confirm it only lists the accounts whose tokens cannot be decrypted. With --confirm it deletes these tokens\n" +
				"and revokes the accounts. People then have to reconnect them, and their posts wait or fail until then.\n" +
				"Run it with the same BELFRY_ variables as the service, or every account looks unreadable.", defineRevokeUnreadable,
		},
		{
			"secrets rotate", "", "Re-encrypt all values with the newest secret key, so that you can remove an older key.",
			"First give every process of the service the newest key, as the first of its keys. You can run this command while the\n" +
				"service runs, and repeat it. See docs/operations.md, Keys, for all steps.", noOptions(inSession(mustExist, rotateSecrets)),
		},
		{
			"backup", "FILE", "Write the local database to a file.",
			"It does not contain the media files and the secret keys.\n" + local, defineBackup,
		},
		{
			"restore confirm", "", "Continue publishing after a restore.",
			"After a restore, the service publishes nothing until you confirm. Posts that were published after the backup then become\n" +
				"live, Belfry asks the networks about posts that may be published, and the other posts are published. `belfry doctor`\n" +
				"lists the posts. If the file storage may be as old as the database, the command lists the posts that may be published\n" +
				"already, and stops. Cancel those that are published, then use --unproved.\n" + local,
			defineRestoreConfirm,
		},
		{
			"restore", "FILE", "Replace the local database with a backup.",
			"Stop the service first, and put its secret keys and its file storage in place: BELFRY_SECRET_KEYS or secret.keys in\n" +
				"BELFRY_DATA_DIR, and BELFRY_STORAGE_URL. Without the keys, the service does not start with this database, and without\n" +
				"the receipts in the file storage, Belfry cannot know what was published after the backup.\n" +
				"If posts were published after it, the service publishes nothing until you run `belfry restore confirm`.", defineRestore,
		},
		{"config", "", "Print the configuration without secrets.", "", noOptions(printConfig)},
		{
			"doctor", "", "Find problems, and show how to fix them.",
			"It changes nothing. If the service is stopped, the command starts the local database and stops it again.\nIt exits with status 1 if something needs attention.", noOptions(runDoctor),
		},
		{"healthcheck", "", "Check whether the service is ready. Exits with status 1 if it is not.", "", noOptions(checkHealth)},
		{"version", "", "Print the version.", "", noOptions(printVersion)},
	}
}

// runCommand finds the command that the arguments begin with and runs it.
func (p *program) runCommand(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return &usageError{"a command is missing", commandList(allCommands())}
	}
	if args[0] == "help" || isHelp(args[0]) {
		if len(args) == 1 {
			return p.printf("%s", commandList(allCommands()))
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
		if err := set.parse(p, args[len(words):]); err != nil {
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
	list := commandsAbout(args[0])
	if len(args) == 2 && isHelp(args[1]) && len(list) > 0 {
		return p.printf("%s", commandList(list))
	}
	if len(list) == 0 {
		list = allCommands()
	}
	return &usageError{fmt.Sprintf("there is no command %q", strings.Join(args, " ")), commandList(list)}
}

func isHelp(word string) bool { return slices.Contains([]string{"--help", "-help", "-h"}, word) }

// commandsAbout returns the commands with the given noun as the first of their two words.
func commandsAbout(noun string) []command {
	return slices.DeleteFunc(allCommands(), func(c command) bool { return !strings.HasPrefix(c.name, noun+" ") })
}

func runMigrate(ctx context.Context, p *program, cfg *config.Config) (err error) {
	db, err := openForCommand(ctx, cfg, mayInstall)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close(ctx)) }()
	if err := migrations.Run(ctx, db.pool); err != nil {
		return err
	}
	return p.printf("The database is up to date.")
}

func defineSandbox(o *options) action {
	addr := o.flags.String("addr", "127.0.0.1:9090", "where to listen, as HOST:PORT")
	journal := o.flags.String("journal", "", "folder that stores accounts and posts across restarts (default: none)")
	callbacks := o.flags.String("callbacks", "", "where the networks report what people do, as BELFRY_PUBLIC_URL/callbacks (default: nowhere)")
	return func(ctx context.Context, p *program, _ *config.Config) (err error) {
		networks, err := sandbox.New(sandbox.Config{JournalDir: *journal, AppName: "Belfry", CallbackURL: *callbacks})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, networks.Close()) }()
		if err := p.printf("The simulated networks are at http://%s/_/. Set BELFRY_NETWORKS_URL=http://%s, and set the client id and secret of each network to %q.",
			*addr, *addr, sandbox.Credentials); err != nil {
			return err
		}
		return httpd.Serve(ctx, *addr, "--addr", networks, slog.New(slog.NewTextHandler(p.err, nil)))
	}
}

func printConfig(_ context.Context, p *program, cfg *config.Config) error { return cfg.Print(p.out) }

// checkHealth returns an error unless the service is ready.
func checkHealth(ctx context.Context, p *program, cfg *config.Config) error {
	at, err := loopbackURL(cfg.Addr)
	if err != nil {
		return err
	}
	status, _, err := getFrom(ctx, at, "/readyz", 5*time.Second)
	switch {
	case err != nil:
		return fmt.Errorf("the service does not respond at %s", at)
	case status != http.StatusOK:
		return errors.New("the service is not ready; its log says why")
	}
	return p.printf("The service is ready.")
}

// getFrom sends a GET request and returns the status and headers of the response.
func getFrom(ctx context.Context, at *url.URL, path string, limit time.Duration) (int, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.JoinPath(path).String(), nil)
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
	return p.printf("%s", versionText())
}

// versionText returns the module's version, or the commit that it was built from.
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
