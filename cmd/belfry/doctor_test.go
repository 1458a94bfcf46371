package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belfry/internal/app"
	"belfry/internal/store/storetest"
)

// sealing is a BELFRY_SECRET_KEYS of one key.
func sealing(id string) string {
	return "BELFRY_SECRET_KEYS=" + id + ":" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte(id[:1]), 32))
}

// A demo workspace is made in silence; then its keys are lost.
func TestALostKeyIsFoundNamedAndLetGo(t *testing.T) {
	t.Parallel()
	database := "BELFRY_DATABASE_URL=" + storetest.URL(t)
	with := func(more ...string) []string {
		return append([]string{database, "BELFRY_DATA_DIR=" + t.TempDir(), "BELFRY_ADDR=127.0.0.1:0"}, more...)
	}
	good, bad := with(sealing("good")), with(sealing("bad"))
	code, out, errs := belfry(t, good, "seed", "--json")
	var made seeded
	if err := json.Unmarshal([]byte(out), &made); code != exitOK || err != nil || len(made.Accounts) == 0 ||
		strings.Count(out, "\n") != 1 {
		t.Fatalf("seed exits with %d and prints %q: %v", code, out, err)
	}
	if errs != "" {
		t.Errorf("beside its result seed prints %q", errs)
	}
	if code, out, errs := belfry(t, good, "doctor"); code != exitOK {
		t.Errorf("with the right key doctor exits with %d: %s%s", code, out, errs)
	}
	fresh := filepath.Join(t.TempDir(), "none", "yet")
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"another key": {bad, "BELFRY_SECRET_KEYS does not match the database"},
		"an empty file": {
			[]string{database, "BELFRY_ADDR=127.0.0.1:0", "BELFRY_DATA_DIR=" + fresh},
			"there are no secret keys in " + filepath.Join(fresh, "secret.keys") + " (BELFRY_SECRET_KEYS is not set)",
		},
	} {
		code, out, _ := belfry(t, c.env, "doctor")
		if code != exitError || !strings.Contains(out, c.says) || !strings.Contains(out, `"good"`) ||
			!strings.Contains(out, app.RevokeUnreadableCommand) {
			t.Errorf("%s: doctor exits with %d and prints %s", name, code, out)
		}
	}
	if _, err := os.Stat(filepath.Dir(fresh)); !os.IsNotExist(err) {
		t.Error("doctor made the data folder")
	}
	if code, _, errs := belfry(t, bad, "serve"); code != exitError ||
		!strings.Contains(errs, app.RevokeUnreadableCommand) {
		t.Errorf("serve exits with %d and prints %s", code, errs)
	}

	revoke := strings.Fields(app.RevokeUnreadableCommand)[1:]
	for _, c := range []struct {
		env  []string
		args []string
		says string
	}{
		{good, revoke, "can decrypt the tokens of all accounts"},
		{bad, revoke, "--confirm"},
		{bad, append(revoke, "--confirm"), "were revoked"},
		{bad, append(revoke, "--confirm"), "can decrypt the tokens of all accounts"},
		{bad, []string{"doctor"}, "ok secret keys"},
	} {
		if code, out, errs := belfry(t, c.env, c.args...); code != exitOK || !strings.Contains(out, c.says) {
			t.Errorf("belfry %v exits with %d and prints %q and %q, want %q", c.args, code, out, errs, c.says)
		}
	}
}

func TestDoctorChangesNothingOnTheDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "data")
	for _, prepare := range []func() error{
		func() error { return nil }, // not even the folder
		func() error { return os.Mkdir(folder, 0o700) },
		func() error { return os.WriteFile(filepath.Join(folder, "lock"), []byte("1 serve\n"), 0o600) },
		func() error {
			_, pair, _ := strings.Cut(sealing("k"), "=")
			return os.WriteFile(filepath.Join(folder, "secret.keys"), []byte(pair), 0o600)
		},
	} {
		if err := prepare(); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		code, out, errs := belfry(t, []string{"BELFRY_DATA_DIR=" + folder, "BELFRY_ADDR=127.0.0.1:0"}, "doctor")
		if code != exitOK {
			t.Errorf("doctor exits with %d and prints %s%s", code, out, errs)
		}
		if after := tree(t, dir); after != before {
			t.Errorf("before doctor there was\n%sand after it\n%s", before, after)
		}
	}
}

// tree shows every file and folder with its mode, time and content.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		if !d.IsDir() {
			text, err = os.ReadFile(path)
		}
		_, _ = b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String() + " " + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
