package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"belfry/internal/httpd"
	"belfry/internal/sandbox"
	"belfry/migrations"
)

// commands is the table of all commands, in the order in which help shows them.
func commands() []command {
	return []command{
		{"serve", "run the service: dashboard, API and worker", serve},
		{"migrate", "bring the database up to this program's schema", migrate},
		{"sandbox", "run the simulated networks alone", runSandbox},
		{"seed", "make a demo workspace with accounts and posts in every state", seed},
		{"workspace create", "make a workspace and its owner", workspaceCreate},
		{"workspace plan", "put a workspace on a plan", workspacePlan},
		{"key create", "make an API key and print it", keyCreate},
		{"user password", "give a person a new password", userPassword},
		{"backup", "write the local database to a file", backup},
		{"restore", "replace the local database by a backup", restore},
		{"config", "print the configuration, secrets cut", printConfig},
		{"doctor", "look for what would keep the service from working", doctor},
		{"healthcheck", "ask a running service whether it is ready", healthcheck},
		{"version", "print the version", printVersion},
	}
}

// dispatch finds the command that the arguments begin with and runs it.
func (p *program) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.Join(p.help(), errUsage)
	}
	if slices.Contains([]string{"help", "--help", "-h"}, args[0]) {
		return p.help()
	}
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return c.run(p, ctx, args[len(words):])
		}
	}
	return errors.Join(p.help(), fmt.Errorf("there is no command %q", strings.Join(args, " ")))
}

func (p *program) help() error {
	var text strings.Builder
	text.WriteString("Belfry publishes posts to social networks.\n\nUsage: belfry COMMAND [OPTIONS]\n\n")
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(table, "  %s\t%s\n", c.name, c.about)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return p.say("%s\nBELFRY_ variables set everything else: `belfry config` prints them.", text.String())
}

// flags makes a command's options; parse refuses what is left over.
func (p *program) flags(name string) *flag.FlagSet {
	set := flag.NewFlagSet("belfry "+name, flag.ContinueOnError)
	set.SetOutput(p.err)
	return set
}

func parse(set *flag.FlagSet, args []string) error {
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if set.NArg() > 0 {
		return fmt.Errorf("%s does not take %q", set.Name(), set.Arg(0))
	}
	return nil
}

func (p *program) noArguments(name string, args []string) error { return parse(p.flags(name), args) }

func migrate(p *program, ctx context.Context, args []string) (err error) {
	if err := p.noArguments("migrate", args); err != nil {
		return err
	}
	cfg, err := p.config()
	if err != nil {
		return err
	}
	db, err := openForCommand(ctx, cfg)
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
	return p.say("The database is up to date.")
}

func runSandbox(p *program, ctx context.Context, args []string) (err error) {
	set := p.flags("sandbox")
	addr := set.String("addr", "127.0.0.1:9090", "where to listen, as HOST:PORT")
	journal := set.String("journal", "", "folder that keeps accounts and posts over a restart (default: none)")
	if err := parse(set, args); err != nil {
		return err
	}
	networks, err := sandbox.New(sandbox.Config{JournalDir: *journal, AppName: "Belfry"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, networks.Close()) }()
	if err := p.say("The simulated networks are at http://%s/_/ ; set BELFRY_NETWORKS_URL=http://%s and the credentials %q.",
		*addr, *addr, sandbox.Credentials); err != nil {
		return err
	}
	return httpd.Serve(ctx, *addr, "--addr", networks, slog.New(slog.NewTextHandler(p.err, nil)))
}

func printConfig(p *program, _ context.Context, args []string) error {
	if err := p.noArguments("config", args); err != nil {
		return err
	}
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return cfg.Print(p.out)
}

func healthcheck(p *program, ctx context.Context, args []string) error {
	if err := p.noArguments("healthcheck", args); err != nil {
		return err
	}
	cfg, err := p.config()
	if err != nil {
		return err
	}
	at, err := loopback(cfg.Addr)
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
	return p.say("The service is ready.")
}

func printVersion(p *program, _ context.Context, args []string) error {
	if err := p.noArguments("version", args); err != nil {
		return err
	}
	return p.say("%s", versionText())
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
