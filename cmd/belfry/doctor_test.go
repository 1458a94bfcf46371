package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belfry/internal/app"
	"belfry/internal/fetch"
	"belfry/internal/fetch/fetchtest"
	"belfry/internal/intake"
	"belfry/internal/network"
	"belfry/internal/network/all"
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
	var made seedOutput
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
		"another key": {bad, "the keys in BELFRY_SECRET_KEYS do not match the database"},
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
		{bad, append(revoke, "--confirm"), "Accounts marked as revoked: "},
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

func TestDoctorSaysWhetherAWorkerPublishesPosts(t *testing.T) {
	t.Parallel()
	env, pool := seedDatabase(t)
	doctorSays := func(wantCode int, want string) {
		t.Helper()
		if code, out, errs := belfry(t, env, "doctor"); code != wantCode || !strings.Contains(out, want) {
			t.Errorf("doctor exits with %d and prints %s%s, want %d and %q", code, out, errs, wantCode, want)
		}
	}
	exec := func(statement string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	doctorSays(exitOK, "!  workers      No worker has reported in the last 30 seconds. Posts are published only while")
	exec(`INSERT INTO workers (name, seen_at) VALUES ('worker-1', clock())`)
	doctorSays(exitOK, "ok workers      running")
	exec(`ALTER TABLE workers RENAME TO lost`)
	doctorSays(exitError, `x  workers      check the workers: ERROR: relation "workers" does not exist`)
}

func TestDoctorSaysWhatCannotBePublishedWithoutAPublicAddress(t *testing.T) {
	t.Parallel()
	env := []string{
		"BELFRY_DATA_DIR=" + t.TempDir(), "BELFRY_ADDR=127.0.0.1:0", "BELFRY_PUBLIC_URL=http://localhost:8080",
		"BELFRY_THREADS_CLIENT_ID=1", "BELFRY_THREADS_CLIENT_SECRET=2", "BELFRY_TIKTOK_CLIENT_ID=1",
		"BELFRY_TIKTOK_CLIENT_SECRET=2", "BELFRY_YOUTUBE_CLIENT_ID=1", "BELFRY_YOUTUBE_CLIENT_SECRET=2",
	}
	code, out, errs := belfry(t, env, "doctor")
	if code != exitOK {
		t.Errorf("doctor exits with %d: %s", code, errs)
	}
	_, said, _ := strings.Cut(out, "!  media files")
	for _, want := range []string{
		"http://localhost:8080 does not begin with https://", "Threads: posts with files cannot be published",
		"TikTok: photos cannot be published; videos can", "Set BELFRY_MEDIA_URL",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("doctor does not say %q: %s", want, out)
		}
	}
	if strings.Contains(said, "YouTube") {
		t.Errorf("doctor speaks of a network that downloads nothing: %s", said)
	}
	for name, more := range map[string][]string{
		"simulated":   {"BELFRY_NETWORKS_URL=http://127.0.0.1:9"},
		"sandbox":     nil,
		"only pushed": nil,
	} {
		env := append(slices.Clone(env[:3]), more...)
		if name == "only pushed" {
			env = append(env, "BELFRY_YOUTUBE_CLIENT_ID=1", "BELFRY_YOUTUBE_CLIENT_SECRET=2")
		}
		if _, out, _ := belfry(t, env, "doctor"); !strings.Contains(out, "ok media files") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

func TestFilesAreReportedAsANetworkWouldMeetThem(t *testing.T) {
	t.Parallel()
	moved := false
	world := fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) {
		if moved {
			http.Redirect(rw, r, "/elsewhere", http.StatusFound)
			return
		}
		http.NotFound(rw, r)
	})
	world.Names["inside.example.com"] = []string{"10.0.0.7"}
	networks, err := network.NewSet(all.Drivers(), network.Environment{Get: func(name string) string {
		for _, v := range networkVariables() {
			if v.Name == name && v.Default != "" {
				return v.Default
			}
		}
		return "set"
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := func(mediaURL, networksURL string) app.Config {
		return app.Config{
			MediaURL: mediaURL, Networks: networks, NetworksURL: networksURL,
			Fetch:   fetch.New(fetch.Config{Lookup: world.Lookup, Dial: world.Dial, Roots: world.Roots()}),
			Decoder: intake.NewDecoder(),
		}
	}
	report := func(mediaURL string) (string, error) {
		return checkAndDescribeMediaURL(t.Context(), server(mediaURL, ""), []string{"tiktok1.txt"})
	}
	found, err := report("https://example.com/belfry")
	if err != nil || !strings.Contains(found, "served at https://example.com/belfry/media/") ||
		!strings.Contains(found, "the URL prefix https://example.com/belfry/media/") ||
		!strings.Contains(found, "verification file: https://example.com/belfry/media/tiktok1.txt") {
		t.Errorf("%s, %v", found, err)
	}
	moved = true
	for address, want := range map[string]string{
		"https://example.com":        "https://example.com/media/ redirects to another address",
		"https://inside.example.com": "resolves to 10.0.0.7",
	} {
		if found, err := report(address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", address, found, err)
		}
	}
	for _, c := range []struct {
		media, networks string
		warns           bool
	}{
		{"https://example.com", "", false},
		{"https://inside.example.com", "", true},
		{"http://localhost:8080", "", true},
		{"http://localhost:8080", "http://127.0.0.1:9090", false},
	} {
		if err := checkMediaURLPublicIfNeeded(t.Context(), server(c.media, c.networks)); (err != nil) != c.warns {
			t.Errorf("serve at %s with networks at %q warns %v", c.media, c.networks, err)
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
