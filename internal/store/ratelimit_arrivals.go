package store

import (
	"context"
	"errors"
	"slices"
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

// countedArrival is the result of an arrival. countErr is ErrNotFound if countFast did not count it.
type countedArrival struct {
	count            RateCount
	holder           KeyHolder
	countErr, keyErr error
}

// countArrivals counts requests with countFast and finds their API keys, in one round trip.
func (s *Store) countArrivals(ctx context.Context, arrived []arrival) []countedArrival {
	counted := make([]countedArrival, len(arrived))
	bySource, byKey := map[requestSource][]*countedArrival{}, map[string][]*countedArrival{}
	for i, a := range arrived {
		c := &counted[i]
		bySource[a.source] = append(bySource[a.source], c)
		if c.keyErr = ErrNotFound; a.keyHash != "" {
			byKey[a.keyHash] = append(byKey[a.keyHash], c)
		}
	}
	var batch pgx.Batch
	for source, sent := range bySource {
		queueFastCount(&batch, source, sent)
	}
	for hash, sent := range byKey {
		queueKeyLookup(&batch, hash, sent)
	}
	if err := s.q.SendBatch(ctx, &batch).Close(); err != nil {
		return slices.Repeat([]countedArrival{{countErr: err, keyErr: err}}, len(arrived))
	}
	return counted
}

// queueFastCount adds countFast to the batch, for the requests of one source.
func queueFastCount(batch *pgx.Batch, source requestSource, sent []*countedArrival) {
	batch.Queue(countFast, namedArgs{
		"address": source.address, "n": len(sent), "step": source.partLength.Microseconds(), "limit": source.limit,
	}).Query(func(rows pgx.Rows) error {
		row, err := queryValue[fastCountRow](rows, nil)
		reset := partExpiresAt(row.Oldest, source.partLength).Sub(row.Now)
		for i, c := range sent {
			if c.countErr = err; err == nil {
				remaining := source.limit - row.Total + len(sent) - 1 - i
				c.count = RateCount{Granted: true, Remaining: remaining, Reset: reset}
			}
		}
		return nilIfNotFound(err)
	})
}

// queueKeyLookup adds to the batch the lookup of the API key that some requests have.
func queueKeyLookup(batch *pgx.Batch, keyHash string, sent []*countedArrival) {
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
