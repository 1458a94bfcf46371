package main

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"belfry/internal/store/storetest"
)

// An operator knows options and short names, and no field of a request.
func TestErrorsNameOptionsAndSayWhatThereIs(t *testing.T) {
	t.Parallel()
	env := []string{"BELFRY_DATABASE_URL=" + storetest.URL(t), "BELFRY_DATA_DIR=" + t.TempDir(), "BELFRY_ADDR=127.0.0.1:0"}
	if code, _, errs := belfryWith(t, env, "crooked bells ring\n", "workspace", "create", "--name", "Nia's Pottery", "--owner-email", "nia@example.org", "--password-stdin"); code != exitOK {
		t.Fatalf("workspace create exits with %d: %s", code, errs)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"workspace", "create", "--name", "Two", "--owner-email", "two@example.org"}, exitUsage, "--password-stdin"},
		{
			[]string{"workspace", "create", "--name", "Two", "--owner-email", "two@example.org", "--password-stdin"},
			exitError,
			"Check --password-stdin.",
		},
		{
			[]string{"workspace", "create", "--name", "Two", "--owner-email", "two@example.org", "--owner-name", "Two\nLines"},
			exitError,
			"Check --owner-name.",
		},
		{
			[]string{"workspace", "create", "--name", "Two", "--owner-email", "nia@example.org", "--tz", "Berlin"},
			exitError,
			"Check --tz.",
		},
		{
			[]string{"workspace", "create", "--name", "Two", "--owner-email", "nia@example.org", "--plan", "gold"},
			exitError,
			"agency, creator, free, owner, studio",
		},
		{
			[]string{"workspace", "plan", "--workspace", "nia-s-pottery", "--plan", "gold"},
			exitError,
			"agency, creator, free, owner, studio",
		},
		{
			[]string{"key", "create", "--workspace", "Nia's Pottery", "--name", "x", "--scope", "read"},
			exitError,
			"belfry workspace list",
		},
		{
			[]string{"key", "create", "--workspace", "nia-s-pottery", "--name", "x", "--scope", "all"},
			exitError,
			"Check --scope.",
		},
	} {
		if code, out, errs := belfry(t, env, c.args...); code != c.code || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("belfry %v exits with %d and prints %q and %q, want %q", c.args, code, out, errs, c.says)
		}
	}
	code, out, errs := belfry(t, env, "workspace", "list")
	if code != exitOK || errs != "" || !strings.HasPrefix(out, "nia-s-pottery ws_") ||
		!strings.HasSuffix(out, " owner Nia's Pottery\n") {
		t.Errorf("workspace list exits with %d and prints %q and %q", code, out, errs)
	}
}

func TestATakenPortAndAnAbsentDatabaseAreNamedBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	stranger, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	folder := t.TempDir()
	taken := []string{"BELFRY_DATA_DIR=" + folder, "BELFRY_ADDR=" + stranger.Addr().String()}
	if code, _, errs := belfry(t, taken, "serve"); code != exitError || !strings.Contains(errs, "in use") ||
		!strings.Contains(errs, "BELFRY_ADDR") {
		t.Errorf("serve exits with %d and prints %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(folder, "postgres")); !os.IsNotExist(err) {
		t.Error("a database was made all the same")
	}
	go func() { // answers nothing, as many other programs would
		for {
			conn, err := stranger.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	if code, out, _ := belfry(t, taken, "doctor"); code != exitError ||
		!strings.Contains(out, "in use by another program") {
		t.Errorf("doctor exits with %d and prints %s", code, out)
	}
	absent := []string{
		"BELFRY_DATABASE_URL=postgres://belfry:hidden@127.0.0.1:1/belfry", "BELFRY_DATA_DIR=" + folder,
		"BELFRY_ADDR=127.0.0.1:0",
	}
	for _, args := range [][]string{{"serve"}, {"doctor"}, {"workspace", "list"}} {
		code, out, errs := belfry(t, absent, args...)
		if said := out + errs; code != exitError || !strings.Contains(said, "BELFRY_DATABASE_URL") ||
			!strings.Contains(said, "connection refused") || strings.Contains(said, "hidden") {
			t.Errorf("belfry %v exits with %d and prints %s", args, code, said)
		}
	}
	unknown := []string{"BELFRY_DATABASE_URL=postgres://belfry@nowhere.invalid/belfry", "BELFRY_DATA_DIR=" + folder}
	if code, _, errs := belfry(t, unknown, "workspace", "list"); code != exitError ||
		!strings.Contains(errs, "BELFRY_DATABASE_URL") || strings.Count(errs, "\n") != 1 {
		t.Errorf("workspace list exits with %d and prints %s", code, errs)
	}
	if code, out, _ := belfry(t, []string{"BELFRY_DATA_DIR=/proc/x", "BELFRY_ADDR=127.0.0.1:0"}, "doctor"); code != exitError || !strings.Contains(out, "BELFRY_DATA_DIR") {
		t.Errorf("doctor exits with %d and prints %s", code, out)
	}
}

func TestAPasswordIsReadUpToTheEndOfItsLine(t *testing.T) {
	for input, want := range map[string]string{"six quiet bells\n": "six quiet bells", "six quiet bells\r\n": "six quiet bells"} {
		p := program{in: io.MultiReader(strings.NewReader(input), iotest.ErrReader(errors.New("read on")))}
		if got, err := p.readPasswordLine(); err != nil || got != want {
			t.Errorf("%q is read as %q: %v", input, got, err)
		}
	}
	p := program{in: strings.NewReader("six quiet bells")}
	if got, err := p.readPasswordLine(); err != nil || got != "six quiet bells" {
		t.Errorf("a line without an end is read as %q: %v", got, err)
	}
}
