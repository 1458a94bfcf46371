// Testpg starts one PostgreSQL for a whole test run, runs the command it is given beneath it, and
// stops it again:
//
//	go run ./tools/testpg go test ./...
//
// Without it each test program starts a server of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"belfry/internal/store/storetest"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:]))
}

func run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: testpg COMMAND ARGUMENT…")
		return 2
	}
	// A Ctrl-C reaches the command too; it ends, and then the server is stopped in order.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := storetest.Start(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testpg:", err)
		return 1
	}
	code := beneath(ctx, server.URL(), args)
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	if err := server.Stop(stopCtx); err != nil {
		fmt.Fprintln(os.Stderr, "testpg:", err)
		return max(code, 1)
	}
	return code
}

// beneath runs the command with the server's address and returns its exit code.
func beneath(ctx context.Context, address string, args []string) int {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), storetest.Variable+"="+address)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testpg:", err)
		return 1
	}
	return 0
}
