package postgres

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	role     = "belfry" // the cluster's only role, which owns the cluster
	database = "belfry"
	port     = "5432" // only part of the socket's name; the server does not listen on TCP

	// socketLimit is the maximum length of a socket's path on macOS: sockaddr_un.sun_path without its final zero. Linux
	// allows four bytes more.
	socketLimit = 103
)

// layout contains the paths of a local database in its data folder, and its password.
type layout struct {
	cluster  string
	making   string // the cluster while initdb fills it
	log      string
	sockets  string
	password string
}

// loadLayout returns the data folder's layout, with the role's password if it already exists.
func loadLayout(dataDir string) (layout, error) {
	dataDir, err := filepath.Abs(dataDir)
	if err != nil {
		return layout{}, fmt.Errorf("find the data folder: %w", err)
	}
	l := layout{
		cluster: filepath.Join(dataDir, "postgres"),
		making:  filepath.Join(dataDir, "postgres.making"),
		log:     filepath.Join(dataDir, "postgres.log"),
		sockets: filepath.Join(dataDir, "run"),
	}
	if long := len(l.socketPath()) - socketLimit; long > 0 {
		return layout{}, fmt.Errorf("the path of the data folder %s is %d bytes too long for a socket in it: set BELFRY_DATA_DIR to a shorter path", dataDir, long)
	}
	text, err := readNoFollow(l.cluster + ".password")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return layout{}, fmt.Errorf("read the local database's password: %w", err)
	}
	l.password = strings.TrimSpace(string(text))
	return l, nil
}

func (l *layout) socketPath() string { return filepath.Join(l.sockets, ".s.PGSQL."+port) }

// databaseURL returns the address of a database of the cluster, for pgx and libpq.
func (l *layout) databaseURL(name string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(role, l.password),
		Path:     "/" + name,
		RawQuery: url.Values{"host": {l.sockets}, "port": {port}}.Encode(),
	}
	return u.String()
}

// ensurePassword creates the role's password if there is none yet.
func (l *layout) ensurePassword() error {
	if l.password != "" {
		return nil
	}
	file := l.cluster + ".password"
	if _, err := os.Stat(l.cluster); err == nil {
		return fmt.Errorf("the password file %s is missing: restore the file from a backup, because Belfry cannot open the database in %s without it", file, l.cluster)
	}
	l.password = rand.Text()
	if err := writePrivateFileAtomically(file, l.password+"\n"); err != nil {
		return fmt.Errorf("save the local database's password: %w", err)
	}
	return nil
}

// openNoFollow opens a file of the data folder, and refuses a symbolic link. The folder may belong to the service's
// user, who must not be able to redirect a command that root runs to other files.
func openNoFollow(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag|syscall.O_NOFOLLOW, 0o600)
}

// readNoFollow reads a file of the data folder, and refuses a symbolic link as openNoFollow does.
func readNoFollow(path string) ([]byte, error) {
	file, err := openNoFollow(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// writePrivateFileAtomically replaces the file at path with one that contains text and that only we can read.
func writePrivateFileAtomically(path, text string) error {
	draft := path + ".new"
	file, err := openNoFollow(draft, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(draft, path)
}
