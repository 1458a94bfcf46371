package intake

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/secret"
)

// MaxPictureBytes is the largest profile picture that is read.
const MaxPictureBytes = 4 << 20

const (
	avatarFolder = "avatars"
	// avatarSumBytes and avatarRandomBytes are the lengths of the two parts of a name, before they are written in hex: a
	// hash of the picture and a part that cannot be guessed.
	avatarSumBytes    = 8
	avatarRandomBytes = 12
)

// avatarName matches the name of an avatar, which is the last part of its key.
var avatarName = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}$`, 2*(avatarSumBytes+avatarRandomBytes)))

// MakeAvatar returns a small square copy of a profile picture. It decodes one picture at a time.
func (s *Service) MakeAvatar(ctx context.Context, picture []byte) ([]byte, error) {
	select {
	case s.decoding <- struct{}{}:
		defer func() { <-s.decoding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return media.MakeAvatar(ctx, picture)
}

// StoreAvatar stores the copy of an account's picture that MakeAvatar made, and returns its key: the account's present
// key if the picture is the same, and otherwise a new one. Another picture has another key, so that browsers can keep
// it forever. A picture that comes back gets a new key too, because the bytes under its earlier key may wait for their
// deletion.
func (s *Service) StoreAvatar(ctx context.Context, account core.Account, small []byte) (key string, err error) {
	sum := secret.HashToken("avatar", account.ID.String()+string(small))
	picture := hex.EncodeToString(sum[:avatarSumBytes])
	key = account.Avatar
	if !strings.HasPrefix(path.Base(key), picture) {
		random := make([]byte, avatarRandomBytes)
		_, _ = rand.Read(random) // never fails
		key = blob.Key(avatarFolder, picture+hex.EncodeToString(random))
	}
	return key, s.cfg.Blobs.Put(ctx, key, bytes.NewReader(small), int64(len(small)))
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
