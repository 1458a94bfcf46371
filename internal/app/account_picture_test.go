package app_test

import (
	"context"
	"errors"
	"image/jpeg"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/fetch/fetchtest"
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
	f, err := h.App.Intake().OpenAvatar(t.Context(), contract.TrimAvatarExtension(file))
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
	must(t, a.CheckAndUpdateDueAccount(t.Context(), ws.Owner.Workspace(), id))
}

func TestAConnectedAccountsPictureIsCopied(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for _, n := range h.App.ListSupportedNetworks() {
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
	if _, err := avatarOf(t, h, now); err != nil {
		t.Error(err)
	}
	if h.Jobs("discard") != 1 {
		t.Error("the bytes of the earlier copy stay")
	}
	checkAccount(t, h, h.App, ws, account)
	if h.Jobs("discard") != 1 {
		t.Error("the bytes of a copy that is in use are deleted")
	}
	list, err = h.App.ListAccounts(t.Context(), ws.Owner)
	must(t, err)
	if again := *list.Accounts[0].AvatarURL; again != *now.AvatarURL {
		t.Errorf("the same picture moves from %s to %s", *now.AvatarURL, again)
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
	_, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", signedRequest("data-deletion", person, h.Clock.Now()))
	must(t, err)
	h.WorkErasures()
	h.WorkDiscards()
	if _, err := avatarOf(t, h, account); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the copy of its picture is there: %v", err)
	}
}

// Pages that are open show the replaced copy until they are loaded again.
func TestAReplacedPictureIsDeletedAfterAnHour(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	other, err := h.App.Intake().StoreAvatarIfChanged(t.Context(), "", []byte("another picture"))
	must(t, err)
	_, err = h.Pool.Exec(t.Context(), `UPDATE accounts SET avatar = $1`, other)
	must(t, err)
	checkAccount(t, h, h.App, ws, account)
	var at time.Time
	must(t, h.Pool.QueryRow(t.Context(), `SELECT scheduled_at FROM river_job WHERE kind = 'discard'`).Scan(&at))
	if want := h.Clock.Now().Add(time.Hour); !at.Equal(want.Truncate(time.Microsecond)) {
		t.Errorf("deleted at %s, want %s", at, want)
	}
	h.WorkDiscards()
	if _, err := h.Config.Blobs.Open(t.Context(), other); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the replaced picture is there: %v", err)
	}
	list, err := h.App.ListAccounts(t.Context(), ws.Owner)
	must(t, err)
	if _, err := avatarOf(t, h, list.Accounts[0]); err != nil {
		t.Errorf("the new picture is gone: %v", err)
	}
}

// A backup of the database may be newer than that of the files.
func TestALostPictureIsCopiedAgain(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	var key string
	must(t, h.Pool.QueryRow(t.Context(), `SELECT avatar FROM accounts`).Scan(&key))
	must(t, h.Config.Blobs.Delete(t.Context(), key))
	checkAccount(t, h, h.App, ws, account)
	list, err := h.App.ListAccounts(t.Context(), ws.Owner)
	must(t, err)
	if _, err := avatarOf(t, h, list.Accounts[0]); err != nil {
		t.Errorf("the picture is gone: %v", err)
	}
}

// watchedBlobs calls before ahead of each write and each deletion of bytes.
type watchedBlobs struct {
	blob.Store
	before func()
}

func (w watchedBlobs) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	w.before()
	return w.Store.Put(ctx, key, r, size)
}

func (w watchedBlobs) Delete(ctx context.Context, key string) error {
	w.before()
	return w.Store.Delete(ctx, key)
}

// A slow bucket kept the worker's connections, so posts went out late.
func TestNoConnectionIsHeldWhileBytesAreStoredOrDeleted(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET avatar = ''`)
	must(t, err)
	calls := 0
	watched := h.Replica(func(c *app.Config) {
		c.Blobs = watchedBlobs{c.Blobs, func() {
			if calls++; h.Pool.Stat().AcquiredConns() > 0 {
				t.Error("a connection is held")
			}
		}}
	})
	checkAccount(t, h, watched, ws, account)
	must(t, watched.Intake().DeleteUnreferencedBlobsAndJPEGs(t.Context(), []string{"media/aa/unused", "avatars/aa/unused"}))
	if calls != 3 {
		t.Errorf("%d calls", calls)
	}
}
