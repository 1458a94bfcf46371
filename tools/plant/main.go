// Plant plants bugs, one at a time, and runs the tests that must catch them:
//
//	go run ./tools/testpg go run ./tools/plant [NAME…]
//
// The checkout does not change: the compiler reads the edited file instead of the real one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(1)
	}
}

// run plants the named bugs, or all. It fails unless each bug is caught by all of its tests.
func run(ctx context.Context, names []string) error {
	chosen := slices.DeleteFunc(slices.Clone(bugs), func(b bug) bool {
		return len(names) > 0 && !slices.Contains(names, b.Name)
	})
	if len(chosen) == 0 || len(names) > len(chosen) {
		return fmt.Errorf("no bug has any of the names %q", names)
	}
	if err := testWithoutBugs(ctx, chosen); err != nil {
		return err
	}
	var caught int
	var missed error
	for _, b := range chosen {
		began := time.Now()
		by, err := b.plantAndTest(ctx)
		if err == nil {
			caught++
			fmt.Printf("caught: %s, by %s (%.0f s)\n", b.Name, strings.Join(by, " and "), time.Since(began).Seconds())
			continue
		}
		fmt.Printf("MISSED: %s: %v\n", b.Name, err)
		missed = errors.Join(missed, fmt.Errorf("%s: %w", b.Name, err))
	}
	fmt.Printf("caught %d of %d planted bugs\n", caught, len(chosen))
	return missed
}

// testWithoutBugs runs all tests on the unchanged code: a test that fails without a bug catches nothing.
func testWithoutBugs(ctx context.Context, chosen []bug) error {
	tests := map[string][]string{}
	for _, b := range chosen {
		tests[b.Package] = append(tests[b.Package], b.Tests...)
	}
	for pkg, names := range tests {
		out, err := runTests(ctx, pkg, names, "")
		if err != nil {
			return fmt.Errorf("the tests of %s fail even without a bug: %w\n%s", pkg, err, out)
		}
		for _, name := range names {
			if !strings.Contains(out, "--- PASS: "+name+" ") {
				return fmt.Errorf("%s has no test %s", pkg, name)
			}
		}
	}
	return nil
}

// plantAndTest runs the bug's tests on code with the bug, and returns the tests that failed, which must be all.
func (b bug) plantAndTest(ctx context.Context) ([]string, error) {
	overlay, remove, err := b.writeOverlay()
	if err != nil {
		return nil, err
	}
	defer remove()
	out, err := runTests(ctx, b.Package, b.Tests, overlay)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
		return nil, err
	}
	by, err := failedTests(out)
	if err != nil {
		return nil, err
	}
	for _, name := range b.Tests {
		if !slices.Contains(by, name) {
			return nil, fmt.Errorf("%s passes", name)
		}
	}
	return by, nil
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// failedTests returns the tests that failed according to the output of a test run, or an error if the code could not be
// built.
func failedTests(out string) ([]string, error) {
	if strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") {
		return nil, fmt.Errorf("the code with the bug cannot be built:\n%s", out)
	}
	var names []string
	for _, m := range failure.FindAllStringSubmatch(out, -1) {
		names = append(names, m[1])
	}
	return names, nil
}

// runTests runs tests of a package, with the overlay file if there is one.
func runTests(ctx context.Context, pkg string, tests []string, overlay string) (string, error) {
	args := []string{"test", "-count=1", "-v", "-timeout", "10m", "-run", "^(" + strings.Join(tests, "|") + ")$"}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	out, err := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...).CombinedOutput()
	return string(out), err
}

// writeOverlay writes the edited file, and the overlay file that makes the compiler read it instead of the real one.
func (b bug) writeOverlay() (name string, remove func(), err error) {
	edited, err := b.editedFile()
	if err != nil {
		return "", nil, err
	}
	file, err := filepath.Abs(b.File)
	if err != nil {
		return "", nil, err
	}
	folder, err := os.MkdirTemp("", "planted-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	source := filepath.Join(folder, filepath.Base(b.File))
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: source}})
	if err == nil {
		err = os.WriteFile(source, []byte(edited), 0o600)
	}
	name = filepath.Join(folder, "overlay.json")
	if err == nil {
		err = os.WriteFile(name, list, 0o600)
	}
	if err != nil {
		remove()
	}
	return name, remove, err
}

// editedFile returns the content of the file with the bug. The text to replace must occur exactly once.
func (b bug) editedFile() (string, error) {
	text, err := os.ReadFile(b.File)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), b.Old); n != 1 {
		return "", fmt.Errorf("%s contains the text to edit %d times, want once: %q", b.File, n, b.Old)
	}
	return strings.Replace(string(text), b.Old, b.New, 1), nil
}
