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
	const local = "It works while the service runs and while it does not; then a local database is started for as long as it takes."
	return []command{
		{"serve", "", "Run the service: dashboard, API and worker.", "It stops at SIGTERM or Ctrl-C: what is under way ends, nothing new begins.", runServe},
		{"migrate", "", "Bring the database up to this program's schema.", "Make a backup first. The service does it by itself for its own database and for an empty one.", runMigrate},
		{"sandbox", "", "Run the simulated networks alone.", "The service brings its own while no network has credentials; processes with split roles share one like this.", runSandbox},
		{"seed", "", "Make demo workspaces with accounts, pictures and two weeks of posts.", "They belong to the owner of the first workspace. The networks must be simulated. " + local, runSeed},
		{"workspace create", "", "Make a workspace and its owner, and print its id and short name.", local, runWorkspaceCreate},
		{"workspace list", "", "List the workspaces: short name, id, plan and name.", local, runWorkspaceList},
		{"workspace plan", "", "Put a workspace on another plan.", local, runWorkspacePlan},
		{"key create", "", "Make an API key and print it, for the only time.", "It acts for the workspace's owner. " + local, runKeyCreate},
		{"user password", "", "Give a person a new password, read from standard input.", local, runUserPassword},
		{
			"accounts revoke-unreadable", "", "Let go of accounts whose secret key is lost, so that the service starts again.",
			"Without --confirm it only lists the accounts whose tokens the secret keys do not open. Confirmed, it forgets those\ntokens for good and revokes the accounts: people connect them again, and their posts wait or fail until then. " +
				"Run it with the\nservice's own BELFRY_ variables; with others every account would look unreadable.", runRevokeUnreadable,
		},
		{
			"secrets rotate", "", "Seal everything anew with the newest secret key, so that an older one can be removed.",
			"Every process of the service must have the newest key, as the first of its keys, before. It works beside the running\nservice and may be repeated. docs/operations.md, Keys, has all steps.", runRotateSecrets,
		},
		{"backup", "FILE", "Write the local database to a file.", "The media files and the secret keys are not in it. " + local, runBackup},
		{
			"restore confirm", "", "Publish again after a restore.",
			"After a restore the service publishes nothing until you confirm it: posts that went out after the backup are shown as\n" +
				"live, those that may have gone out are looked for at their network, and the others are sent. `belfry doctor` lists them.\n" + local,
			confirmRestore,
		},
		{"restore", "FILE", "Replace the local database by a backup.", "The service must not run. It publishes nothing afterwards until you run `belfry restore confirm`.", runRestore},
		{"config", "", "Print the configuration, secrets cut.", "", runConfig},
		{
			"doctor", "", "Look for what would keep the service from working, and say what to do.",
			"It makes and changes nothing; a local database that stands still is started for the questions and stopped again.\nIt exits with 1 when something needs attention.", runDoctor,
		},
		{"healthcheck", "", "Ask the running service whether it is ready; exit with 1 when it is not.", "", runHealthcheck},
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
