package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// SealedColumn is a column with encrypted values that are stored for a long time. The values of consents and
// revocations are encrypted too, but are deleted within a day.
type SealedColumn struct {
	Table, Column string
	key           string // the column to which the value is bound
	free          string // the condition under which a row can be changed
}

// The encrypted columns.
var (
	SealedTokens = SealedColumn{
		"accounts", "token", "id",
		// Renewing a token moves this date by the lease, and then replaces the token only if it has not changed.
		"(token_refresh_at IS NULL OR token_refresh_at <= clock() OR token_refresh_at > clock() + @lease::interval)",
	}
	SealedSources = SealedColumn{"media", "source", "id", "@lease::interval IS NOT NULL"}
	SealedHandles = SealedColumn{"publications", "handle", "post_id", "@lease::interval IS NOT NULL"}
	SealedMails   = SealedColumn{"mails", "sealed", "id", "@lease::interval IS NOT NULL"}
)

// SealedValue is an encrypted value, with the row to which it is bound.
type SealedValue[K core.Kind] struct {
	ID        core.ID[K]
	Workspace core.WorkspaceID
	Sealed    []byte
}

// SealedValuesWithoutPrefix lists up to limit values of a column that do not begin with prefix, in the order of their
// ids. It lists only ids after afterID.
func SealedValuesWithoutPrefix[K core.Kind](ctx context.Context, s *Store, c SealedColumn, prefix []byte,
	afterID core.ID[K], limit int,
) ([]SealedValue[K], error) {
	return queryMany[SealedValue[K]](s.query(ctx, `
		SELECT `+c.key+` AS id, workspace_id AS workspace, `+c.Column+` AS sealed FROM `+c.Table+`
		WHERE (@after::uuid IS NULL OR `+c.key+` > @after) AND length(`+c.Column+`) > 2 AND substring(`+c.Column+
		` FROM 1 FOR length(@head::bytea)) <> @head::bytea
		ORDER BY `+c.key+` LIMIT @limit`, args{"head": prefix, "after": afterID, "limit": limit}))
}

// ReplaceSealedIfUnchanged replaces an encrypted value. It does nothing, and returns false, if the value in the row has
// changed or is being renewed, which takes at most renewalLease.
func ReplaceSealedIfUnchanged[K core.Kind](ctx context.Context, s *Store, c SealedColumn, old SealedValue[K],
	sealed []byte, renewalLease time.Duration,
) (replaced bool, err error) {
	return s.execChanged(ctx, `
		UPDATE `+c.Table+` SET `+c.Column+` = @sealed WHERE `+c.key+` = @id AND `+c.Column+` = @old AND `+c.free,
		args{"id": old.ID, "old": old.Sealed, "sealed": sealed, "lease": renewalLease})
}

// CountSealedBySecretKey counts all encrypted values, by the id of the secret key that encrypted them.
func (s *Store) CountSealedBySecretKey(ctx context.Context) (map[string]int64, error) {
	// The head of a sealed value is its format, the length of the key's id and the id.
	return queryMap[string, int64](s.query(ctx, `
		SELECT convert_from(substring(sealed FROM 3 FOR get_byte(sealed, 1)), 'UTF8'), count(*) FROM (
			SELECT token AS sealed FROM accounts UNION ALL SELECT source FROM media WHERE length(source) > 2
			UNION ALL SELECT handle FROM publications WHERE length(handle) > 2
			UNION ALL SELECT verifier FROM connections UNION ALL SELECT profiles FROM connections
			UNION ALL SELECT token FROM revocations UNION ALL SELECT sealed FROM mails
		) AS values WHERE length(sealed) > 2 GROUP BY 1`, nil))
}
