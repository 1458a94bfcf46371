package app_test

import (
	"context"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/fetch/fetchtest"
	"belfry/internal/media/mediatest"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// avatarOf reads our copy of an account's picture.
func avatarOf(t *testing.T, h *apptest.Harness, account contract.Account) (side int, err error) {
	t.Helper()
	if account.AvatarURL == nil {
		return 0, core.NotFound()
	}
	file, ok := strings.CutPrefix(*account.AvatarURL, apptest.PublicURL+contract.AvatarPath)
	if !ok {
		t.Fatalf("the picture is at %s", *account.AvatarURL)
	}
	f, err := h.App.Intake().OpenAvatar(t.Context(), contract.AvatarName(file))
	if err != nil {
		return 0, err
	}
	defer f.Content.Close()
	picture, err := jpeg.Decode(f.Content)
	must(t, err)
	if picture.Bounds().Dx() != picture.Bounds().Dy() {
		t.Errorf("the copy is %v", picture.Bounds())
	}
	return picture.Bounds().Dx(), nil
}

func checkAccount(t *testing.T, h *apptest.Harness, a *app.App, ws *apptest.Workspace, account contract.Account) {
	t.Helper()
	id, err := core.ParseID[core.AccountKind](account.ID)
	must(t, err)
	_, err = h.Pool.Exec(t.Context(), `UPDATE accounts SET check_at = clock() WHERE id = $1`, id)
	must(t, err)
	must(t, a.CheckDueAccount(t.Context(), ws.Owner.Workspace(), id))
}

func TestAConnectedAccountsPictureIsCopied(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for _, n := range h.App.ListNetworks() {
		connected := ws.Account(string(n.ID))
		if side, err := avatarOf(t, h, connected); err != nil || side != 96 {
			t.Errorf("%s: the picture has %d pixels: %v", n.Name, side, err)
		}
		list, err := h.App.ListAccounts(t.Context(), ws.Owner)
		must(t, err)
		if last := list.Accounts[len(list.Accounts)-1]; *last.AvatarURL != *connected.AvatarURL {
			t.Errorf("%s: connected with %s, listed with %s", n.Name, *connected.AvatarURL, *last.AvatarURL)
		}
	}
}

func TestAnAccountsCheckReadsItsNamesAndPictureAgain(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET username = 'old', display_name = 'Old name', avatar = 'avatars/old'`)
	must(t, err)
	checkAccount(t, h, h.App, ws, account)
	list, err := h.App.ListAccounts(t.Context(), ws.Owner)
	must(t, err)
	now := list.Accounts[0]
	if now.DisplayName != account.DisplayName || *now.Username != *account.Username {
		t.Errorf("the account is called %s, @%s", now.DisplayName, *now.Username)
	}
	if _, err := avatarOf(t, h, now); err != nil || *now.AvatarURL != *account.AvatarURL {
		t.Errorf("the picture is at %s: %v", *now.AvatarURL, err)
	}
	if h.Jobs("discard") != 1 {
		t.Error("the bytes of the earlier copy stay")
	}
	checkAccount(t, h, h.App, ws, account)
	if h.Jobs("discard") != 1 {
		t.Error("the bytes of a copy that is in use are deleted")
	}
}

// At the real networks, an answer may name any address for the picture.
func TestAPictureIsFetchedFromPublicAddressesOnly(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	world := fetchtest.New(t, func(http.ResponseWriter, *http.Request) { t.Error("a private address was asked") })
	world.Names["www.threads.net"] = []string{"10.0.0.7"}
	public := h.Replica(onWorld(world), func(c *app.Config) { c.NetworksURL = "" })
	checkAccount(t, h, public, ws, account)
	if dials := world.Dials(); len(dials) != 0 {
		t.Errorf("dialed %v", dials)
	}
	if side, err := avatarOf(t, h, account); err != nil || side == 0 {
		t.Errorf("the earlier copy is gone: %v", err)
	}
}

func TestThePictureOfAnErasedAccountIsDeleted(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("facebook", "Harbour Bakery")
	_, err := h.App.HandleNetworkCallback(t.Context(), "facebook", signedRequest("data-deletion", person, h.Clock.Now()))
	must(t, err)
	h.WorkErasures()
	h.WorkDiscards()
	if _, err := avatarOf(t, h, account); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the copy of its picture is there: %v", err)
	}
}

// A network shows picture A, then B, then A again, before a worker has deleted the copy of the first A.
func TestAPictureThatComesBackBeforeItsDeletionIsKept(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	var key string
	must(t, h.Pool.QueryRow(t.Context(), `SELECT avatar FROM accounts`).Scan(&key))
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET avatar = 'avatars/another'`)
	must(t, err)
	must(t, h.Store.Tx(t.Context(), func(s *store.Store) error {
		return s.EnqueueMany(t.Context(), []queue.Job{queue.DeleteBlobs{Keys: []string{key}}})
	}))
	checkAccount(t, h, h.App, ws, account)
	h.WorkDiscards()
	if _, err := avatarOf(t, h, account); err != nil {
		t.Errorf("the picture is gone: %v", err)
	}
}

func TestTheDeletionOfAPictureWaitsForThoseWhoStoreIt(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	id, err := core.ParseID[core.AccountKind](account.ID)
	must(t, err)
	small, err := h.App.Intake().MakeAvatar(t.Context(), mediatest.JPEG(64, 64))
	must(t, err)
	var key string
	deleted := make(chan error, 1)
	must(t, h.Store.In(ws.Owner.Workspace()).Tx(t.Context(), func(s store.Tenant) (err error) {
		if key, err = h.App.Intake().StoreAvatar(t.Context(), s, id, small); err != nil {
			return err
		}
		go func() { deleted <- h.App.Intake().DeleteBlobs(t.Context(), []string{key}) }()
		for waits := false; !waits; {
			if len(deleted) > 0 {
				t.Error("the bytes were deleted before their account's row had their key")
				break
			}
			must(t, h.Pool.QueryRow(t.Context(),
				`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		}
		_, err = s.UpdateAccountProfile(t.Context(), core.Account{ID: id}, &key)
		return err
	}))
	must(t, <-deleted)
	if _, err := h.Config.Blobs.Open(t.Context(), key); err != nil {
		t.Errorf("the picture is gone: %v", err)
	}
}

// deletions calls before ahead of each deletion of bytes.
type deletions struct {
	blob.Store
	before func()
}

func (d deletions) Delete(ctx context.Context, key string) error {
	d.before()
	return d.Store.Delete(ctx, key)
}

// A slow bucket kept the worker's connections, so posts went out late.
func TestNoConnectionIsHeldWhileTheBytesOfFilesAreDeleted(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	deleted := 0
	watched := h.Replica(func(c *app.Config) {
		c.Blobs = deletions{c.Blobs, func() {
			if deleted++; h.Pool.Stat().AcquiredConns() > 0 {
				t.Error("a connection is held")
			}
		}}
	})
	must(t, watched.Intake().DeleteBlobs(t.Context(), []string{"media/aa/unused", "thumbnails/aa/unused"}))
	if deleted != 2 {
		t.Errorf("%d deletions", deleted)
	}
}

// The names were lost with the picture when the wait for its deletion ended the transaction.
func TestAnAccountGetsItsNamesWhileItsPictureIsBeingDeleted(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	var key string
	must(t, h.Pool.QueryRow(t.Context(), `UPDATE accounts SET display_name = 'Old name' RETURNING avatar`).Scan(&key))
	must(t, h.Store.Tx(t.Context(), func(s *store.Store) error {
		if err := s.LockBlob(t.Context(), key); err != nil {
			return err
		}
		checkAccount(t, h, h.App, ws, account)
		return nil
	}))
	var name, kept string
	must(t, h.Pool.QueryRow(t.Context(), `SELECT display_name, avatar FROM accounts`).Scan(&name, &kept))
	if name != account.DisplayName || kept != key {
		t.Errorf("the account is called %q, with the picture %q instead of %q", name, kept, key)
	}
}
