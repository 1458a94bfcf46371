package config

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// declared is what a network would hand over.
func declared() []Variable {
	return []Variable{
		{Name: "THREADS_CLIENT_ID", Help: "The app's id."},
		{Name: "THREADS_CLIENT_SECRET", Help: "The app's secret.", Secret: true},
		{Name: "THREADS_SCOPES", Default: "basic", Help: "Scopes."},
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := load(nil, declared(), false)
	if err != nil {
		t.Fatal(err)
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"Addr": "127.0.0.1:8080", "PublicURL": "http://localhost:8080", "MediaURL": "http://localhost:8080",
		"DataDir": filepath.Join(wd, "data"), "StorageURL": "file:" + filepath.Join(wd, "data", "media"),
		"Roles": Roles{Web: true, Worker: true}, "RetryDelays": Durations{time.Minute, 5 * time.Minute, 15 * time.Minute},
		"Retention": 72 * time.Hour, "UploadTTL": time.Hour, "Lease": time.Minute, "Sweep": time.Second,
		"LimitAddress": Rate{600, 10 * time.Minute}, "LimitCreate": Rate{60, time.Hour},
		"LogFormat": "text", "LogLevel": slog.LevelInfo, "Database": "", "Scopes": "basic", "Metrics": "",
	}
	got := map[string]any{
		"Addr": cfg.Addr, "PublicURL": cfg.PublicURL, "MediaURL": cfg.MediaURL,
		"DataDir": cfg.DataDir, "StorageURL": cfg.StorageURL.Reveal(),
		"Roles": cfg.Roles, "RetryDelays": cfg.RetryDelays,
		"Retention": cfg.Retention, "UploadTTL": cfg.UploadTTL, "Lease": cfg.Lease, "Sweep": cfg.Sweep,
		"LimitAddress": cfg.LimitAddress, "LimitCreate": cfg.LimitCreate,
		"LogFormat": cfg.LogFormat, "LogLevel": cfg.LogLevel, "Database": cfg.DatabaseURL.Reveal(),
		"Scopes": cfg.Network.Get("THREADS_SCOPES"), "Metrics": cfg.MetricsAddr,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	if cfg.Network.HasAnySecret() {
		t.Error("a network seems to have credentials")
	}
}

func TestRootKeepsItsDataWhereTheServersUserCanReachIt(t *testing.T) {
	t.Parallel()
	cfg, err := load(nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.StorageURL.Reveal(); cfg.DataDir != "/var/lib/belfry" || got != "file:/var/lib/belfry/media" {
		t.Errorf("DataDir %q, StorageURL %q", cfg.DataDir, got)
	}
}

func TestValuesAreRead(t *testing.T) {
	t.Parallel()
	cfg, err := load([]string{
		"BELFRY_ADDR=0.0.0.0:9000", "BELFRY_PUBLIC_URL=https://belfry.example.org/", "BELFRY_ROLES=worker",
		"BELFRY_TRUSTED_PROXIES=10.1.2.3/8, 192.168.1.7,fd00::/8", "BELFRY_LIMIT_CREATE=5/30s", "BELFRY_LEASE=6s",
		"BELFRY_THREADS_CLIENT_ID=1", "BELFRY_THREADS_CLIENT_SECRET=hush", "BELFRY_LOG_LEVEL=debug", "BELFRY_SWEEP=",
		"PATH=/bin", "BELFRY_TEST_POSTGRES=postgres://x", "BELFRY_RETRY_DELAYS=1s",
		"BELFRY_VERIFICATION_FILES=a.txt:x=1:2, b.html:y",
	}, declared(), false)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(cfg.PublicURL, cfg.MediaURL, cfg.Roles, cfg.TrustedProxies, cfg.LimitCreate, cfg.Lease, cfg.LogLevel,
		cfg.Sweep, cfg.RetryDelays, cfg.ProofFiles, cfg.ProofFiles.Names())
	want := "https://belfry.example.org" + "https://belfry.example.org" +
		"{false true} [10.0.0.0/8 192.168.1.7/32 fd00::/8] {5 30s} 6s DEBUG 1s [1s] map[a.txt:x=1:2 b.html:y] [a.txt b.html]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !cfg.Network.HasAnySecret() || cfg.Network.Get("THREADS_CLIENT_SECRET") != "hush" {
		t.Error("the network's credentials are lost")
	}
}

func TestWhatIsWrongIsNamedWithWhatToWrite(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"ADRR=:80":                        "BELFRY_ADRR is not one of Belfry's variables: remove it, or change it to BELFRY_ADDR",
		"THREADS_CLIENT=1":                "BELFRY_THREADS_CLIENT is not one of Belfry's variables: remove it, or change it to BELFRY_THREADS_CLIENT_ID",
		"ADDR=8080":                       `BELFRY_ADDR is "8080", but must be HOST:PORT (for example, BELFRY_ADDR=127.0.0.1:8080)`,
		"ADDR=:99999":                     `BELFRY_ADDR is ":99999", but must be HOST:PORT (for example, BELFRY_ADDR=127.0.0.1:8080)`,
		"METRICS_ADDR=on":                 `BELFRY_METRICS_ADDR is "on", but must be HOST:PORT (for example, BELFRY_METRICS_ADDR=127.0.0.1:9100)`,
		"PUBLIC_URL=example.org":          "BELFRY_PUBLIC_URL must be an address that begins with http:// or https:// (for example, BELFRY_PUBLIC_URL=http://localhost:8080)",
		"PUBLIC_URL=https://a.org/belfry": "BELFRY_PUBLIC_URL must not have a path: Belfry needs its own host name (for example, BELFRY_PUBLIC_URL=http://localhost:8080)",
		"DATABASE_URL=mysql://u:pw@h/d":   "BELFRY_DATABASE_URL must be an address that begins with postgres:// or postgresql:// (for example, BELFRY_DATABASE_URL=postgres://belfry:password@db.example.org/belfry)",
		"ROLES=web,cook":                  `BELFRY_ROLES is "web,cook", but "cook" is not a role (for example, BELFRY_ROLES=web,worker)`,
		"ROLES=,":                         "BELFRY_ROLES must contain at least one role (for example, BELFRY_ROLES=web,worker)",
		"TRUSTED_PROXIES=proxy":           `BELFRY_TRUSTED_PROXIES is "proxy", but "proxy" is neither an IP address nor a range such as 10.0.0.0/8 (for example, BELFRY_TRUSTED_PROXIES=10.0.0.0/8,192.168.1.7)`,
		"RETRY_DELAYS=1m,soon":            `BELFRY_RETRY_DELAYS is "1m,soon", but "soon" is not a duration greater than zero (for example, BELFRY_RETRY_DELAYS=1m,5m,15m)`,
		"LIMIT_CREATE=60":                 `BELFRY_LIMIT_CREATE is "60", but the / is missing (for example, BELFRY_LIMIT_CREATE=60/1h)`,
		"LIMIT_ADDRESS=0/1h":              `BELFRY_LIMIT_ADDRESS is "0/1h", but "0" is not a whole number greater than zero (for example, BELFRY_LIMIT_ADDRESS=600/10m)`,
		"LEASE=5s":                        "BELFRY_LEASE is 5s, but must be at least 6s (for example, BELFRY_LEASE=60s)",
		"SWEEP=-1s":                       "BELFRY_SWEEP must be greater than zero (for example, BELFRY_SWEEP=1s)",
		"VERIFICATION_FILES=a.txt":        `BELFRY_VERIFICATION_FILES is "a.txt", but the colon is missing (for example, BELFRY_VERIFICATION_FILES=example1234.txt:example-site-verification=1234)`,
		"VERIFICATION_FILES=../a:b":       `BELFRY_VERIFICATION_FILES is "../a:b", but "../a" is not a valid file name: use only ASCII letters, digits, hyphens, underscores and dots, and do not begin with a dot (for example, BELFRY_VERIFICATION_FILES=example1234.txt:example-site-verification=1234)`,
		"LOG_FORMAT=xml":                  `BELFRY_LOG_FORMAT is "xml", but must be text or json (for example, BELFRY_LOG_FORMAT=text)`,
		"SECRET_KEYS=a:c2hvcnQ=":          "BELFRY_SECRET_KEYS is not valid (the key with the ID \"a\" has 5 bytes, but must have 32: create a key with `openssl rand -base64 32`) (for example, BELFRY_SECRET_KEYS=2026a:BASE64,2025b:BASE64)",
		"THREADS_CLIENT_ID=1":             "BELFRY_THREADS_CLIENT_ID is set, but BELFRY_THREADS_CLIENT_SECRET is not: a network needs both, so set both or neither",
		"THREADS_CLIENT_SECRET=abc":       "BELFRY_THREADS_CLIENT_SECRET is set, but BELFRY_THREADS_CLIENT_ID is not: a network needs both, so set both or neither",
		"NETWORKS_URL=http://h/p?q=1":     "BELFRY_NETWORKS_URL must not have a user name, a query or a fragment (for example, BELFRY_NETWORKS_URL=http://127.0.0.1:9090)",
		"STORAGE_URL=ftp://u:pw@h/d":      "BELFRY_STORAGE_URL must be an address that begins with file: or s3:// (for example, BELFRY_STORAGE_URL=s3://key:secret@s3.example.org/bucket)",
		"RETENTION=forever":               `BELFRY_RETENTION is "forever", but this is not a duration (for example, BELFRY_RETENTION=72h)`,
		"LOG_LEVEL=loud":                  `BELFRY_LOG_LEVEL is "loud", but this is not a log level (for example, BELFRY_LOG_LEVEL=info)`,
		"UPGRADE_URL=https:///nohost":     "BELFRY_UPGRADE_URL has no host (for example, BELFRY_UPGRADE_URL=https://example.org/upgrade)",
		"PUBLIC_URL=https://:8443":        "BELFRY_PUBLIC_URL has no host (for example, BELFRY_PUBLIC_URL=http://localhost:8080)",
		"PUBLIC_URL=https://a.org:84430":  "BELFRY_PUBLIC_URL has a port above 65535 (for example, BELFRY_PUBLIC_URL=http://localhost:8080)",
		"UPLOAD_TTL=0s":                   "BELFRY_UPLOAD_TTL must be greater than zero (for example, BELFRY_UPLOAD_TTL=1h)",
		"RETENTION=-72h":                  "BELFRY_RETENTION must be greater than zero (for example, BELFRY_RETENTION=72h)",
		"RETRY_DELAYS=,":                  "BELFRY_RETRY_DELAYS must contain at least one delay (for example, BELFRY_RETRY_DELAYS=1m,5m,15m)",
		"MEDIA_URL=//cdn":                 "BELFRY_MEDIA_URL must be an address that begins with http:// or https:// (for example, BELFRY_MEDIA_URL=http://localhost:8080)",
		"LIMIT_ADDRESS=5/never":           `BELFRY_LIMIT_ADDRESS is "5/never", but "never" is not a duration greater than zero (for example, BELFRY_LIMIT_ADDRESS=600/10m)`,
		"SECRET_KEYS=noid":                "BELFRY_SECRET_KEYS is not valid (a key must have the form ID:KEY, where ID has 1 to 32 characters: ASCII letters, digits, dots, hyphens or underscores) (for example, BELFRY_SECRET_KEYS=2026a:BASE64,2025b:BASE64)",
		"NETWORKS_URL=https://user:pw@h/": "BELFRY_NETWORKS_URL must not have a user name, a query or a fragment (for example, BELFRY_NETWORKS_URL=http://127.0.0.1:9090)",
	} {
		t.Run(entry, func(t *testing.T) {
			t.Parallel()
			_, err := load([]string{"BELFRY_" + entry}, declared(), false)
			if err == nil {
				t.Fatal("it was taken")
			}
			if lines := strings.Split(err.Error(), "\n"); !slices.Contains(lines, want) {
				t.Errorf("got  %s\nwant %s", err, want)
			}
			if !strings.Contains(entry, "MEDIA_URL") && strings.Contains(err.Error(), "MEDIA_URL") {
				t.Error("the error complains of a default too")
			}
			if strings.Contains(err.Error(), ":pw@") {
				t.Error("the error shows a password")
			}
		})
	}
}

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load([]string{"BELFRY_LEASE=5", "BELFRY_ADRR=x", "BELFRY_SWEEP=soon"}, nil, false)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("want three lines, got %v", err)
	}
}

func TestSecretsAreShownNowhere(t *testing.T) {
	t.Parallel()
	key := base64.StdEncoding.EncodeToString(make([]byte, 32))
	cfg, err := load([]string{
		"BELFRY_DATABASE_URL=postgres://me:canary@db/x?password=canary",
		"BELFRY_THREADS_CLIENT_ID=77", "BELFRY_THREADS_CLIENT_SECRET=canary", "BELFRY_SECRET_KEYS=canary:" + key,
	}, declared(), false)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := cfg.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"BELFRY_DATABASE_URL=postgres://[redacted]@db/x\n",
		"BELFRY_THREADS_CLIENT_ID=77\n", "BELFRY_THREADS_CLIENT_SECRET=[redacted]\n", "BELFRY_SECRET_KEYS=[redacted]\n",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is missing in\n%s", line, out.String())
		}
	}
	text, err := json.Marshal(cfg.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(text)
	s := cfg.DatabaseURL
	fmt.Fprintf(&out, "%v %+v %#v %s %q %x %d %v", s, s, s, s, s, s, s, []Secret{s})
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "s", s, "network", cfg.Network, "list", []Secret{s})
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "s", s, "network", cfg.Network, "list", []Secret{s})
	if strings.Contains(out.String(), "canary") || strings.Contains(out.String(), fmt.Sprintf("%x", "canary")) {
		t.Errorf("a secret shows in\n%s", out.String())
	}
}

func TestPrintHidesThePasswordOfAnAddressThatLacksASlash(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"smtp:belfry:canary@host:587": "smtp:[redacted]",
		"postgres:/me:canary@db/x":    "postgres:[redacted]",
		"file:/srv/belfry":            "file:/srv/belfry",
		"file:media":                  "file:media",
		"s3://key:canary@store/media": "s3://[redacted]@store/media",
	} {
		var s Secret
		if err := s.UnmarshalText([]byte(value)); err != nil {
			t.Fatal(err)
		}
		if got := s.redactedURL(); got != want {
			t.Errorf("%s shows as %s, want %s", value, got, want)
		}
	}
}

func TestPrintMarksDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := load([]string{"BELFRY_LEASE=90s"}, declared(), true)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := cfg.Print(&out); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(out.String()), " ")
	for _, part := range []string{"BELFRY_LEASE=90s BELFRY_", "BELFRY_DATA_DIR=/var/lib/belfry # default", "BELFRY_THREADS_SCOPES=basic # default", "BELFRY_STORAGE_URL=file:/var/lib/belfry/media # default", "BELFRY_RETRY_DELAYS=1m,5m,15m # default"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, out.String())
		}
	}
}

// Every line of the example, taken as it is, must be accepted and change nothing.
func TestTheExampleHoldsTheDefaults(t *testing.T) {
	t.Parallel()
	var environ []string
	for line := range strings.Lines(FormatEnvExample(declared())) {
		if entry, ok := strings.CutPrefix(strings.TrimSpace(line), "#BELFRY_"); ok {
			environ = append(environ, "BELFRY_"+entry)
		}
		if len(line) > 101 && !strings.Contains(line, "For example") {
			t.Errorf("the line is too long: %s", line)
		}
	}
	if want := len(listFields(&Config{})) + len(declared()); len(environ) != want {
		t.Errorf("the example has %d variables, want %d", len(environ), want)
	}
	got, err := load(environ, declared(), false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := load(nil, declared(), false)
	if err != nil {
		t.Fatal(err)
	}
	if got.Addr != want.Addr || got.DataDir != want.DataDir || got.PublicURL != want.PublicURL ||
		got.LimitCreate != want.LimitCreate || got.Lease != want.Lease {
		t.Errorf("the example's values differ from the defaults: %+v", got)
	}
}

func TestEveryVariableHasHelp(t *testing.T) {
	t.Parallel()
	for _, f := range listFields(&Config{}) {
		if f.help == "" || f.example == "" {
			t.Errorf("%s has no help or no example", f.name)
		}
	}
}
