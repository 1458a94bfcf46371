// Belfry publishes posts to social networks, at once or at a set time.
//
// One program holds the dashboard, the JSON API and the worker. Usage:
//
//	belfry COMMAND [OPTIONS]
//
// `belfry help` lists the commands, `belfry COMMAND --help` explains one. Everything else is set by
// environment variables that begin with BELFRY_; `belfry config` prints them.
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
	_ "time/tzdata" // zones must not depend on what the machine has installed
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

// softLimit is how much memory is used before the garbage collector runs more often (security.md 4.10). Processing
// the largest picture fits in it.
const softLimit = 512 << 20

func main() {
	// Little lives for long here: by Go's default the collector would run many times a second under load.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ()}, os.Args[1:])
	stop()
	os.Exit(code)
}

// run runs one command and returns the exit code.
func run(ctx context.Context, p *program, args []string) int {
	err := p.runCommand(ctx, args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	_, _ = fmt.Fprintln(p.err, "belfry:", err) // nobody is left to hear that this failed
	if misuse, ok := errors.AsType[*usageError](err); ok {
		_, _ = fmt.Fprintf(p.err, "\n%s\n", misuse.usage)
		return exitUsage
	}
	return exitError
}

// printf prints a line of a command's result.
func (p *program) printf(format string, args ...any) error {
	if _, err := fmt.Fprintf(p.out, format+"\n", args...); err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return nil
}
