// Bench measures the built program and prints its figures with goals, and with those of simpler programs:
//
//	go run ./e2e/bench -binary bin/belfry
//
// Everything runs on this machine: the program with its own PostgreSQL, the bare handlers that it is compared with (in
// a separate process, on the same database), the idle River client that it is compared with at rest (in a separate
// process, with its own PostgreSQL), the simulated networks, and the load.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// options are the command-line options.
type options struct {
	binary  string
	clients int
	rounds  int
	round   time.Duration
	posts   int
	only    string
	filled  int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 3 && args[0] == "floor" {
		return serveFloor(ctx, args[1], args[2])
	}
	if len(args) == 3 && args[0] == "idle-floor" {
		return serveIdleFloor(ctx, args[1], args[2])
	}
	var o options
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.StringVar(&o.binary, "binary", "bin/belfry", "the program to measure")
	set.IntVar(&o.clients,
		"clients", 16, "how many clients send requests at once, each over its own connection and from its own address")
	set.IntVar(&o.rounds, "rounds", 5, "how many turns the program and each program that it is compared with take")
	set.DurationVar(&o.round, "round", 3*time.Second, "how long each turn takes")
	set.IntVar(&o.posts, "posts", 1000, "how many posts are due in one second")
	set.StringVar(&o.only, "only", "", "measure only one part: start, reads, creations, lateness, reels, throughput, "+
		"flood, upload, pages or size; size takes a long time and is measured only with this option")
	set.IntVar(&o.filled, "filled", 3_000_000, "how many posts the database contains when size is measured")
	if err := set.Parse(args); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "belfry-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o711); err != nil { // as root, PostgreSQL runs as another user
		return err
	}
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	t := newTable()
	for _, part := range []struct {
		name string
		run  func(context.Context, options, string, *table) error
	}{
		{"start", measureStart},
		{"reads", measureReads},
		{"creations", measureCreations},
		{"lateness", measureLateness},
		{"reels", measureReels},
		{"throughput", measureThroughput},
		{"flood", measureFlood},
		{"upload", measureUpload},
		{"pages", measurePages},
		{"size", measureSize},
	} {
		if o.only != part.name && (o.only != "" || part.name == "size") {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring %s …\n", part.name)
		if err := part.run(ctx, o, filepath.Join(folder, part.name), t); err != nil {
			return errors.Join(fmt.Errorf("measure %s: %w", part.name, err), t.print(os.Stdout))
		}
	}
	return t.print(os.Stdout)
}
