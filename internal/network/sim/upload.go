package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ErrOffset is the error for a part that does not start where the last one ended.
var ErrOffset = errors.New("the part does not begin where the last one ended")

// uploadPathCreatingFolder returns the path of the file with an upload's bytes until it is complete. Of this path, it
// creates only the folder.
func (k *Kit) uploadPathCreatingFolder(id string) (string, error) {
	name := sha256.Sum256([]byte(id))
	folder, err := k.shelf.findOrCreateFolder()
	return filepath.Join(folder, "upload-"+hex.EncodeToString(name[:])), err
}

// UploadSize returns how many bytes of an upload have arrived, including in earlier runs.
func (k *Kit) UploadSize(id string) int64 {
	path, err := k.uploadPathCreatingFolder(id)
	if err != nil {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// AppendUpload appends a part that starts at an offset and returns the new size. If a part breaks off, its bytes stay
// and err says why. While one part is arriving, any other part fails with ErrOffset.
func (k *Kit) AppendUpload(id string, offset int64, part io.Reader) (size int64, err error) {
	k.mu.Lock()
	size = k.UploadSize(id)
	free := !k.receiving[id] && size == offset
	if free {
		k.receiving[id] = true
	}
	k.mu.Unlock()
	if !free {
		return size, ErrOffset
	}
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.receiving, id)
	}()
	path, err := k.uploadPathCreatingFolder(id)
	if err != nil {
		return size, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return size, fmt.Errorf("open an upload: %w", err)
	}
	n, err := io.Copy(file, part)
	return size + n, errors.Join(err, file.Close())
}

// FinishUpload turns a complete upload into a stored file, and removes the upload.
func (k *Kit) FinishUpload(id string) (Media, error) {
	path, err := k.uploadPathCreatingFolder(id)
	if err != nil {
		return Media{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return Media{}, fmt.Errorf("open an upload: %w", err)
	}
	defer func() { _ = file.Close(); _ = os.Remove(path) }()
	return k.detectAndStoreMediaIfRoom(file)
}

// KeepFile stores a file that was sent in one call.
func (k *Kit) KeepFile(content io.Reader) (Media, error) { return k.detectAndStoreMediaIfRoom(content) }
