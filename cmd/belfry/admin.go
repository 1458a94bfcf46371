package main

import (
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

// withSession returns an action that opens a session, runs f, and closes the session's database.
func withSession(purpose sessionPurpose, f func(context.Context, *program, *session) error) action {
	return func(ctx context.Context, p *program, cfg *config.Config) (err error) {
		s, err := p.openSession(ctx, cfg, purpose)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.db.close(ctx)) }()
		return toCommandLineError(f(ctx, p, s))
	}
}

// toCommandLineError converts an error of the app for the command line, where fields of a request are options.
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

// readPassword reads one line from standard input, without the line end.
func (p *program) readPassword() (string, error) {
	text, err := io.ReadAll(io.LimitReader(p.in, 1024))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

func defineWorkspaceCreate(o *options) action {
	o.required = []string{"name", "owner-email"}
	in := contract.CreateWorkspace{}
	o.flags.StringVar(&in.Name, "name", "", "the workspace's name")
	o.flags.StringVar(&in.Slug, "slug", "", "the workspace's short name (default: derived from the name)")
	o.flags.StringVar(&in.TZ, "tz", "UTC", "the workspace's time zone, such as Europe/Berlin")
	plan := o.flags.String("plan", string(core.PlanOwner), "its plan: "+core.DefaultPlans().Names())
	o.flags.StringVar(&in.OwnerEmail, "owner-email", "", "the owner's email address")
	o.flags.StringVar(&in.OwnerName, "owner-name", "", "the owner's name (default: derived from the email address)")
	stdin := o.flags.Bool("password-stdin", false,
		"read the owner's password from standard input; not needed if this person already has an account")
	return withSession(mayInstall, func(ctx context.Context, p *program, s *session) (err error) {
		in.Plan = core.PlanName(*plan)
		if *stdin {
			if in.Password, err = p.readPassword(); err != nil {
				return err
			}
		}
		made, err := s.app.CreateWorkspace(ctx, in)
		if e, ok := errors.AsType[*core.Error](err); ok && e.Path == "password" && !*stdin {
			return o.usageErrorf("%s has no account yet and needs a password: add --password-stdin and pass the password on standard input", in.OwnerEmail)
		}
		if err != nil {
			return err
		}
		return p.printf("%s %s", made.Workspace, made.Slug)
	})
}

func printWorkspaces(ctx context.Context, p *program, s *session) error {
	list, err := s.app.ListAllWorkspaces(ctx)
	for _, w := range list {
		err = errors.Join(err, p.printf("%s %s %s %s", w.Slug, w.ID, w.Plan, w.Name))
	}
	return err
}

func defineWorkspacePlan(o *options) action {
	o.required = []string{"workspace", "plan"}
	workspace := o.flags.String("workspace", "", "the workspace's short name or id")
	plan := o.flags.String("plan", "", "the new plan: "+core.DefaultPlans().Names())
	return withSession(mustExist, func(ctx context.Context, p *program, s *session) error {
		if err := s.app.SetPlan(ctx, *workspace, core.PlanName(*plan)); err != nil {
			return err
		}
		return p.printf("%s now has the plan %s.", *workspace, *plan)
	})
}

func defineKeyCreate(o *options) action {
	o.required = []string{"workspace", "name", "scope"}
	workspace := o.flags.String("workspace", "", "the workspace's short name or id")
	name := o.flags.String("name", "", "what the key is for")
	scope := o.flags.String("scope", "", "the key's scope: read, or write (which includes read)")
	return withSession(mustExist, func(ctx context.Context, p *program, s *session) error {
		key, err := s.app.CreateOwnerKey(ctx, *workspace, *name, core.Scope(*scope))
		if err != nil {
			return err
		}
		return p.printf("%s", key.Key)
	})
}

func defineUserPassword(o *options) action {
	o.required = []string{"email", "password-stdin"}
	email := o.flags.String("email", "", "the person's email address")
	o.flags.Bool("password-stdin", false,
		"read the new password from standard input, because other users can see command lines")
	return withSession(mustExist, func(ctx context.Context, p *program, s *session) error {
		password, err := p.readPassword()
		if err != nil {
			return err
		}
		if err := s.app.SetPasswordByEmail(ctx, *email, password); err != nil {
			return err
		}
		return p.printf("The password was changed.")
	})
}

func defineRevokeUnreadable(o *options) action {
	confirm := o.flags.Bool("confirm", false, "revoke the accounts instead of only listing them")
	return withSession(mustExist, func(ctx context.Context, p *program, s *session) error {
		found, err := s.app.RevokeUnreadableAccounts(ctx, *confirm)
		if err != nil {
			return err
		}
		for _, a := range found {
			if err := p.printf("%s %s %s", a.ID, a.Platform, a.DisplayName); err != nil {
				return err
			}
		}
		switch {
		case len(found) == 0:
			return p.printf("The secret keys can decrypt the tokens of all accounts.")
		case !*confirm:
			return p.printf("The keys in %[2]s cannot decrypt the tokens of %[1]d accounts. If no backup contains the missing key, run `%[3]s --confirm`.",
				len(found), config.DescribeKeysLocation(s.cfg), app.RevokeUnreadableCommand)
		}
		return p.printf("%d accounts were revoked. Reconnect them in the dashboard, under Accounts.", len(found))
	})
}

// rotateWait is how long a rotation waits before it tries again to re-encrypt values in use, and rotatePasses is how
// often it tries. Together, they are longer than the 5 minutes that renewing a token takes at most.
const (
	rotateWait   = 5 * time.Second
	rotatePasses = 72
)

// rotateSecrets re-encrypts all values with the first secret key and prints the result.
func rotateSecrets(ctx context.Context, p *program, s *session) error {
	resealed := 0
	for pass := 1; ; pass++ {
		r, err := s.app.RotateSecrets(ctx)
		if err != nil {
			return err
		}
		resealed += r.Resealed
		if r.Busy == 0 || pass == rotatePasses {
			return p.printRotation(ctx, s, resealed, r)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rotateWait):
		}
	}
}

func (p *program) printRotation(ctx context.Context, s *session, resealed int, last app.Rotation) error {
	err := p.printf("Values re-encrypted: %d.", resealed)
	counts, countErr := s.app.CountSealedByKey(ctx)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		err = errors.Join(err, p.printf("Values protected by %s: %d.", key, counts[key]))
	}
	if last.Unreadable > 0 {
		err = errors.Join(err,
			fmt.Errorf("%d values cannot be decrypted with the keys in %s: add the missing key and run the command again",
				last.Unreadable, config.DescribeKeysLocation(s.cfg)))
	}
	if last.Busy > 0 {
		err = errors.Join(err, fmt.Errorf("%d values were in use: run the command again in a few minutes", last.Busy))
	}
	return errors.Join(err, countErr)
}
