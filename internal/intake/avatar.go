package intake

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/secret"
)

// MaxPictureBytes is the largest profile picture that is read.
const MaxPictureBytes = 4 << 20

const (
	avatarFolder = "avatars"
	// avatarNameBytes is the length of a name that cannot be guessed, before it is written in hex.
	avatarNameBytes = 20
)

// avatarName matches the name of an avatar, which is the last part of its key.
var avatarName = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}$`, 2*avatarNameBytes))

// StoreAvatar stores a small square copy of an account's profile picture, and returns its key. Every picture has a
// different key, so browsers can cache it forever. The key cannot be guessed without the account's id.
func (s *Service) StoreAvatar(ctx context.Context, id core.AccountID, picture []byte) (key string, err error) {
	small, err := s.makeAvatar(ctx, picture)
	if err != nil {
		return "", fmt.Errorf("make an avatar: %w", err)
	}
	sum := secret.HashToken("avatar", id.String()+string(small))
	key = blob.Key(avatarFolder, hex.EncodeToString(sum[:avatarNameBytes]))
	return key, s.cfg.Blobs.Put(ctx, key, bytes.NewReader(small), int64(len(small)))
}

// makeAvatar returns a small square copy of a picture. It decodes one picture at a time.
func (s *Service) makeAvatar(ctx context.Context, picture []byte) ([]byte, error) {
	select {
	case s.decoding <- struct{}{}:
		defer func() { <-s.decoding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return media.MakeAvatar(ctx, picture)
}

// OpenAvatar opens the avatar with a name from contract.AvatarPathOf, or returns not_found. Anyone who knows the name
// may see the avatar.
func (s *Service) OpenAvatar(ctx context.Context, name string) (File, error) {
	if !avatarName.MatchString(name) {
		return File{}, core.NotFound()
	}
	object, err := s.cfg.Blobs.Open(ctx, blob.Key(avatarFolder, name))
	if errors.Is(err, blob.ErrNotFound) {
		return File{}, core.NotFound().WithCause(err)
	}
	if err != nil {
		return File{}, fmt.Errorf("open an avatar: %w", err)
	}
	return File{Content: object, Name: "avatar.jpg", Mime: "image/jpeg", Tag: name}, nil
}
