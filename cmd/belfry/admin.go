package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// with runs f with the verbs, in the running service's database or in the local one, which it starts.
func (p *program) with(ctx context.Context, f func(*session) error) (err error) {
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	return sentence(f(s))
}

// sentence writes an error of the verbs as a person reads it.
func sentence(err error) error {
	var e *core.Error
	if !errors.As(err, &e) {
		return err
	}
	return errors.New(strings.TrimSpace(e.Message + " " + e.Hint))
}

// required refuses options that were left empty.
func required(set *flag.FlagSet, names ...string) error {
	for _, name := range names {
		if set.Lookup(name).Value.String() == "" {
			return fmt.Errorf("%s needs --%s: %s", set.Name(), name, set.Lookup(name).Usage)
		}
	}
	return nil
}

// password reads one line, without its end.
func (p *program) password() (string, error) {
	text, err := io.ReadAll(io.LimitReader(p.in, 1024))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

func workspaceCreate(p *program, ctx context.Context, args []string) error {
	set := p.flags("workspace create")
	in := contract.CreateWorkspace{}
	set.StringVar(&in.Name, "name", "", "the workspace's name")
	set.StringVar(&in.Slug, "slug", "", "its short name (default: made of the name)")
	set.StringVar(&in.TZ, "tz", "UTC", "the time zone its times are read in, such as Europe/Berlin")
	plan := set.String("plan", string(core.PlanOwner), "its plan: free, creator, studio, agency or owner")
	set.StringVar(&in.OwnerEmail, "owner-email", "", "the owner's e-mail address")
	set.StringVar(&in.OwnerName, "owner-name", "", "the owner's name (default: made of the address)")
	stdin := set.Bool("password-stdin", false, "read the owner's password from standard input; not needed for a person who exists")
	if err := parse(set, args); err != nil {
		return err
	}
	if err := required(set, "name", "owner-email"); err != nil {
		return err
	}
	in.Plan = core.PlanName(*plan)
	if *stdin {
		var err error
		if in.Password, err = p.password(); err != nil {
			return err
		}
	}
	return p.with(ctx, func(s *session) error {
		made, err := s.CreateWorkspace(ctx, in)
		if err != nil {
			return err
		}
		return p.say("%s %s", made.Workspace, made.Slug)
	})
}

func workspacePlan(p *program, ctx context.Context, args []string) error {
	set := p.flags("workspace plan")
	workspace := set.String("workspace", "", "the workspace's short name or id")
	plan := set.String("plan", "", "the new plan: free, creator, studio, agency or owner")
	if err := parse(set, args); err != nil {
		return err
	}
	if err := required(set, "workspace", "plan"); err != nil {
		return err
	}
	return p.with(ctx, func(s *session) error {
		if err := s.SetPlan(ctx, *workspace, core.PlanName(*plan)); err != nil {
			return err
		}
		return p.say("%s is on the plan %s.", *workspace, *plan)
	})
}

func keyCreate(p *program, ctx context.Context, args []string) error {
	set := p.flags("key create")
	workspace := set.String("workspace", "", "the workspace's short name or id")
	name := set.String("name", "", "what the key is for")
	scope := set.String("scope", string(core.Read), "read, or write for read and write")
	if err := parse(set, args); err != nil {
		return err
	}
	if err := required(set, "workspace", "name"); err != nil {
		return err
	}
	return p.with(ctx, func(s *session) error {
		key, err := s.CreateKeyFor(ctx, *workspace, *name, core.Scope(*scope))
		if err != nil {
			return err
		}
		return p.say("%s", key.Key)
	})
}

func userPassword(p *program, ctx context.Context, args []string) error {
	set := p.flags("user password")
	email := set.String("email", "", "the person's e-mail address")
	stdin := set.Bool("password-stdin", false, "read the new password from standard input")
	if err := parse(set, args); err != nil {
		return err
	}
	if err := required(set, "email"); err != nil {
		return err
	}
	if !*stdin {
		return errors.New("belfry user password needs --password-stdin: a password on the command line could be read by others")
	}
	password, err := p.password()
	if err != nil {
		return err
	}
	return p.with(ctx, func(s *session) error {
		if err := s.SetPassword(ctx, *email, password); err != nil {
			return err
		}
		return p.say("The password is changed.")
	})
}
