package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// requestSource is a client address with its limit.
type requestSource struct {
	address    string
	limit      int
	partLength time.Duration
}

// arrival is a request to be counted. keyHash is "" if it has no API key.
type arrival struct {
	source  requestSource
	keyHash string
}

// arrivalResult holds the count and the API key of a request. The request may be counted only once count is called.
type arrivalResult struct {
	count  func() (RateCount, error)
	holder KeyHolder
	keyErr error
}

// countArrivalsAndFindKeys counts requests with countFast and finds their API keys, in one round trip. The requests of
// an address that countFast did not count are counted together by the first of them that calls count.
func (s *Store) countArrivalsAndFindKeys(ctx context.Context, arrived []arrival) []arrivalResult {
	results := make([]arrivalResult, len(arrived))
	bySource, byKey := map[requestSource][]*arrivalResult{}, map[string][]*arrivalResult{}
	for i, a := range arrived {
		c := &results[i]
		bySource[a.source] = append(bySource[a.source], c)
		if c.keyErr = ErrNotFound; a.keyHash != "" {
			byKey[a.keyHash] = append(byKey[a.keyHash], c)
		}
	}
	var batch pgx.Batch
	for source, sent := range bySource {
		s.queueFastCount(ctx, &batch, source, sent)
	}
	for hash, sent := range byKey {
		queueKeyLookup(&batch, hash, sent)
	}
	if err := s.q.SendBatch(ctx, &batch).Close(); err != nil {
		failed := arrivalResult{count: func() (RateCount, error) { return RateCount{}, err }, keyErr: err}
		return slices.Repeat([]arrivalResult{failed}, len(arrived))
	}
	return results
}

// queueFastCount adds countFast to the batch, for the requests of one source.
func (s *Store) queueFastCount(ctx context.Context, batch *pgx.Batch, source requestSource, sent []*arrivalResult) {
	n := len(sent)
	batch.Queue(countFast, namedArgs{
		"address": source.address, "n": n, "step": source.partLength.Microseconds(), "limit": source.limit,
	}).Query(func(rows pgx.Rows) error {
		row, err := queryValue[fastCountRow](rows, nil)
		counts := sync.OnceValues(func() ([]RateCount, error) {
			if err == nil {
				return grantedCounts(n, source.limit-row.Total+n, partExpiresAt(row.Oldest, source.partLength).Sub(row.Now)), nil
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), combinedTime)
			defer cancel()
			return s.countRequestsUpToLimit(ctx, source, n)
		})
		for i, c := range sent {
			c.count = func() (RateCount, error) {
				all, err := counts()
				if err != nil {
					return RateCount{}, err
				}
				return all[i], nil
			}
		}
		return nilIfNotFound(err)
	})
}

// queueKeyLookup adds to the batch the lookup of the API key that some requests have.
func queueKeyLookup(batch *pgx.Batch, keyHash string, sent []*arrivalResult) {
	batch.Queue(keyHolder, namedArgs{"hash": []byte(keyHash)}).Query(func(rows pgx.Rows) error {
		holder, err := queryValue[KeyHolder](rows, nil)
		for _, c := range sent {
			c.holder, c.keyErr = holder, err
		}
		return nilIfNotFound(err)
	})
}

func nilIfNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
