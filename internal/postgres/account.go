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

// systemUser is the operating system's user that the server runs as. PostgreSQL refuses to run as root, so root starts
// the server as another user.
type systemUser struct {
	name     string
	uid, gid int
	switched bool // we are root and the server is not
}

// chooseSystemUser returns our own user or, if we are root, the owner of the cluster's folder. If root has no cluster
// yet, chooseSystemUser returns the user "postgres" or "nobody".
func chooseSystemUser(clusterDir string) (systemUser, error) {
	if uid := os.Geteuid(); uid != 0 {
		return systemUser{uid: uid, gid: os.Getegid()}, nil
	}
	if info, err := os.Stat(clusterDir); err == nil {
		owner := ownerOf(info)
		return systemUser{name: strconv.Itoa(owner.uid), uid: owner.uid, gid: owner.gid, switched: true}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		return systemUser{name: name, uid: uid, gid: gid, switched: true}, errors.Join(uidErr, gidErr)
	}
	return systemUser{},
		errors.New("PostgreSQL cannot run as root, and this machine has no user \"postgres\" or \"nobody\": create one of them, or do not start Belfry as root")
}

// ownerOf returns the user and group of a file.
func ownerOf(info fs.FileInfo) (owner systemUser) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		owner.uid, owner.gid = int(stat.Uid), int(stat.Gid)
	}
	return owner
}

// childCredentialOrNil returns the credential for child processes; nil means our own.
func (a systemUser) childCredentialOrNil() *syscall.Credential {
	if !a.switched {
		return nil
	}
	uid, gid := uint32(a.uid), uint32(a.gid) //nolint:gosec // ids of the user table, never negative
	return &syscall.Credential{Uid: uid, Gid: gid}
}

// changeOwner makes the server's user the owner of a file or folder.
func (a systemUser) changeOwner(file *os.File) error {
	if !a.switched {
		return nil
	}
	return file.Chown(a.uid, a.gid)
}

// ensureOwnedDir creates dir, accessible only to the server's user. It returns an error if dir belongs to somebody
// else.
func (a systemUser) ensureOwnedDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	errForeign := fmt.Errorf("%s already exists, but it belongs to another user or is not a folder: move it elsewhere", dir)
	file, err := openNoFollow(dir, syscall.O_DIRECTORY)
	if err != nil {
		return errors.Join(errForeign, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if uid := ownerOf(info).uid; uid != a.uid && uid != os.Geteuid() {
		return errForeign
	}
	return errors.Join(a.changeOwner(file), file.Chmod(0o700))
}

// checkUserCanReach returns an error if the server's user cannot enter a folder above path. The error names the folder.
func (a systemUser) checkUserCanReach(path string) error {
	if !a.switched {
		return nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		enter, class := fs.FileMode(0o001), "o"
		switch owner := ownerOf(info); {
		case owner.uid == a.uid:
			enter, class = 0o100, "u"
		case owner.gid == a.gid:
			enter, class = 0o010, "g"
		}
		if info.Mode()&enter == 0 {
			return fmt.Errorf("the folder %s is not accessible to the user %q, who runs PostgreSQL when Belfry is started "+
				"as root: run `chmod %s+x %s` or, if that folder contains the data folder, set BELFRY_DATA_DIR to a "+
				"folder that this user can access, such as /var/lib/belfry", dir, a.name, class, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
