package intake

import (
	"bytes"
	"context"
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
	// avatarNameBytes is the length of a name that cannot be guessed, before it is written in hex.
	avatarNameBytes = 20
)

// avatarName is the name of an avatar, the last part of its key.
var avatarName = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}$`, 2*avatarNameBytes))

// StoreAvatar stores a small square copy of an account's profile picture, and returns its key. The same picture keeps
// the account's present key, and another picture has another key, so that browsers can keep it forever. A picture that
// comes back has a new key: a job may be about to delete the bytes of its former one. Nobody can guess a key.
func (s *Service) StoreAvatar(
	ctx context.Context, id core.AccountID, present string, picture []byte,
) (key string, err error) {
	small, err := s.makeAvatar(ctx, picture)
	if err != nil {
		return "", fmt.Errorf("make an avatar: %w", err)
	}
	sum := secret.Hash("avatar", id.String()+string(small))
	content := hex.EncodeToString(sum[:avatarNameBytes/2])
	if key = present; !strings.HasPrefix(path.Base(present), content) {
		random := secret.Hash("avatar", secret.Random(avatarNameBytes))
		key = blob.Key(avatarFolder, content+hex.EncodeToString(random[:avatarNameBytes/2]))
	}
	return key, s.cfg.Blobs.Put(ctx, key, bytes.NewReader(small), int64(len(small)))
}

func (s *Service) makeAvatar(ctx context.Context, picture []byte) ([]byte, error) {
	select {
	case s.decoding <- struct{}{}:
		defer func() { <-s.decoding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return media.Avatar(ctx, picture)
}

// OpenAvatar opens the avatar with the name of contract.AvatarPathOf, or returns not_found. Whoever knows the name may
// see it.
func (s *Service) OpenAvatar(ctx context.Context, name string) (File, error) {
	if !avatarName.MatchString(name) {
		return File{}, core.NotFound()
	}
	object, err := s.cfg.Blobs.Open(ctx, blob.Key(avatarFolder, name))
	if errors.Is(err, blob.ErrNotFound) {
		return File{}, core.NotFound().Because(err)
	}
	if err != nil {
		return File{}, fmt.Errorf("open an avatar: %w", err)
	}
	return File{Content: object, Name: "avatar.jpg", Mime: "image/jpeg", Tag: name}, nil
}
