package postgres

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

const (
	role     = "belfry" // the one role of the cluster, and its owner
	database = "belfry"
	port     = "5432" // part of the socket's name only; nothing listens on TCP

	// socketLimit is what fits into sockaddr_un.sun_path with its final zero, on Linux; macOS has
	// 104 in all, so the smaller number serves both.
	socketLimit = 103
)

// layout is where the parts of a local database live below its data folder.
type layout struct {
	dir      string // the data folder, absolute
	cluster  string
	making   string // the cluster while initdb fills it
	log      string
	password string
	url      string
	sockets  string
}

func newLayout(dir string) (layout, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return layout{}, fmt.Errorf("find the data folder: %w", err)
	}
	return layout{
		dir:      dir,
		cluster:  filepath.Join(dir, "postgres"),
		making:   filepath.Join(dir, "postgres.making"),
		log:      filepath.Join(dir, "postgres.log"),
		password: filepath.Join(dir, "postgres.password"),
		url:      filepath.Join(dir, "postgres.url"),
		sockets:  socketDir(dir, os.TempDir()),
	}, nil
}

// socketDir is DATA_DIR/run where a socket's name below it fits, else a short folder below temp,
// the same at each start.
func socketDir(dir, temp string) string {
	near := filepath.Join(dir, "run")
	if len(filepath.Join(near, ".s.PGSQL."+port)) <= socketLimit {
		return near
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(temp, "belfry-"+hex.EncodeToString(sum[:6]))
}

// databaseURL is the database's URL, as pgx and libpq read it.
func (l layout) databaseURL(password, db string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(role, password),
		Path:     "/" + db,
		RawQuery: url.Values{"host": {l.sockets}, "port": {port}}.Encode(),
	}
	return u.String()
}

// loadOrMakePassword returns the role's password, made on the first call.
func (l layout) loadOrMakePassword() (string, error) {
	text, err := os.ReadFile(l.password)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the local database's password: %w", err)
	}
	if _, err := os.Stat(l.cluster); err == nil {
		return "", fmt.Errorf("%s is missing, and the database in %s opens with that password only: bring the file back from a backup", l.password, l.cluster)
	}
	password := rand.Text()
	if err := writeFile(l.password, password+"\n"); err != nil {
		return "", fmt.Errorf("keep the local database's password: %w", err)
	}
	return password, nil
}

// writeFile puts text at path in one step, readable by us alone.
func writeFile(path, text string) error {
	draft := path + ".new"
	if err := os.WriteFile(draft, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(draft, path)
}
