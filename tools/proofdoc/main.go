// Proofdoc writes the result of a proof that tools/prove has run to docs/proof.md. It replaces the proof's section:
//
//	go run ./tools/proofdoc -result proved -took 61 NAME OUTPUT
//
// OUTPUT is a file with the output of the proof.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	script   = "tools/prove"
	document = "docs/proof.md"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "proofdoc:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("proofdoc", flag.ContinueOnError)
	result := set.String("result", "proved", "the result of the proof: proved, measured or failed")
	took := set.Int("took", 0, "how many seconds the proof took")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() != 2 {
		return errors.New("usage: proofdoc -result RESULT -took SECONDS NAME OUTPUT")
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	output, err := os.ReadFile(set.Arg(1))
	if err != nil {
		return err
	}
	where, err := describeMachine(ctx)
	if err != nil {
		return err
	}
	commit, err := currentCommit(ctx)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(document)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	now, err := replaceSection(string(old), listProofs(fillIn(string(text), os.Getenv)), ran{
		Name: set.Arg(0), Result: *result, At: time.Now().UTC(), Took: time.Duration(*took) * time.Second,
		Commit: commit, Machine: where, Figures: readFigures(string(output)),
	})
	if err != nil {
		return err
	}
	return os.WriteFile(document, []byte(now), 0o644)
}

// currentCommit returns the checked-out commit, and notes whether files differ from it.
func currentCommit(ctx context.Context) (string, error) {
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("find the commit: %w", err)
	}
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--", ".", ":!"+document).Output()
	if err != nil {
		return "", fmt.Errorf("find changed files: %w", err)
	}
	commit := "`" + strings.TrimSpace(string(head)) + "`"
	if len(changed) > 0 {
		commit += " with changes"
	}
	return commit, nil
}
