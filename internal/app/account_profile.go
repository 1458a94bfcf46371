package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"belfry/internal/core"
	"belfry/internal/intake"
	"belfry/internal/network"
	"belfry/internal/queue"
	"belfry/internal/store"
)

const (
	// pictureCall is how long the download of one profile picture may take. picturePatience is how long a person who
	// has just connected accounts waits for their pictures.
	pictureCall     = 20 * time.Second
	picturePatience = 3 * time.Second
	// keepReplacedPicture is how long a replaced picture stays stored, because open pages still show it.
	keepReplacedPicture = time.Hour
)

// tryUpdateProfile reads an account's names and picture from its network and stores them. It only logs an error, and
// then keeps the earlier names and picture.
func (a *App) tryUpdateProfile(ctx context.Context, t store.Tenant, n network.Network, account core.Account,
	token network.Token,
) {
	reader, ok := n.(network.ProfileReader)
	if !ok {
		return
	}
	p, err := reader.ReadProfile(ctx, account.ExternalID, token)
	if err == nil && p.ExternalID != account.ExternalID {
		err = errors.New("the network returned the profile of another account")
	}
	if err == nil {
		account.Username, account.AvatarURL = p.Username, p.AvatarURL
		account.DisplayName = cmp.Or(p.DisplayName, account.DisplayName)
		err = a.downloadAvatarAndSaveProfile(ctx, t, account)
	}
	if err != nil {
		a.cfg.Log.WarnContext(ctx, "could not update an account's profile", "workspace", t.WorkspaceID(),
			"account", account.ID, "network", account.Platform, "error", err)
	}
}

// tryDownloadAvatarsAndSaveProfiles copies the pictures of accounts that have just been connected. It only logs errors,
// and gives up after picturePatience. Until the next check of the account, pages then show the first letter of its
// name.
func (a *App) tryDownloadAvatarsAndSaveProfiles(ctx context.Context, t store.Tenant, accounts []core.Account) {
	ctx, cancel := context.WithTimeout(ctx, picturePatience)
	defer cancel()
	_, _ = network.CallEachConcurrently(ctx, accounts, func(ctx context.Context, account core.Account) (struct{}, error) {
		if err := a.downloadAvatarAndSaveProfile(ctx, t, account); err != nil {
			a.cfg.Log.WarnContext(ctx, "could not copy an account's picture", "workspace", t.WorkspaceID(),
				"account", account.ID, "network", account.Platform, "error", err)
		}
		return struct{}{}, nil
	})
}

// downloadAvatarAndSaveProfile downloads an account's picture, and stores a copy of the picture and the account's
// names. If the picture cannot be copied, it stores the names, keeps the earlier copy, and returns the error.
func (a *App) downloadAvatarAndSaveProfile(ctx context.Context, t store.Tenant, account core.Account) error {
	var avatar *string
	key, failed := a.downloadAndStoreAvatar(ctx, account)
	if failed == nil {
		avatar = &key
	}
	saving := context.WithoutCancel(ctx)
	err := t.Tx(saving, func(t store.Tenant) error {
		replaced, err := t.UpdateAccountProfile(saving, account, avatar)
		if err != nil || replaced == "" {
			return err
		}
		return t.Enqueue(saving, queue.DeleteBlobs{Keys: []string{replaced}}, a.cfg.Now().Add(keepReplacedPicture))
	})
	if err != nil {
		return fmt.Errorf("store the profile: %w", err)
	}
	return failed
}

// downloadAndStoreAvatar downloads and stores a small copy of an account's picture and returns the key of the copy, or
// "" if the account has no picture.
func (a *App) downloadAndStoreAvatar(ctx context.Context, account core.Account) (avatarKeyOrEmpty string, err error) {
	if account.AvatarURL == "" || a.cfg.Blobs == nil {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, pictureCall)
	defer cancel()
	picture, err := a.downloadPicture(ctx, account.AvatarURL)
	if err != nil {
		return "", fmt.Errorf("download the picture: %w", err)
	}
	small, err := a.intake.MakeAvatar(ctx, picture)
	if err != nil {
		return "", fmt.Errorf("make an avatar: %w", err)
	}
	key, err := a.intake.StoreAvatarIfChanged(ctx, account.Avatar, small)
	if err != nil {
		return "", fmt.Errorf("store an avatar: %w", err)
	}
	return key, nil
}

// downloadPicture downloads a profile picture from the public internet, or from the simulated networks.
func (a *App) downloadPicture(ctx context.Context, address string) ([]byte, error) {
	if a.cfg.NetworksURL != "" {
		return a.cfg.Client.DownloadSimulated(ctx, address, intake.MaxPictureBytes)
	}
	f, err := a.cfg.Fetch.Get(ctx, address, intake.MaxPictureBytes)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // everything has been read
	return io.ReadAll(f)
}
