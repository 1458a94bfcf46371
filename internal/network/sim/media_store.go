package sim

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The maximum size of one stored file and of all, in bytes. The properties of a file are kept whatever its size.
const (
	shelfFile  = 32 << 20
	shelfTotal = 512 << 20
)

// mediaStore stores fetched files by their hash, for the pages that show them: in a folder beside the journal or,
// without a journal, in a temporary folder.
type mediaStore struct {
	mu        sync.Mutex
	folder    string
	temporary bool
	total     int64 // bytes stored since the start
}

func newMediaStore(journalOrEmpty string) *mediaStore {
	if journalOrEmpty == "" {
		return &mediaStore{temporary: true}
	}
	return &mediaStore{folder: filepath.Join(filepath.Dir(journalOrEmpty), "sandbox-media")}
}

// findOrCreateFolder returns the store's folder, and creates it if it does not exist.
func (s *mediaStore) findOrCreateFolder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.folder == "" {
		s.folder, err = os.MkdirTemp("", "belfry-sandbox-")
	} else {
		err = os.MkdirAll(s.folder, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("create a folder for sandbox media: %w", err)
	}
	return s.folder, nil
}

// createTemp creates an empty file in the store's folder.
func (s *mediaStore) createTemp() (*os.File, error) {
	folder, err := s.findOrCreateFolder()
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(folder, "fetching-")
	if err != nil {
		return nil, fmt.Errorf("create a file for sandbox media: %w", err)
	}
	return file, nil
}

// keepFileIfRoom renames a temporary file of the store to its hash, if the file's format is known and there is room.
func (s *mediaStore) keepFileIfRoom(file *os.File, m Media) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Kind == "" || m.Bytes > shelfFile || s.total+m.Bytes > shelfTotal {
		return nil
	}
	s.total += m.Bytes
	if err := os.Rename(file.Name(), filepath.Join(s.folder, m.SHA256)); err != nil {
		return fmt.Errorf("store sandbox media: %w", err)
	}
	return nil
}

// closeAndDeleteUnlessKept closes a file, and deletes it unless keepFileIfRoom has stored it.
func (s *mediaStore) closeAndDeleteUnlessKept(file *os.File) {
	_ = file.Close()
	_ = os.Remove(file.Name())
}

// removeAll deletes all files.
func (s *mediaStore) removeAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total = 0
	if s.folder == "" {
		return nil
	}
	if err := os.RemoveAll(s.folder); err != nil {
		return fmt.Errorf("delete sandbox media: %w", err)
	}
	if s.temporary {
		s.folder = ""
	}
	return nil
}

func (s *mediaStore) removeAllIfTemporary() error {
	if !s.temporary {
		return nil
	}
	return s.removeAll()
}

// ServeMedia serves a file that a network fetched; a file too large to be stored is not found.
func (k *Kit) ServeMedia(w http.ResponseWriter, r *http.Request, sha256Hex string) {
	raw, err := hex.DecodeString(sha256Hex)
	k.shelf.mu.Lock()
	folder := k.shelf.folder
	k.shelf.mu.Unlock()
	if err == nil && (len(raw) != 32 || folder == "") {
		err = errors.New("no such file")
	}
	var file *os.File
	if err == nil {
		//nolint:gosec // the name is 64 hexadecimal digits
		file, err = os.Open(filepath.Join(folder, hex.EncodeToString(raw)))
	}
	if err != nil {
		k.updateRequestRecord(r, func(rec *CallRecord) { rec.Status = http.StatusNotFound })
		http.NotFound(w, r)
		return
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		http.NotFound(w, r)
		return
	}
	k.updateRequestRecord(r, func(rec *CallRecord) { rec.Status = http.StatusOK })
	w.Header().Set("Content-Type", DetectMedia(file, info.Size()).Type())
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	http.ServeContent(w, r, "", time.Time{}, file)
}
