package intake

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/media"
)

// MaxPictureBytes is the largest profile picture that is read.
const MaxPictureBytes = 4 << 20

const (
	avatarFolder = "avatars"
	// avatarNameBytes is the length of an avatar's random name, before it is written in hex.
	avatarNameBytes = 20
)

// avatarName matches the name of an avatar, which is the last part of its key.
var avatarName = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}$`, 2*avatarNameBytes))

// MakeAvatar returns a small square copy of a profile picture.
func (s *Service) MakeAvatar(ctx context.Context, picture []byte) ([]byte, error) {
	return s.cfg.Decoder.decodeExclusively(ctx, func() ([]byte, error) { return media.MakeAvatar(ctx, picture) })
}

// StoreAvatarIfChanged stores the copy of an account's picture that MakeAvatar made, and returns its key, or the
// current key if that already holds the same picture. A different picture gets a different key, so browsers can cache a
// picture forever. Nobody can guess a key. DeleteUnreferencedBlobsIfDue deletes the bytes if no account's row refers to
// them within a day.
func (s *Service) StoreAvatarIfChanged(ctx context.Context, currentKey string, avatar []byte) (key string, err error) {
	same, err := s.isStoredAs(ctx, currentKey, avatar)
	if err != nil || same {
		return currentKey, err
	}
	name := make([]byte, avatarNameBytes)
	_, _ = rand.Read(name) // never returns an error
	key = blob.ShardedKey(avatarFolder, hex.EncodeToString(name))
	return key, s.cfg.Blobs.Put(ctx, key, bytes.NewReader(avatar), int64(len(avatar)))
}

// isStoredAs reports whether exactly this content is stored under a key.
func (s *Service) isStoredAs(ctx context.Context, key string, content []byte) (bool, error) {
	if key == "" {
		return false, nil
	}
	object, err := s.cfg.Blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer object.Close()
	stored, err := io.ReadAll(io.LimitReader(object, int64(len(content))+1))
	return bytes.Equal(stored, content), err
}

// OpenAvatar opens the avatar with a name from contract.AvatarPathOf, or returns not_found. Anyone who knows the name
// may see the avatar.
func (s *Service) OpenAvatar(ctx context.Context, name string) (File, error) {
	if !avatarName.MatchString(name) {
		return File{}, core.NotFound()
	}
	object, err := s.cfg.Blobs.Open(ctx, blob.ShardedKey(avatarFolder, name))
	if errors.Is(err, blob.ErrNotFound) {
		return File{}, core.NotFound().WithCause(err)
	}
	if err != nil {
		return File{}, fmt.Errorf("open an avatar: %w", err)
	}
	return File{Content: object, Name: "avatar.jpg", Mime: "image/jpeg", Tag: name}, nil
}
