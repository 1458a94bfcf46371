package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Purposes of signed addresses. Each has its own key, so that an address for one purpose is not valid for another.
const (
	purposeUpload    = "media/upload"
	purposeFile      = "media/file"
	purposeThumbnail = "media/thumbnail"
	purposeJPEG      = "media/jpeg"   // the JPEG that is sent in place of a file
	PurposeSource    = "media/source" // seals the address from which a file is downloaded
)

// addressTime is the minimum time for which an address is valid. All addresses of a file that are signed in the same
// period of this length are equal, so browsers and proxies can cache the file.
const addressTime = 24 * time.Hour

// thumbnailName is the last part of every thumbnail's address.
const thumbnailName = "thumbnail.jpg"

// gateWait is how long a request for a file waits for its gate to open, and gatePoll is how often the gate is checked.
const (
	gateWait = 15 * time.Second
	gatePoll = 100 * time.Millisecond
)

// FileURL returns a signed address of a file's bytes or, if jpeg is not nil, of the JPEG that is sent in its place. A
// request to the address is held until the gate with the name heldUntilGate is open; "" means no gate.
func (s *Service) FileURL(ws core.WorkspaceID, m store.Media, jpeg *core.Conversion, heldUntilGate string) string {
	if jpeg != nil {
		return s.signURL(purposeJPEG, ws, m.ID, jpeg.String()+" "+heldUntilGate, "file.jpg")
	}
	return s.signURL(purposeFile, ws, m.ID, heldUntilGate, "file"+extensions[m.Mime])
}

// ThumbnailURL returns a signed address of a file's thumbnail.
func (s *Service) ThumbnailURL(ws core.WorkspaceID, m store.Media) string {
	return s.signURL(purposeThumbnail, ws, m.ID, "", thumbnailName)
}

// signURL returns a signed address of a file. The path of the address ends with fileName. A token that is signed for
// one purpose is not valid for another. The token also covers extra.
func (s *Service) signURL(purpose string, ws core.WorkspaceID, id core.MediaID, extra, fileName string) string {
	until := s.cfg.Now().Truncate(addressTime).Add(2 * addressTime)
	return s.cfg.MediaURL + contract.FilePath + s.signToken(purpose, ws, id, extra, until) + "/" + fileName
}

func (s *Service) signToken(
	purpose string, ws core.WorkspaceID, id core.MediaID, extra string, until time.Time,
) string {
	return s.cfg.Ring.Sign(purpose, []byte(strings.TrimSpace(ws.String()+" "+id.String()+" "+extra)), until)
}

// verifyToken returns the file for which a token was signed, the extra text that was signed, and access to the data of
// the file's workspace. The token is the only credential. The errors are secret.ErrSigned and, with the same results as
// for a valid token, secret.ErrExpired.
func (s *Service) verifyToken(purpose, token string) (t store.Tenant, id core.MediaID, extra string, err error) {
	payload, err := s.cfg.Ring.Verify(purpose, token, s.cfg.Now())
	if err != nil && !errors.Is(err, secret.ErrExpired) {
		return t, id, "", err
	}
	workspace, rest, _ := strings.Cut(string(payload), " ")
	media, extra, _ := strings.Cut(rest, " ")
	ws, workspaceErr := core.ParseID[core.WorkspaceKind](workspace)
	id, mediaErr := core.ParseID[core.MediaKind](media)
	return s.tenant(ws), id, extra, errors.Join(err, workspaceErr, mediaErr)
}

// waitForGate waits until the gate is open. After gateWait, it returns not_found, so that the network that requests the
// file rejects the post.
func (s *Service) waitForGate(ctx context.Context, t store.Tenant, gateName string) error {
	ctx, cancel := context.WithTimeout(ctx, gateWait)
	defer cancel()
	for {
		open, err := t.IsGateOpen(ctx, gateName)
		switch {
		case ctx.Err() != nil:
			return core.NotFound().WithCause(ctx.Err())
		case err != nil || open:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(gatePoll):
		}
	}
}

// extensions are the file name extensions of the accepted formats; some networks require them.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif",
	"video/mp4": ".mp4", "video/quicktime": ".mov",
}

// File is an open file to serve. The caller closes Content.
type File struct {
	Content  io.ReadSeekCloser
	Name     string
	Mime     string
	Tag      string // identifies the bytes, for an ETag
	Modified time.Time
}

// signedFile is what the token of an address was signed for.
type signedFile struct {
	tenant  store.Tenant
	id      core.MediaID
	purpose string
	jpeg    *core.Conversion // of purposeJPEG
	gate    string
}

// verifyFileToken verifies the token of FileURL or ThumbnailURL. It returns not_found if the token was not signed by
// this service or has expired.
func (s *Service) verifyFileToken(token string) (f signedFile, err error) {
	for _, f.purpose = range []string{purposeFile, purposeThumbnail, purposeJPEG} {
		if f.tenant, f.id, f.gate, err = s.verifyToken(f.purpose, token); !errors.Is(err, secret.ErrSigned) {
			break
		}
	}
	switch {
	case errors.Is(err, secret.ErrSigned), errors.Is(err, secret.ErrExpired):
		return f, core.NotFound()
	case err != nil || f.purpose != purposeJPEG:
		return f, err
	}
	size, gate, _ := strings.Cut(f.gate, " ")
	jpeg, err := core.ParseConversion(size)
	f.jpeg, f.gate = &jpeg, gate
	return f, err
}

// AwaitGateAndOpenFile opens the file or thumbnail of a signed address, after waiting for the address's gate, if it has
// one. It returns not_found if the address was not signed by this service, has expired, or has a gate that does not
// open in time. It also returns not_found if the bytes have been deleted.
func (s *Service) AwaitGateAndOpenFile(ctx context.Context, token string) (File, error) {
	signed, err := s.verifyFileToken(token)
	if err != nil {
		return File{}, err
	}
	if signed.gate != "" {
		if err := s.waitForGate(ctx, signed.tenant, signed.gate); err != nil {
			return File{}, err
		}
	}
	m, err := signed.tenant.Media(ctx, signed.id)
	if err != nil {
		return File{}, err
	}
	f := File{Name: m.Name, Mime: m.Mime, Modified: m.CreatedAt}
	switch signed.purpose {
	case purposeThumbnail:
		f.Name, f.Mime, m.Blob = thumbnailName, "image/jpeg", m.Thumbnail
	case purposeJPEG:
		f.Name, f.Mime = m.Name+".jpg", "image/jpeg"
		f.Tag = "-" + signed.jpeg.String()
	}
	// Bytes are never served before they have been examined.
	if f.Content, err = s.OpenOriginalOrMakeJPEG(ctx, m, signed.jpeg); errors.Is(err, blob.ErrNotFound) {
		return File{}, core.NotFound().WithCause(err) // perhaps deleted after the row was read
	}
	if err != nil {
		return File{}, fmt.Errorf("open media %s: %w", signed.id, err)
	}
	f.Tag = m.Blob[len(m.Blob)-16:] + f.Tag
	return f, nil
}
