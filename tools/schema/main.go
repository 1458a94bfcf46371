// Schema writes the schema of a freshly migrated database to a file:
//
//	go run ./tools/schema docs/schema.sql
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"belfry/internal/store/storetest"
)

const head = "-- The schema after all migrations, including River's tables. `make schema` writes this file: do not edit it.\n"

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) != 1 {
		return errors.New("usage: schema FILE")
	}
	server, err := storetest.Start(ctx)
	if err != nil {
		return err
	}
	defer func() {
		stopCtx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		err = errors.Join(err, server.Stop(stopCtx))
	}()
	address, drop, err := storetest.Database(ctx, server.URL())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	cmd := exec.CommandContext(ctx, filepath.Join(server.BinDir(), "pg_dump"), "--schema-only", "--no-owner",
		"--no-privileges", "--dbname="+address)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("run pg_dump: %w", err)
	}
	return os.WriteFile(args[0], []byte(head+plain(string(out))), 0o644)
}

// noise are the beginnings of lines that depend on the version of pg_dump or on the run, not on the schema.
var noise = []string{"--", "SET ", "SELECT pg_catalog.set_config", `\restrict`, `\unrestrict`}

// plain returns the dump without noise and repeated empty lines.
func plain(dump string) string {
	var b strings.Builder
	empty := true
	for line := range strings.Lines(dump) {
		line = strings.TrimRight(line, " \n")
		if noisy(line) || line == "" && empty {
			continue
		}
		empty = line == ""
		b.WriteString(line + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func noisy(line string) bool {
	for _, start := range noise {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}
