package intake

import (
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// Purposes of signed addresses. Each has its own key, so that an address for one purpose is not valid for another.
const (
	purposeUpload    = "media/upload"
	purposeFile      = "media/file"
	purposeThumbnail = "media/thumbnail"
	PurposeSource    = "media/source" // seals where a file is fetched from
)

// addressTime is the minimum time for which an address is valid. All addresses of a file signed within this time are
// the same, so that browsers and proxies can cache them.
const addressTime = 24 * time.Hour

// thumbnailName is the last part of every thumbnail's address.
const thumbnailName = "thumbnail.jpg"

// FileURL returns a signed address for a file's bytes.
func (s *Service) FileURL(ws core.WorkspaceID, m store.Media) string {
	return s.signedURL(purposeFile, ws, m.ID, "file"+extensions[m.Mime])
}

// ThumbnailURL returns a signed address for a file's thumbnail.
func (s *Service) ThumbnailURL(ws core.WorkspaceID, m store.Media) string {
	return s.signedURL(purposeThumbnail, ws, m.ID, thumbnailName)
}

func (s *Service) signedURL(purpose string, ws core.WorkspaceID, id core.MediaID, name string) string {
	until := s.cfg.Now().Truncate(addressTime).Add(2 * addressTime)
	return s.cfg.MediaURL + contract.FilePath + s.signToken(purpose, ws, id, until) + "/" + name
}

func (s *Service) signToken(purpose string, ws core.WorkspaceID, id core.MediaID, until time.Time) string {
	return s.cfg.Ring.Sign(purpose, []byte(ws.String()+" "+id.String()), until)
}

// verifyToken returns the file that a token was signed for. The token is the credential: the errors are
// secret.ErrSigned and secret.ErrExpired.
func (s *Service) verifyToken(purpose, token string) (store.Tenant, core.MediaID, error) {
	payload, err := s.cfg.Ring.Verify(purpose, token, s.cfg.Now())
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
	return s.tenant(ws), id, nil
}

// extensions are the file name extensions of the accepted formats; some networks require them.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif",
	"video/mp4": ".mp4", "video/quicktime": ".mov",
}
