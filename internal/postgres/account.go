package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the system user the server runs as. PostgreSQL refuses to run as root, so root lends
// its child to "postgres", or to "nobody" where there is no such user; everyone else keeps their own.
type account struct {
	name     string
	uid, gid int
	switched bool // we are root and the child is not
}

func serverAccount() (account, error) {
	if uid := os.Geteuid(); uid != 0 {
		return account{uid: uid, gid: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil {
			return account{}, fmt.Errorf("user %q has the id %q: %w", name, u.Uid, err)
		}
		gid, err := strconv.Atoi(u.Gid)
		if err != nil {
			return account{}, fmt.Errorf("user %q has the group %q: %w", name, u.Gid, err)
		}
		return account{name: name, uid: uid, gid: gid, switched: true}, nil
	}
	return account{},
		fmt.Errorf("PostgreSQL does not run as root, and this machine has neither a user \"postgres\" nor \"nobody\": make one, or start as another user")
}

// childCredential is what a child process starts with; nil keeps our own.
func (a account) childCredential() *syscall.Credential {
	if !a.switched {
		return nil
	}
	uid, gid := uint32(a.uid), uint32(a.gid) //nolint:gosec // ids of the user table, never negative
	return &syscall.Credential{Uid: uid, Gid: gid}
}

// changeOwner gives a file or folder to the server's user.
func (a account) changeOwner(path string) error {
	if !a.switched {
		return nil
	}
	if err := os.Chown(path, a.uid, a.gid); err != nil {
		return fmt.Errorf("give %s to the user %q: %w", path, a.name, err)
	}
	return nil
}

// writePrivateFile writes a file for the server's user alone into a folder of that user: a new one, so that nothing
// is written through a link that was put there.
func (a account) writePrivateFile(path, text string) error {
	if err := removeFile(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if a.switched {
		err = errors.Join(err, f.Chown(a.uid, a.gid))
	}
	return errors.Join(err, f.Close())
}

// makeOwnedDir makes dir, open to the server's user alone. It refuses one that somebody else made first.
func (a account) makeOwnedDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	mine := ok && (int(stat.Uid) == a.uid || int(stat.Uid) == os.Geteuid())
	if !info.IsDir() || !mine {
		return fmt.Errorf("%s is in the way: it is not a folder of ours", dir)
	}
	if err := a.changeOwner(dir); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700) //nolint:gosec // a folder needs its x bit
}

// checkTraversable returns an error that names the first folder on the way to path, path itself excluded,
// which the server's user cannot walk through.
func (a account) checkTraversable(path string) error {
	if !a.switched {
		return nil
	}
	followed, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("follow %s: %w", path, err)
	}
	for _, dir := range parentDirs(followed) {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("look at %s: %w", dir, err)
		}
		if !a.canTraverse(info) {
			return fmt.Errorf("the folder %s is closed to the user %q, who runs PostgreSQL for root and must reach %s: set BELFRY_DATA_DIR to a folder elsewhere, such as /var/lib/belfry, or open it with `chmod o+x %s`", dir, a.name, path, dir)
		}
	}
	return nil
}

func (a account) canTraverse(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode().Perm()
	switch {
	case ok && int(stat.Uid) == a.uid:
		return mode&0o100 != 0
	case ok && int(stat.Gid) == a.gid:
		return mode&0o010 != 0
	}
	return mode&0o001 != 0
}

// parentDirs lists dir and the folders above it, the topmost first.
func parentDirs(dir string) []string {
	if up := filepath.Dir(dir); up != dir {
		return append(parentDirs(up), dir)
	}
	return []string{dir}
}

// takeOverCluster gives an existing cluster to the server's user, when another one ran it before.
func (a account) takeOverCluster(cluster string) error {
	if !a.switched {
		return nil
	}
	info, err := os.Stat(cluster)
	if err != nil {
		return fmt.Errorf("look at the local database: %w", err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == a.uid {
		return nil
	}
	// Below a root, a link that its present owner puts there meanwhile leads nowhere else.
	root, err := os.OpenRoot(cluster)
	if err != nil {
		return fmt.Errorf("open the local database's folder: %w", err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return root.Lchown(path, a.uid, a.gid)
	})
	if err != nil {
		return fmt.Errorf("give the local database to the user %q: %w", a.name, err)
	}
	return nil
}
