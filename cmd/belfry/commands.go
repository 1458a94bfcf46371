package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"belfry/internal/httpd"
	"belfry/internal/sandbox"
	"belfry/migrations"
)

// allCommands returns all commands in the order in which help lists them.
func allCommands() []command {
	const local = "You can run it while the service runs or is stopped. If the service is stopped, the command starts the local\ndatabase while it works."
	return []command{
		{
			"serve", "", "Run the service: dashboard, API and worker.",
			"It stops on SIGTERM or Ctrl-C: it finishes open work and starts nothing new.", runServe,
		},
		{
			"migrate", "", "Migrate the database to this program's schema.",
			"Make a backup first. `belfry serve` migrates its own database and an empty one automatically.", runMigrate,
		},
		{
			"sandbox", "", "Run only the simulated networks.",
			"The service runs its own while no network has credentials. Use this command when several processes share them.",
			runSandbox,
		},
		{
			"seed", "", "Make demo workspaces with accounts, pictures and two weeks of posts.",
			"They belong to the owner of the first workspace. The networks must be simulated.\n" + local, runSeed,
		},
		{
			"workspace create", "", "Create a workspace and its owner, and print its id and short name.", local,
			runWorkspaceCreate,
		},
		{"workspace list", "", "List all workspaces: short name, id, plan and name.", local, runWorkspaceList},
		{"workspace plan", "", "Change the plan of a workspace.", local, runWorkspacePlan},
		{
			"key create", "", "Create an API key and print it once.", "The key acts for the workspace's owner.\n" + local,
			runKeyCreate,
		},
		{"user password", "", "Set a person's password, read from standard input.", local, runUserPassword},
		{
			"accounts revoke-unreadable", "", "Revoke accounts whose secret key is lost, so that the service can start again.",
			"Without --confirm it only lists the accounts whose tokens cannot be decrypted. With --confirm it deletes these tokens\n" +
				"and revokes the accounts. People then have to reconnect them, and their posts wait or fail until then.\n" +
				"Run it with the same BELFRY_ variables as the service, or every account looks unreadable.", runRevokeUnreadable,
		},
		{
			"secrets rotate", "", "Encrypt everything again with the newest secret key, so that you can remove an older key.",
			"First give every process of the service the newest key, as the first of its keys. You can run this command while the\n" +
				"service runs, and repeat it. See docs/operations.md, Keys, for all steps.", runRotateSecrets,
		},
		{
			"backup", "FILE", "Write the local database to a file.",
			"It does not contain the media files and the secret keys.\n" + local, runBackup,
		},
		{
			"restore confirm", "", "Continue publishing after a restore.",
			"After a restore, the service publishes nothing until you confirm. Posts that were published after the backup then become\n" +
				"live, Belfry asks the networks about posts that may be published, and the other posts are published. `belfry doctor`\n" +
				"lists the posts. " + local,
			confirmRestore,
		},
		{
			"restore", "FILE", "Replace the local database with a backup.",
			"Stop the service first. If posts were published after the backup, the service publishes nothing until you run\n`belfry restore confirm`.", runRestore,
		},
		{"config", "", "Print the configuration without secrets.", "", runConfig},
		{
			"doctor", "", "Look for problems, and say how to fix them.",
			"It changes nothing. If the service is stopped, the command starts the local database and stops it again.\nIt exits with 1 when something needs attention.", runDoctor,
		},
		{"healthcheck", "", "Check whether the service is ready. Exits with 1 when it is not.", "", runHealthcheck},
		{"version", "", "Print the version.", "", runVersion},
	}
}

// runCommand finds the command that the arguments begin with and runs it.
func (p *program) runCommand(ctx context.Context, args []string) error {
	if len(args) > 0 && (args[0] == "help" || isHelp(args[0])) {
		if len(args) == 1 {
			return p.printf("%s", commandList(allCommands()))
		}
		args = append(args[1:], "--help")
	}
	if len(args) == 2 && isHelp(args[1]) && !isCommand(args[0]) {
		if list := commandsAbout(args[0]); len(list) > 0 {
			return p.printf("%s", commandList(list))
		}
	}
	for _, c := range allCommands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return c.run(p, ctx, args[len(words):])
		}
	}
	if len(args) == 0 {
		return &usageError{"name a command", func() string { return commandList(allCommands()) }}
	}
	return &usageError{fmt.Sprintf("there is no command %q", strings.Join(args, " ")), func() string {
		if list := commandsAbout(args[0]); len(list) > 0 {
			return commandList(list)
		}
		return commandList(allCommands())
	}}
}

func isHelp(word string) bool { return slices.Contains([]string{"--help", "-help", "-h"}, word) }

func isCommand(name string) bool {
	return slices.ContainsFunc(allCommands(), func(c command) bool { return c.name == name })
}

// commandsAbout returns the commands about one thing. Their names have two words.
func commandsAbout(noun string) []command {
	return slices.DeleteFunc(allCommands(), func(c command) bool { return !strings.HasPrefix(c.name, noun+" ") })
}

func (p *program) parseNoArguments(name string, args []string) error {
	return p.parseOptions(p.newOptions(name), args)
}

func runMigrate(p *program, ctx context.Context, args []string) (err error) {
	if err := p.parseNoArguments("migrate", args); err != nil {
		return err
	}
	cfg, err := p.loadConfig()
	if err != nil {
		return err
	}
	db, err := openForCommand(ctx, cfg, mayInstall)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.stop(context.WithoutCancel(ctx))) }()
	pool, err := openPool(ctx, db.url, toolConns, toolStatements)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := migrations.Run(ctx, pool); err != nil {
		return err
	}
	return p.printf("The database is up to date.")
}

func runSandbox(p *program, ctx context.Context, args []string) (err error) {
	set := p.newOptions("sandbox")
	addr := set.String("addr", "127.0.0.1:9090", "where to listen, as HOST:PORT")
	journal := set.String("journal", "", "folder that keeps accounts and posts over a restart (default: none)")
	if err := p.parseOptions(set, args); err != nil {
		return err
	}
	networks, err := sandbox.New(sandbox.Config{JournalDir: *journal, AppName: "Belfry"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, networks.Close()) }()
	if err := p.printf("The simulated networks are at http://%s/_/ ; set BELFRY_NETWORKS_URL=http://%s and the credentials %q.",
		*addr, *addr, sandbox.Credentials); err != nil {
		return err
	}
	return httpd.Serve(ctx, *addr, "--addr", networks, slog.New(slog.NewTextHandler(p.err, nil)))
}

func runConfig(p *program, _ context.Context, args []string) error {
	if err := p.parseNoArguments("config", args); err != nil {
		return err
	}
	cfg, err := p.loadConfig()
	if err != nil {
		return err
	}
	return cfg.Print(p.out)
}

func runHealthcheck(p *program, ctx context.Context, args []string) error {
	if err := p.parseNoArguments("healthcheck", args); err != nil {
		return err
	}
	cfg, err := p.loadConfig()
	if err != nil {
		return err
	}
	at, err := loopbackURL(cfg.Addr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.JoinPath("/readyz").String(), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("the service does not answer at %s", at)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New("the service is not ready; its log says why")
	}
	return p.printf("The service is ready.")
}

func runVersion(p *program, _ context.Context, args []string) error {
	if err := p.parseNoArguments("version", args); err != nil {
		return err
	}
	return p.printf("%s", versionText())
}

// versionText is the module's version, or the commit it was built from.
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
