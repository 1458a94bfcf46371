package blob_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belfry/internal/blob"
	"belfry/internal/blob/blobtest"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	g := blobtest.StartVersityGateway(t)
	there := g.Bucket(t, "bucket")
	blocked := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"file:" + blocked:          "create the media folder",
		"file:" + blocked + "/in":  "create the media folder",
		"file://host/path":         "must be file:FOLDER or s3:",
		"file:":                    "must be file:FOLDER or s3:",
		"ftp://KEY:hush@host/x":    "must be file:FOLDER or s3:",
		"s3://KEY:hush%zz@host/x":  "cannot be parsed",
		"s3://KEY:hush@host":       "has no host or no bucket",
		"s3:///bucket":             "has no host or no bucket",
		"s3://KEY@host/bucket":     "must contain both a key and a secret",
		"s3://:hush@host/bucket":   "must contain both a key and a secret",
		"s3://KEY:hush@h/b?tls=no": "can have only the options",
		"s3://KEY:hush@h/b?x=hush": "can have only the options",
		"s3://KEY:hush@h/b/../c":   "after the bucket",
		"s3://KEY:hush@h/B$":       "cannot use the bucket",
		there + "&region=mars-1":   "cannot use the bucket",
		strings.Replace(there, "/bucket", "/elsewhere", 1): "the bucket elsewhere at " + g.Host +
			": there is no such bucket",
		strings.Replace(there, "s3cr", "hush", 1):                       "cannot use the bucket",
		strings.Replace(there, "belfry:", "somebody:", 1):               "cannot use the bucket",
		"s3://KEY:hush@127.0.0.1:1/bucket?tls=off":                      "cannot use the bucket bucket at 127.0.0.1:1",
		strings.Replace(there, "tls=off", "region=us-east-1", 1):        "cannot use the bucket",
		strings.Replace(there, "/bucket", "/bucket/_media/.hidden/", 1): "after the bucket",
	} {
		s, err := blob.OpenAndCheck(t.Context(), address)
		if err == nil {
			t.Errorf("%s is open: %v", address, s.Close())
			continue
		}
		if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "hush") ||
			strings.Contains(text, "s3cr") {
			t.Errorf("%s: %s\nwant %s, and no secret", address, text, want)
		}
	}
}

func TestTheLocationIsNamedWithoutSecrets(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"file:/srv/belfry/media/":                     "the folder /srv/belfry/media",
		"file:///srv/belfry/media":                    "the folder /srv/belfry/media",
		"file:data/media":                             "the folder " + filepath.Join(here, "data", "media"),
		"s3://KEY:hush@s3.example.org:9000/b?tls=off": "the bucket b at s3.example.org:9000",
		"s3://s3.example.org/b/of/belfry/":            "the folder of/belfry in the bucket b at s3.example.org",
		"s3://KEY:hush%zz@host/x":                     "the file storage in BELFRY_STORAGE_URL",
	} {
		if got := blob.DescribeLocation(address); got != want {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
}

func TestFolderIsMadeForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "media")
	s := openStore(t, "file:"+dir)
	if err := s.Put(t.Context(), blob.ShardedKey("media", "med_01abcyz"), strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "media": 0o700, "media/yz": 0o700, "media/yz/med_01abcyz": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v", name, info.Mode(), err)
		}
	}
}

// A link within the folder must not lead a key out of it.
func TestFolderKeepsKeysInside(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, "file:"+dir)
	if _, err := s.Open(t.Context(), "out/secret"); err == nil {
		t.Error("read a file outside")
	}
	if err := s.Put(t.Context(), "out/new", strings.NewReader("x"), 1); err == nil {
		t.Error("wrote a file outside")
	}
	if err := s.Delete(t.Context(), "out/secret"); err == nil {
		t.Error("deleted a file outside")
	}
	left, err := os.ReadDir(outside)
	if err != nil || len(left) != 1 {
		t.Errorf("outside: %v, %v", left, err)
	}
}
