// Testpg starts one PostgreSQL server for a whole test run, runs a command that uses it, and stops the server:
//
//	go run ./tools/testpg go test ./...
//
// Without it, each test program starts its own server.
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
	// Ctrl-C also reaches the command. When the command has ended, the server is stopped.
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

// beneath runs a command with the server's address in its environment, and returns its exit code.
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
