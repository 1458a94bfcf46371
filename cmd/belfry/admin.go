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

// withSession runs f with a session in the running service's database, or in the local one, which it starts.
func (p *program) withSession(ctx context.Context, why sessionPurpose, f func(*session) error) (err error) {
	s, err := p.openSession(ctx, why)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	return commandLineError(f(s))
}

// commandLineError words an error of the app for the command line, where a request's field is an option.
func commandLineError(err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		return err
	}
	hint, option := e.Hint, e.Path
	if option == "password" {
		option = "password-stdin"
	}
	if option != "" {
		hint = "Look at --" + option + ". " + hint
	}
	return errors.New(strings.TrimSpace(e.Sentence() + " " + hint))
}

// readPassword reads one line of standard input, without its end.
func (p *program) readPassword() (string, error) {
	text, err := io.ReadAll(io.LimitReader(p.in, 1024))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

func runWorkspaceCreate(p *program, ctx context.Context, args []string) error {
	set := p.newOptions("workspace create", "name", "owner-email")
	in := contract.CreateWorkspace{}
	set.StringVar(&in.Name, "name", "", "the workspace's name")
	set.StringVar(&in.Slug, "slug", "", "its short name (default: made of the name)")
	set.StringVar(&in.TZ, "tz", "UTC", "the time zone its times are read in, such as Europe/Berlin")
	plan := set.String("plan", string(core.PlanOwner), "its plan: "+core.DefaultPlans().Names())
	set.StringVar(&in.OwnerEmail, "owner-email", "", "the owner's e-mail address")
	set.StringVar(&in.OwnerName, "owner-name", "", "the owner's name (default: made of the address)")
	stdin := set.Bool("password-stdin", false,
		"read the owner's password from standard input; not needed for a person who exists")
	if err := p.parseOptions(set, args); err != nil {
		return err
	}
	in.Plan = core.PlanName(*plan)
	if *stdin {
		var err error
		if in.Password, err = p.readPassword(); err != nil {
			return err
		}
	}
	return p.withSession(ctx, mayInstall, func(s *session) error {
		made, err := s.CreateWorkspace(ctx, in)
		if e, ok := errors.AsType[*core.Error](err); ok && e.Path == "password" && !*stdin {
			return set.usageErrorf("%s is new here and needs a password: give --password-stdin, and the password on standard input", in.OwnerEmail)
		}
		if err != nil {
			return err
		}
		return p.printf("%s %s", made.Workspace, made.Slug)
	})
}

func runWorkspaceList(p *program, ctx context.Context, args []string) error {
	if err := p.parseNoArguments("workspace list", args); err != nil {
		return err
	}
	return p.withSession(ctx, mustExist, func(s *session) error {
		list, err := s.ListWorkspaces(ctx)
		for _, w := range list {
			err = errors.Join(err, p.printf("%s %s %s %s", w.Slug, w.ID, w.Plan, w.Name))
		}
		return err
	})
}

func runWorkspacePlan(p *program, ctx context.Context, args []string) error {
	set := p.newOptions("workspace plan", "workspace", "plan")
	workspace := set.String("workspace", "", "the workspace's short name or id")
	plan := set.String("plan", "", "the new plan: "+core.DefaultPlans().Names())
	if err := p.parseOptions(set, args); err != nil {
		return err
	}
	return p.withSession(ctx, mustExist, func(s *session) error {
		if err := s.SetPlan(ctx, *workspace, core.PlanName(*plan)); err != nil {
			return err
		}
		return p.printf("%s is on the plan %s.", *workspace, *plan)
	})
}

func runKeyCreate(p *program, ctx context.Context, args []string) error {
	set := p.newOptions("key create", "workspace", "name", "scope")
	workspace := set.String("workspace", "", "the workspace's short name or id")
	name := set.String("name", "", "what the key is for")
	scope := set.String("scope", "", "what it may do: read, or write for read and write")
	if err := p.parseOptions(set, args); err != nil {
		return err
	}
	return p.withSession(ctx, mustExist, func(s *session) error {
		key, err := s.CreateKeyFor(ctx, *workspace, *name, core.Scope(*scope))
		if err != nil {
			return err
		}
		return p.printf("%s", key.Key)
	})
}

func runUserPassword(p *program, ctx context.Context, args []string) error {
	set := p.newOptions("user password", "email", "password-stdin")
	email := set.String("email", "", "the person's e-mail address")
	stdin := set.Bool("password-stdin", false, "read the new password from standard input")
	if err := p.parseOptions(set, args); err != nil {
		return err
	}
	if !*stdin {
		return set.usageErrorf("belfry user password needs --password-stdin: a password on the command line could be read by others")
	}
	password, err := p.readPassword()
	if err != nil {
		return err
	}
	return p.withSession(ctx, mustExist, func(s *session) error {
		if err := s.SetPassword(ctx, *email, password); err != nil {
			return err
		}
		return p.printf("The password is changed.")
	})
}

func runRevokeUnreadable(p *program, ctx context.Context, args []string) error {
	set := p.newOptions("accounts revoke-unreadable")
	confirm := set.Bool("confirm", false, "revoke them; without it they are only listed")
	if err := p.parseOptions(set, args); err != nil {
		return err
	}
	return p.withSession(ctx, mustExist, func(s *session) error {
		found, err := s.RevokeUnreadable(ctx, *confirm)
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
			return p.printf("The secret keys open the tokens of all accounts.")
		case !*confirm:
			return p.printf("%d accounts cannot be read with the keys of %s. If no backup has the missing key, run `%s --confirm`.",
				len(found), config.KeysFrom(s.config), app.RevokeUnreadableCommand)
		}
		return p.printf("%d accounts are revoked: connect them again in the dashboard, Accounts.", len(found))
	})
}

// rotateWait is how long a rotation waits before it tries again what was in use, and rotatePasses how often it does:
// whoever renews a token is done within 5 minutes.
const (
	rotateWait   = 5 * time.Second
	rotatePasses = 72
)

func runRotateSecrets(p *program, ctx context.Context, args []string) error {
	if err := p.parseNoArguments("secrets rotate", args); err != nil {
		return err
	}
	return p.withSession(ctx, mustExist, func(s *session) error {
		resealed := 0
		for pass := 1; ; pass++ {
			r, err := s.RotateSecrets(ctx)
			if err != nil {
				return err
			}
			resealed += r.Resealed
			if r.Busy > 0 && pass < rotatePasses {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(rotateWait):
				}
				continue
			}
			return p.printRotation(ctx, s, resealed, r)
		}
	})
}

func (p *program) printRotation(ctx context.Context, s *session, resealed int, last app.Rotation) error {
	err := p.printf("%d values were encrypted again.", resealed)
	counts, countErr := s.CountSealed(ctx)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		err = errors.Join(err, p.printf("%s seals %d", key, counts[key]))
	}
	if last.Unreadable > 0 {
		err = errors.Join(err,
			fmt.Errorf("%d values cannot be opened with the keys of %s: put the missing key back and repeat this",
				last.Unreadable, config.KeysFrom(s.config)))
	}
	if last.Busy > 0 {
		err = errors.Join(err, fmt.Errorf("%d values were in use: repeat this in a few minutes", last.Busy))
	}
	return errors.Join(err, countErr)
}
