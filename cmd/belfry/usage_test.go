package main

import (
	"bytes"
	"strings"
	"testing"
)

// belfry runs a command in this process and answers its exit code and what it printed.
func belfry(t *testing.T, environ []string, args ...string) (code int, out, errs string) {
	t.Helper()
	return belfryWith(t, environ, "", args...)
}

// belfryWith is belfry with something on standard input.
func belfryWith(t *testing.T, environ []string, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := &program{in: strings.NewReader(stdin), out: &stdout, err: &stderr, environ: environ}
	code = runAndPrintError(t.Context(), p, args)
	return code, stdout.String(), stderr.String()
}

func TestEveryCommandExplainsItself(t *testing.T) {
	t.Parallel()
	for _, c := range allCommands() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(c.name)
			code, usage, errs := belfry(t, nil, append(words, "--help")...)
			if code != exitOK || errs != "" || !strings.HasPrefix(usage, "Usage: belfry "+c.name) ||
				!strings.Contains(usage, c.about) {
				t.Errorf("--help exits with %d and prints %q and %q", code, usage, errs)
			}
			if !strings.HasSuffix(c.about, ".") || c.more != "" && !strings.HasSuffix(c.more, ".") {
				t.Errorf("%q and %q are not sentences", c.about, c.more)
			}
			if code, again, _ := belfry(t, nil, append([]string{"help"}, words...)...); code != exitOK || again != usage {
				t.Errorf("help exits with %d and prints %q", code, again)
			}
			for _, wrong := range []string{"--nonsense", "one more"} {
				code, out, errs := belfry(t, nil, append(words, wrong, "two")...)
				if code != exitUsage || out != "" || !strings.Contains(errs, strings.TrimSpace(usage)) ||
					!strings.HasPrefix(errs, "belfry: ") {
					t.Errorf("%s exits with %d and prints %q and %q", wrong, code, out, errs)
				}
			}
		})
	}
}

func TestACommandThatIsNotThereIsAnsweredWithThoseThatAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args       []string
		says, lack string
	}{
		{nil, "a command is missing", "none"},
		{[]string{"nonsense"}, `there is no command "nonsense"`, "none"},
		{[]string{"workspace"}, "workspace plan", "healthcheck"},
		{[]string{"help", "nonsense"}, "there is no command", "none"},
		{[]string{"key", "create", "--workspace", "a", "--name", "b"}, "needs --scope", "healthcheck"},
		{[]string{"user", "password", "--email", "a@example.org"}, "needs --password-stdin", "healthcheck"},
		{[]string{"backup"}, "needs one FILE", "healthcheck"},
		{[]string{"seed", "--accounts", "50"}, "--json", "healthcheck"},
		{[]string{"seed", "--json", "--accounts", "0"}, "at least 1", "healthcheck"},
	} {
		code, out, errs := belfry(t, nil, c.args...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.says) || strings.Contains(errs, c.lack) {
			t.Errorf("belfry %v exits with %d and prints %q and %q", c.args, code, out, errs)
		}
	}
	for says, args := range map[string][]string{
		"key create": {"key", "--help"}, "workspace list": {"help", "workspace"}, "user password": {"user", "-h"},
		"accounts revoke": {"accounts", "--help"},
	} {
		code, out, errs := belfry(t, nil, args...)
		if code != exitOK || errs != "" || !strings.Contains(out, says) || strings.Contains(out, "healthcheck") {
			t.Errorf("belfry %v exits with %d and prints %q and %q", args, code, out, errs)
		}
	}
	if code, out, errs := belfry(t, nil, "help"); code != exitOK || errs != "" || !strings.Contains(out, "healthcheck") {
		t.Errorf("help exits with %d and prints %q and %q", code, out, errs)
	}
}
