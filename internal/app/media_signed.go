package app

import (
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Purposes of signed addresses of files: each is signed with a key of its own, so that none passes for
// another.
const (
	purposeUpload    = "media/upload"
	purposeFile      = "media/file"
	purposeThumbnail = "media/thumbnail"
	purposeSource    = "media/source" // seals where a file is fetched from
)

// fileAddress is how long the address of a file or a thumbnail works at least. Addresses are the same for
// a whole such time, so that browsers and proxies need not load a picture twice.
const fileAddress = 24 * time.Hour

func sign(ring *secret.Ring, purpose string, ws core.WorkspaceID, id core.MediaID, until time.Time) string {
	return ring.Sign(purpose, []byte(ws.String()+" "+id.String()), until)
}

// ofSigned finds the file that a signed address speaks for. The address is the credential: secret.ErrSigned
// and secret.ErrExpired are its errors.
func (a *App) ofSigned(purpose, token string) (store.Tenant, core.MediaID, error) {
	payload, err := a.cfg.Ring.Verify(purpose, token, a.cfg.Now())
	if err != nil {
		return store.Tenant{}, core.MediaID{}, err
	}
	workspace, media, _ := strings.Cut(string(payload), " ")
	ws, err := core.ParseID[core.WorkspaceKind](workspace)
	if err != nil {
		return store.Tenant{}, core.MediaID{}, err
	}
	id, err := core.ParseID[core.MediaKind](media)
	if err != nil {
		return store.Tenant{}, core.MediaID{}, err
	}
	t, err := a.ofMedia(ws)
	return t, id, err
}

// ofMedia is a workspace's data for work on its files that no person asks for at that moment.
func (a *App) ofMedia(ws core.WorkspaceID) (store.Tenant, error) {
	return a.enter(core.Worker(ws), core.Write)
}

// mediaURL is the address of a file's bytes, or of its thumbnail.
func (a *App) mediaURL(ws core.WorkspaceID, m store.Media, thumbnail bool) string {
	purpose, name := purposeFile, "file"+extensions[m.Mime]
	if thumbnail {
		purpose, name = purposeThumbnail, "thumbnail.jpg"
	}
	until := a.cfg.Now().Truncate(fileAddress).Add(2 * fileAddress)
	return a.cfg.MediaURL + "/media/" + sign(a.cfg.Ring, purpose, ws, m.ID, until) + "/" + name
}

// extensions are those of the formats that are taken: some networks look at them.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif", "video/mp4": ".mp4", "video/quicktime": ".mov",
}
