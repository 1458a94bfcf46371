package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"belfry/internal/app"
	"belfry/internal/config"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// withMigratedSession returns an action that opens a session, runs f, and closes the session's database. It migrates
// the database if that is allowed, and otherwise returns an error if the schema is out of date.
func withMigratedSession(policy installationPolicy, f func(context.Context, *program, *commandSession) error) action {
	return func(ctx context.Context, p *program, cfg *config.Config) (err error) {
		s, err := p.openSessionAndMigrate(ctx, cfg, policy)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.db.close(ctx)) }()
		return toCommandLineError(f(ctx, p, s))
	}
}

// toCommandLineError converts an error of the app for the command line: it names the option instead of the request's
// field.
func toCommandLineError(err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		return err
	}
	hint, option := e.Hint, e.Path
	if option == "password" {
		option = "password-stdin"
	}
	if option != "" {
		hint = "Check --" + option + ". " + hint
	}
	return errors.New(strings.TrimSpace(e.Sentence() + " " + hint))
}

// readPasswordLine reads one line from standard input, without the line end.
func (p *program) readPasswordLine() (passwordOrEmpty string, err error) {
	line, err := bufio.NewReader(io.LimitReader(p.in, 1024)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func defineCreateWorkspace(o *options) action {
	o.required = []string{"name", "owner-email"}
	in := contract.CreateWorkspace{}
	o.flags.StringVar(&in.Name, "name", "", "the workspace's name")
	o.flags.StringVar(&in.Slug, "slug", "", "the workspace's short name (default: derived from the name)")
	o.flags.StringVar(&in.TZ, "tz", "UTC", "the workspace's time zone, such as Europe/Berlin")
	plan := o.flags.String("plan", string(core.PlanOwner), "the workspace's plan: "+core.DefaultPlans().JoinNames())
	o.flags.StringVar(&in.OwnerEmail, "owner-email", "", "the owner's email address")
	o.flags.StringVar(&in.OwnerName, "owner-name", "", "the owner's name (default: derived from the email address)")
	stdin := o.flags.Bool("password-stdin", false,
		"read the owner's password from standard input; not needed if the owner already has an account")
	return withMigratedSession(mayCreate, func(ctx context.Context, p *program, s *commandSession) (err error) {
		in.Plan = core.PlanName(*plan)
		if *stdin {
			if in.Password, err = p.readPasswordLine(); err != nil {
				return err
			}
		}
		made, err := s.app.CreateWorkspaceWithOwner(ctx, in)
		if e, ok := errors.AsType[*core.Error](err); ok && e.Path == "password" && !*stdin {
			return o.usageErrorf("%s has no account yet and needs a password: add --password-stdin, and pass the password on standard input", in.OwnerEmail)
		}
		if err != nil {
			return err
		}
		return p.printLinef("%s %s", made.Workspace, made.Slug)
	})
}

func printWorkspaces(ctx context.Context, p *program, s *commandSession) error {
	list, err := s.app.ListAllWorkspaces(ctx)
	for _, w := range list {
		err = errors.Join(err, p.printLinef("%s %s %s %s", w.Slug, w.ID, w.Plan, w.Name))
	}
	return err
}

func defineSetWorkspacePlan(o *options) action {
	o.required = []string{"workspace", "plan"}
	workspace := o.flags.String("workspace", "", "the workspace's short name or ID")
	plan := o.flags.String("plan", "", "the new subscription plan: "+core.DefaultPlans().JoinNames())
	return withMigratedSession(mustExist, func(ctx context.Context, p *program, s *commandSession) error {
		if err := s.app.SetWorkspacePlan(ctx, *workspace, core.PlanName(*plan)); err != nil {
			return err
		}
		return p.printLinef("%s now has the subscription plan %s.", *workspace, *plan)
	})
}

func defineCreateAPIKey(o *options) action {
	o.required = []string{"workspace", "name", "scope"}
	workspace := o.flags.String("workspace", "", "the workspace's short name or ID")
	name := o.flags.String("name", "", "what the key is for")
	scope := o.flags.String("scope", "", "the key's scope: read, or write (which includes read)")
	return withMigratedSession(mustExist, func(ctx context.Context, p *program, s *commandSession) error {
		key, err := s.app.CreateKeyForFirstOwner(ctx, *workspace, *name, core.Scope(*scope))
		if err != nil {
			return err
		}
		return p.printLinef("%s", key.Key)
	})
}

func defineSetUserPassword(o *options) action {
	o.required = []string{"email", "password-stdin"}
	email := o.flags.String("email", "", "the person's email address")
	o.flags.Bool("password-stdin", false,
		"read the new password from standard input, so that other users of the machine cannot see it")
	return withMigratedSession(mustExist, func(ctx context.Context, p *program, s *commandSession) error {
		password, err := p.readPasswordLine()
		if err != nil {
			return err
		}
		if err := s.app.SetUserPassword(ctx, *email, password); err != nil {
			return err
		}
		return p.printLinef("The password for %s was changed.", *email)
	})
}

func defineRevokeUnreadableAccounts(o *options) action {
	confirm := o.flags.Bool("confirm", false, "mark the accounts as revoked instead of only listing them")
	return withMigratedSession(mustExist, func(ctx context.Context, p *program, s *commandSession) error {
		found, err := s.app.ListUnreadableAccountsAndRevokeIf(ctx, *confirm)
		if err != nil {
			return err
		}
		for _, a := range found {
			if err := p.printLinef("%s %s %s", a.ID, a.Platform, a.DisplayName); err != nil {
				return err
			}
		}
		switch {
		case len(found) == 0:
			return p.printLinef("The secret keys can decrypt the tokens of all accounts, so no account needs to be marked as revoked.")
		case !*confirm:
			return p.printLinef("Accounts with tokens that the keys in %s cannot decrypt: %d. If no backup contains the missing key, run `%s --confirm`.",
				config.DescribeKeysLocation(s.cfg), len(found), app.RevokeUnreadableCommand)
		}
		return p.printLinef("Accounts marked as revoked: %d. Reconnect them in the dashboard, under Accounts.", len(found))
	})
}

// rotateWait is how long a rotation waits before it tries again to re-encrypt values that are in use, and rotatePasses
// is the maximum number of tries. All tries together take longer than renewing a token, which takes up to 5 minutes.
const (
	rotateWait   = 5 * time.Second
	rotatePasses = 72
)

// reencryptSecretsAndPrintResult re-encrypts all values with the first secret key and prints the result. While
// values are in use, it tries again, for some minutes.
func reencryptSecretsAndPrintResult(ctx context.Context, p *program, s *commandSession) error {
	resealed := 0
	for pass := 1; ; pass++ {
		r, err := s.app.ReencryptSecretsWithNewestKey(ctx)
		if err != nil {
			return err
		}
		resealed += r.Resealed
		if r.Busy == 0 || pass == rotatePasses {
			return p.printAndCheckRotation(ctx, s, resealed, r)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rotateWait):
		}
	}
}

// printAndCheckRotation prints how many values were re-encrypted, and how many each key protects. It returns an error
// if the last pass left values that could not be re-encrypted.
func (p *program) printAndCheckRotation(
	ctx context.Context, s *commandSession, resealedInAll int, lastPass app.Rotation,
) error {
	err := p.printLinef("Values re-encrypted: %d.", resealedInAll)
	counts, countErr := s.app.CountSealedBySecretKeyAndUpdateMetric(ctx)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		err = errors.Join(err, p.printLinef("Values that the key %s protects: %d.", key, counts[key]))
	}
	if lastPass.Unreadable > 0 {
		err = errors.Join(err,
			fmt.Errorf("values that the keys in %s cannot decrypt: %d; add the missing key and run the command again",
				config.DescribeKeysLocation(s.cfg), lastPass.Unreadable))
	}
	if lastPass.Busy > 0 {
		err = errors.Join(err, fmt.Errorf("values that are in use and were not re-encrypted: %d; run the command again in a few minutes", lastPass.Busy))
	}
	return errors.Join(err, countErr)
}
