package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// MediaClaim is the right to store or examine a file's bytes. Only the claim with the newest epoch gives this right,
// and only until its lease ends.
type MediaClaim struct {
	ID    core.MediaID
	Epoch int64
}

// ClaimMedia claims a file that has the required status. It returns false if another worker has claimed the file, or if
// the file has another status.
func (t Tenant) ClaimMedia(
	ctx context.Context, id core.MediaID, requiredStatus core.MediaStatus, lease time.Duration,
) (claim MediaClaim, claimed bool, err error) {
	epochs, err := queryValues[int64](t.query(ctx, `
		UPDATE media SET lease_epoch = lease_epoch + 1, lease_until = clock() + @lease::interval,
			next_at = greatest(expires_at, clock() + @lease::interval)
		WHERE workspace_id = @ws AND id = @id AND status = @in AND deleted_at IS NULL
			AND `+unleased+`
		RETURNING lease_epoch`, args{"id": id, "in": requiredStatus, "lease": lease}))
	if err != nil || len(epochs) == 0 {
		return MediaClaim{}, false, err
	}
	return MediaClaim{id, epochs[0]}, true, nil
}

// RenewMediaClaim extends a claim: the lease begins again now. It returns false if the claim was lost.
func (t Tenant) RenewMediaClaim(ctx context.Context, c MediaClaim, lease time.Duration) (held bool, err error) {
	return t.execChanged(ctx, `
		UPDATE media SET lease_until = clock() + @lease::interval, next_at = greatest(expires_at,
			clock() + @lease::interval)
		WHERE workspace_id = @ws AND id = @id AND lease_epoch = @epoch AND lease_until IS NOT NULL AND deleted_at IS NULL`,
		args{"id": c.ID, "epoch": c.Epoch, "lease": lease})
}

// ReleaseMediaClaimIfHeld ends a claim. The file becomes due (ListAndPostponeDueMedia) after retryAfter, but not before
// its reservation expires. countFailure says whether the attempt counts as failed. If the claim was lost,
// ReleaseMediaClaimIfHeld does nothing.
func (t Tenant) ReleaseMediaClaimIfHeld(ctx context.Context, c MediaClaim, retryAfter time.Duration,
	countFailure bool,
) error {
	return t.exec(ctx, `
		UPDATE media SET lease_until = NULL, next_at = greatest(expires_at, clock() + @again::interval),
			tries = tries + CASE WHEN @failed THEN 1 ELSE 0 END
		WHERE workspace_id = @ws AND id = @id AND lease_epoch = @epoch AND lease_until IS NOT NULL`,
		args{"id": c.ID, "epoch": c.Epoch, "again": retryAfter, "failed": countFailure})
}

// SaveDownloadInfo stores what is known about a file during its download: name, kind, size and charged bytes. It
// returns false if the claim was lost.
func (t Tenant) SaveDownloadInfo(ctx context.Context, c MediaClaim, m Media) (held bool, err error) {
	return t.execChanged(ctx, `
		UPDATE media SET original_name = @name, kind = @kind, size = @size, charged = @charged
		WHERE workspace_id = @ws AND id = @id AND lease_epoch = @epoch AND lease_until IS NOT NULL AND deleted_at IS NULL`,
		args{"id": c.ID, "epoch": c.Epoch, "name": m.Name, "kind": m.Kind, "size": m.Bytes, "charged": m.Charged})
}

// CountActiveDownloads returns the number of the workspace's downloads in progress.
func (t Tenant) CountActiveDownloads(ctx context.Context) (int, error) {
	return queryValue[int](t.query(ctx, `
		SELECT count(*) FROM media
		WHERE workspace_id = @ws AND status = 'uploading' AND source IS NOT NULL AND deleted_at IS NULL
			AND lease_until > clock()`, nil))
}

// MediaChange is a move of a file with the resulting facts.
type MediaChange struct {
	core.MediaMove
	FailReason string
	Facts      core.FileFacts
	Charged    int64 // bytes that count toward the storage from now on
	Blob       string
	Thumbnail  string
	Next       time.Time // when the file becomes due (ListAndPostponeDueMedia); zero for never
}

// ChangeMediaStateAndEndClaim makes a move of a file that the caller has locked, updates the used storage, and ends any
// claim. It returns false if the file's state has changed or the claim was lost. If claimEpochOrZero is 0, it also
// returns false if anybody has a claim.
func (t Tenant) ChangeMediaStateAndEndClaim(ctx context.Context, m Media, claimEpochOrZero int64,
	change MediaChange,
) (changed bool, err error) {
	f := change.Facts
	changed, err = t.execChanged(ctx, `
		UPDATE media SET status = @to, fail_reason = @reason, kind = @kind, mime = @mime, size = @size,
			width = @width, height = @height,
			duration_ms = @duration, fps = @fps, video_codec = @video, audio_codec = @audio,
			audio_rate = @audio_rate, audio_channels = @channels, bit_rate = @rate, frames = @frames,
			convertible = @convertible,
			blob = @blob, thumbnail = @thumbnail, source = NULL, expires_at = NULL,
			lease_epoch = lease_epoch + 1, lease_until = NULL,
			tries = 0, next_at = @next
		WHERE workspace_id = @ws AND id = @id AND status = @from AND deleted_at IS NULL
			AND (@epoch = 0 AND `+unleased+`
				OR lease_epoch = @epoch AND lease_until IS NOT NULL)`,
		args{
			"id": m.ID, "epoch": claimEpochOrZero, "from": change.From, "to": change.To, "reason": change.FailReason,
			"kind": f.Kind, "mime": f.Mime,
			"size": f.Bytes, "width": f.Width, "height": f.Height, "duration": f.DurationMs, "fps": f.FPS, "video": f.VideoCodec,
			"audio": f.AudioCodec, "audio_rate": f.AudioRate, "channels": f.AudioChannels, "rate": f.BitRate,
			"frames": f.Frames, "convertible": f.Convertible, "blob": change.Blob, "thumbnail": change.Thumbnail,
			"next": change.Next,
		})
	if err != nil || !changed {
		return false, err
	}
	return true, t.setChargedBytes(ctx, m, change.Charged)
}

// DueMedia is a file with pending work.
type DueMedia struct {
	Workspace core.WorkspaceID
	ID        core.MediaID
	Status    core.MediaStatus
	Fetched   bool // it is downloaded from an address, not uploaded
}

// ListAndPostponeDueMedia lists files that are due, and postpones them by postponeBy, so that they are not listed again
// before they can be handled.
func (s *Store) ListAndPostponeDueMedia(ctx context.Context, postponeBy time.Duration, limit int) ([]DueMedia, error) {
	return queryMany[DueMedia](s.query(ctx, `
		WITH due AS (
			SELECT workspace_id, id FROM media WHERE next_at <= clock()
			ORDER BY next_at LIMIT @limit FOR NO KEY UPDATE SKIP LOCKED
		)
		UPDATE media m SET next_at = clock() + @patience::interval FROM due
		WHERE m.workspace_id = due.workspace_id AND m.id = due.id
		RETURNING m.workspace_id AS workspace, m.id, m.status, m.source IS NOT NULL AS fetched`,
		args{"patience": postponeBy, "limit": limit}))
}
