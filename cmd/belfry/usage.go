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

// options are the command-line options of a command.
type options struct {
	flags    *flag.FlagSet
	command  command
	required []string // names of flags that must be given
}

// usageError is an error for invalid arguments. It is shown with the command's usage.
type usageError struct{ text, usage string }

func (e *usageError) Error() string { return e.text }

func newOptions(c command) *options {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return &options{flags: set, command: c}
}

// parseOrPrintHelpIfAsked parses the options and the argument. For -h or --help, it prints the usage and returns
// flag.ErrHelp. It prints nothing for invalid arguments: the error is a usageError.
func (o *options) parseOrPrintHelpIfAsked(p *program, args []string) error {
	err := o.flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return errors.Join(p.printLinef("%s", o.usageText()), flag.ErrHelp)
	case err != nil:
		return o.usageErrorf("%v", err)
	case o.command.takes == "" && o.flags.NArg() > 0:
		return o.usageErrorf("belfry %s does not accept %q", o.command.name, o.flags.Arg(0))
	case o.command.takes != "" && o.flags.NArg() != 1:
		return o.usageErrorf("belfry %s needs one %s", o.command.name, o.command.takes)
	}
	for _, name := range o.required {
		if f := o.flags.Lookup(name); f.Value.String() == "" || f.Value.String() == "false" {
			return o.usageErrorf("belfry %s needs --%s: %s", o.command.name, name, f.Usage)
		}
	}
	return nil
}

func (o *options) usageErrorf(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), o.usageText()}
}

func (o *options) usageText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: belfry %s", o.command.name)
	var list strings.Builder
	table := tabwriter.NewWriter(&list, 0, 0, 2, ' ', 0)
	optional := false
	o.flags.VisitAll(func(f *flag.Flag) {
		kind, about := flag.UnquoteUsage(f)
		if kind != "" {
			kind = " TEXT"
		}
		switch needed := slices.Contains(o.required, f.Name); {
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
	_ = table.Flush() // writes to a Builder cannot fail
	if list.Len() > 0 {
		b.WriteString("\nOptions:\n" + list.String())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// formatHelp returns the help text, which lists the commands.
func formatHelp(list []command) string {
	var b strings.Builder
	b.WriteString("Belfry publishes posts to social networks.\n\nUsage: belfry COMMAND [OPTIONS]\n\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range list {
		fmt.Fprintf(table, "  %s\t%s\n", strings.TrimSpace(c.name+" "+c.takes), c.about)
	}
	_ = table.Flush() // writes to a Builder cannot fail
	b.WriteString("\nRun `belfry COMMAND --help` for details. Settings are environment variables\nwhose names begin with BELFRY_ (such as BELFRY_DATA_DIR). `belfry config` prints them, and .env.example explains them.")
	return b.String()
}
