package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// subWindows is into how many parts the window of the address limit is cut. The part in which a window
// begins is counted whole, as one more: no window ever holds too many, and a request may be refused for
// one part longer than need be.
const subWindows = 60

// subWindow is the length of one part: whole microseconds, as the database counts, and 60 of them no
// shorter than the window.
func subWindow(window time.Duration) time.Duration {
	return (window/subWindows + time.Microsecond - 1).Truncate(time.Microsecond)
}

// part numbers the part of @step microseconds that the database's clock is in.
const currentPart = `(date_part('epoch', clock()) * 1000000)::bigint / @step`

// countAgain counts a request of an address that has called in this part already and is below its limit:
// all but the first of a part go this way.
const countAgain = `
	UPDATE address_log SET here = here + 1
	WHERE address = @address AND newest = ` + currentPart + ` AND before + here < @limit
	RETURNING before + here AS total, oldest, clock() AS now`

// CountAddress counts a request of a client address, unless that would make more than limit in any window
// of the given length. The address's row is locked meanwhile, so replicas count exactly together.
func (s *Store) CountAddress(ctx context.Context, address string, limit int, window time.Duration) (Count, error) {
	step := subWindow(window)
	row, err := queryValue[addressRow](s.query(ctx, countAgain, args{"address": address, "step": step.Microseconds(), "limit": limit}))
	return s.finishCount(ctx, row, err, address, limit, step)
}

// CountAndFind counts a request as CountAddress does and finds the key it brought by its hash, on one way to the
// database and back. A revoked key is not_found, and so is one whose maker is no longer a member: the row goes
// with the membership. The key's error is the second; it says nothing when the first is there, or when the
// request was not granted.
func (s *Store) CountAndFind(ctx context.Context, address string, limit int, window time.Duration,
	hash []byte,
) (Count, KeyHolder, error, error) {
	step := subWindow(window)
	batch := &pgx.Batch{}
	batch.Queue(countAgain, namedArgs{"address": address, "step": step.Microseconds(), "limit": limit})
	batch.Queue(keyHolder, namedArgs{"hash": hash})
	results := s.q.SendBatch(ctx, batch)
	row, countErr := queryValue[addressRow](results.Query())
	holder, keyErr := queryValue[KeyHolder](results.Query())
	if err := results.Close(); err != nil && countErr == nil {
		countErr = err
	}
	count, err := s.finishCount(ctx, row, countErr, address, limit, step)
	return count, holder, err, keyErr
}

type addressRow struct {
	Total  int
	Oldest int64
	Now    time.Time
}

// ScanRow reads the columns of countAgain.
func (r *addressRow) ScanRow(rows pgx.Rows) error {
	return rows.Scan(&r.Total, &r.Oldest, timeTo(&r.Now))
}

// finishCount reads what countAgain came to, and counts the request where that did not.
func (s *Store) finishCount(ctx context.Context, row addressRow, err error, address string, limit int,
	step time.Duration,
) (c Count, _ error) {
	if err == nil {
		return Count{Granted: true, Remaining: limit - row.Total, Reset: expiresAt(row.Oldest, step).Sub(row.Now)}, nil
	}
	if errors.Is(err, ErrNotFound) {
		err = s.Tx(ctx, func(s *Store) (err error) {
			c, err = s.countFirst(ctx, address, limit, step)
			return err
		})
	}
	if err != nil {
		return Count{}, fmt.Errorf("count an address: %w", err)
	}
	return c, nil
}

// countFirst counts a request whose address has not called in this part yet, or is at its limit.
func (s *Store) countFirst(ctx context.Context, address string, limit int, step time.Duration) (Count, error) {
	row, err := queryOne[tallyRow](s.query(ctx, `
		INSERT INTO address_log AS a (address, newest, here, before, oldest, parts)
		SELECT @address, running, 0, 0, running, array_fill(0, ARRAY[60]) FROM (SELECT `+currentPart+` AS running) AS clocks
		ON CONFLICT (address) DO UPDATE SET here = a.here -- locks it and changes nothing
		RETURNING newest, here, parts, `+currentPart+` AS running, clock() AS now`,
		args{"address": address, "step": step.Microseconds()}))
	if err != nil {
		return Count{}, err
	}
	t := tally{row.Newest, append(row.Parts, row.Here)}.advanceTo(row.Running)
	if n := t.countRequests(); n >= limit {
		return Count{Reset: t.freesAt(1, step).Sub(row.Now), RetryAfter: t.freesAt(n-limit+1, step).Sub(row.Now)}, nil
	}
	t.parts[subWindows]++
	here := t.parts[subWindows]
	err = s.exec(ctx, `
		UPDATE address_log SET newest = @newest, here = @here, before = @before, oldest = @oldest, parts = @parts
			WHERE address = @address`,
		args{
			"address": address, "newest": t.newest, "here": here, "before": t.countRequests() - here, "oldest": t.partOfRequest(1),
			"parts": t.parts[:subWindows],
		})
	return Count{Granted: true, Remaining: limit - t.countRequests(), Reset: t.freesAt(1, step).Sub(row.Now)}, err
}

type tallyRow struct {
	Newest  int64
	Here    int
	Parts   []int
	Running int64
	Now     time.Time
}

// tally is how many requests there were in each of 61 parts, the last of which has the number newest.
type tally struct {
	newest int64
	parts  []int
}

// advanceTo is the tally in the running part. Nothing is left of it when it is too old, or of another
// step, or from before the clock was set back; a clock set back a little goes on in the newest part.
func (t tally) advanceTo(running int64) tally {
	ahead := running - t.newest
	switch {
	case ahead > subWindows || ahead < -subWindows:
		return tally{running, make([]int, subWindows+1)}
	case ahead <= 0:
		return t
	}
	return tally{running, append(t.parts[ahead:len(t.parts):len(t.parts)], make([]int, ahead)...)}
}

func (t tally) countRequests() int {
	sum := 0
	for _, n := range t.parts {
		sum += n
	}
	return sum
}

// partOfRequest is the number of the part by which there had been n requests.
func (t tally) partOfRequest(n int) int64 {
	for i, m := range t.parts {
		if n -= m; n <= 0 {
			return t.newest - int64(len(t.parts)-1-i)
		}
	}
	return t.newest
}

// freesAt is when the first n requests count no more.
func (t tally) freesAt(n int, step time.Duration) time.Time {
	return expiresAt(t.partOfRequest(n), step)
}

// expiresAt is when a part counts no more: once the one that is as far ahead of it as all the others has
// begun.
func expiresAt(part int64, step time.Duration) time.Time {
	return time.Unix(0, (part+subWindows+1)*int64(step))
}
