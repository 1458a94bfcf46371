package intake

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/secret"
	"belfry/internal/store"
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

var errAvatarLocked = errors.New("an earlier copy of the picture is being deleted")

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

// StoreAvatar stores the copy of an account's picture that MakeAvatar made, and returns its key. Another picture has
// another key, so that browsers can keep it forever; nobody who does not know the account can guess it. Until the
// transaction ends, nothing deletes the bytes. While the same picture is being deleted because the account had it
// before, StoreAvatar returns an error, and the transaction can go on.
func (s *Service) StoreAvatar(ctx context.Context, t store.Tenant, id core.AccountID, small []byte) (string, error) {
	sum := secret.HashToken("avatar", id.String()+string(small))
	key := blob.Key(avatarFolder, hex.EncodeToString(sum[:avatarNameBytes]))
	locked, err := t.TryLockBlob(context.WithoutCancel(ctx), key)
	if err != nil {
		return "", err
	}
	if !locked {
		return "", errAvatarLocked
	}
	return key, s.cfg.Blobs.Put(ctx, key, bytes.NewReader(small), int64(len(small)))
}

// isAvatarKey reports whether a key is that of an avatar. Unlike other keys, it can come back: with the same picture.
func isAvatarKey(key string) bool { return strings.HasPrefix(key, avatarFolder+"/") }

// deleteAvatar deletes an avatar, unless an account has it again.
func (s *Service) deleteAvatar(ctx context.Context, key string) error {
	return s.cfg.Store.Tx(ctx, func(db *store.Store) error {
		if err := db.LockBlob(ctx, key); err != nil {
			return err
		}
		unreferenced, err := db.UnreferencedBlobKeys(ctx, []string{key})
		if err != nil || len(unreferenced) == 0 {
			return err
		}
		return s.cfg.Blobs.Delete(ctx, key)
	})
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
