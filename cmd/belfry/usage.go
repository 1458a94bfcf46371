package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// options are a command's, as flags; those that are needed must not be left empty.
type options struct {
	*flag.FlagSet
	command command
	needed  []string
}

// usageError is a command that was called in a way that it does not have. Its usage is shown with it.
type usageError struct {
	text  string
	usage func() string
}

func (e *usageError) Error() string { return e.text }

// newOptions makes the options of the command with this name.
func (p *program) newOptions(name string, needed ...string) *options {
	at := slices.IndexFunc(allCommands(), func(c command) bool { return c.name == name })
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return &options{set, allCommands()[at], needed}
}

// parseOptions parses the options and the argument. Asked for help, it prints the usage and returns flag.ErrHelp.
func (p *program) parseOptions(o *options, args []string) error {
	err := o.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return errors.Join(p.printf("%s", o.usageText()), flag.ErrHelp)
	case err != nil:
		return o.usageErrorf("%v", err)
	case o.command.takes == "" && o.NArg() > 0:
		return o.usageErrorf("belfry %s does not accept %q", o.Name(), o.Arg(0))
	case o.command.takes != "" && o.NArg() != 1:
		return o.usageErrorf("belfry %s needs one %s", o.Name(), o.command.takes)
	}
	for _, name := range o.needed {
		if f := o.Lookup(name); f.Value.String() == "" {
			return o.usageErrorf("belfry %s needs --%s: %s", o.Name(), name, f.Usage)
		}
	}
	return nil
}

func (o *options) usageErrorf(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), o.usageText}
}

func (o *options) usageText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: belfry %s", o.Name())
	var list strings.Builder
	table := tabwriter.NewWriter(&list, 0, 0, 2, ' ', 0)
	optional := false
	o.VisitAll(func(f *flag.Flag) {
		kind, about := flag.UnquoteUsage(f)
		if kind == "string" {
			kind = " TEXT"
		}
		switch needed := slices.Contains(o.needed, f.Name); {
		case needed:
			fmt.Fprintf(&b, " --%s%s", f.Name, kind)
			about += " (required)"
		case f.DefValue != "" && f.DefValue != "false":
			about += " (default: " + f.DefValue + ")"
			fallthrough
		default:
			optional = true
		}
		fmt.Fprintf(table, "  --%s%s\t%s\n", f.Name, kind, about)
	})
	if optional {
		b.WriteString(" [OPTIONS]")
	}
	if o.command.takes != "" {
		b.WriteString(" " + o.command.takes)
	}
	fmt.Fprintf(&b, "\n\n%s\n", o.command.about)
	if o.command.more != "" {
		fmt.Fprintf(&b, "\n%s\n", o.command.more)
	}
	_ = table.Flush() // a Builder takes everything
	if list.Len() > 0 {
		b.WriteString("\nOptions:\n" + list.String())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// commandList returns the text that lists commands.
func commandList(list []command) string {
	var b strings.Builder
	b.WriteString("Belfry publishes posts to social networks.\n\nUsage: belfry COMMAND [OPTIONS]\n\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range list {
		fmt.Fprintf(table, "  %s\t%s\n", strings.TrimSpace(c.name+" "+c.takes), c.about)
	}
	_ = table.Flush() // a Builder takes everything
	b.WriteString("\nRun `belfry COMMAND --help` for details. Settings are environment variables that begin with BELFRY_:\n`belfry config` prints them, and .env.example explains them.")
	return b.String()
}
