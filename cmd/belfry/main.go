// Belfry publishes posts to social networks, immediately or at a scheduled time.
//
// One program contains the dashboard, the JSON API and the worker. Usage:
//
//	belfry COMMAND [OPTIONS]
//
// `belfry help` lists the commands, and `belfry COMMAND --help` explains one. All settings are environment variables
// whose names begin with BELFRY_ (such as BELFRY_DATA_DIR). `belfry config` prints them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // time zones must not depend on the machine
)

// program is the environment of a command: its standard streams and variables.
type program struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
}

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// softLimit is the memory limit above which the garbage collector runs more often (security.md 4.10). Processing the
// largest picture needs less.
const softLimit = 512 << 20

func main() {
	// Few objects live long: with Go's default, the garbage collector would run many times a second under load.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ()}
	code := runAndPrintError(ctx, p, os.Args[1:])
	stop()
	os.Exit(code)
}

// runAndPrintError runs one command, prints its error, and returns the exit code.
func runAndPrintError(ctx context.Context, p *program, args []string) (exitCode int) {
	err := p.runCommand(ctx, args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	_, _ = fmt.Fprintln(p.err, "belfry:", err) // there is nowhere to report a failure
	if misuse, ok := errors.AsType[*usageError](err); ok {
		_, _ = fmt.Fprintf(p.err, "\n%s\n", misuse.usage)
		return exitUsage
	}
	return exitError
}

// printLinef prints a command's result, with a line break at the end.
func (p *program) printLinef(format string, args ...any) error {
	if _, err := fmt.Fprintf(p.out, format+"\n", args...); err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return nil
}
