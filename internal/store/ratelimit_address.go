package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// subWindows is the number of parts into which the window of the address limit is divided. The part in which a window
// begins counts as a whole, so no window contains too many requests, but a refusal may last one part too long.
const subWindows = 60

// windowPartLength returns the length of a part in whole microseconds, the unit of the database. It is rounded up, so
// that 60 parts are not shorter than the window.
func windowPartLength(window time.Duration) time.Duration {
	return (window/subWindows + time.Microsecond - 1).Truncate(time.Microsecond)
}

// currentPart is the number of the part that contains the time of the database's clock. A part has @step microseconds.
const currentPart = `(date_part('epoch', clock()) * 1000000)::bigint / @step`

// countFast counts @n requests of an address that stays within its limit and has already sent a request in this part,
// which is the most common case. It does not wait for a row that is locked, because others would wait with it.
const countFast = `
	UPDATE address_log SET here = here + @n
	WHERE address = (
		SELECT address FROM address_log
		WHERE address = @address AND newest = ` + currentPart + ` AND before + here + @n <= @limit
		FOR NO KEY UPDATE SKIP LOCKED)
	RETURNING before + here AS total, oldest, clock() AS now`

type fastCountRow struct {
	Total  int
	Oldest int64
	Now    time.Time
}

// ScanRow reads the columns of countFast.
func (r *fastCountRow) ScanRow(rows pgx.Rows) error {
	return rows.Scan(&r.Total, &r.Oldest, timeScanner(&r.Now))
}

// CountAddressRequestIfAllowed counts a request of a client address, unless the limit for any window of the given
// length would then be exceeded. It locks the address's row, so the count is exact across replicas. It must not be
// called in a transaction.
func (s *Store) CountAddressRequestIfAllowed(ctx context.Context, clientAddress string, limit int,
	window time.Duration,
) (RateCount, error) {
	count, _, err, _ := s.CountRequestAndFindKey(ctx, clientAddress, limit, window, nil)
	return count, err
}

// CountRequestAndFindKey counts a request as CountAddressRequestIfAllowed does and finds its API key by the hash, in
// one round trip, which it shares with the requests that arrive at the same time. keyErr is ErrNotFound if there is no
// such key, it was revoked, or its creator is no longer a member. The key counts only if countErr is nil and the
// request was allowed.
func (s *Store) CountRequestAndFindKey(ctx context.Context, clientAddress string, limit int, window time.Duration,
	keyHash []byte,
) (count RateCount, holder KeyHolder, countErr, keyErr error) {
	a, err := s.arrivals.callWithOthers(ctx, arrival{
		requestSource{clientAddress, limit, windowPartLength(window)}, string(keyHash),
	})
	if err == nil {
		count, err = a.count()
	}
	if err != nil {
		err = fmt.Errorf("count an address: %w", err)
	}
	return count, a.holder, err, a.keyErr
}

// countRequestsUpToLimit counts as many of n requests as the limit allows, and refuses the others. The address may be
// any: also one that has not sent a request in this part yet, or is at its limit. It returns n results, first those of
// the allowed requests.
func (s *Store) countRequestsUpToLimit(ctx context.Context, source requestSource, n int,
) (counts []RateCount, err error) {
	err = s.Tx(ctx, func(s *Store) error {
		row, err := queryOne[addressLogRow](s.query(ctx, `
			INSERT INTO address_log AS a (address, newest, here, before, oldest, parts)
			SELECT @address, running, 0, 0, running, array_fill(0, ARRAY[60]) FROM (SELECT `+currentPart+` AS running) AS clocks
			ON CONFLICT (address) DO UPDATE SET here = a.here -- locks it and changes nothing
			RETURNING newest, here, parts, `+currentPart+` AS running, clock() AS now`,
			args{"address": source.address, "step": source.partLength.Microseconds()}))
		if err != nil {
			return err
		}
		t := partCounts{row.Newest, append(row.Parts, row.Here)}.advanceTo(row.Running)
		remaining := max(source.limit-t.countRequests(), 0)
		granted := min(n, remaining)
		if granted > 0 {
			t.parts[subWindows] += granted
			err = s.savePartCounts(ctx, source.address, t)
		}
		reset := t.expiryOfFirstRequests(1, source.partLength).Sub(row.Now)
		refused := RateCount{
			Reset:      reset,
			RetryAfter: t.expiryOfFirstRequests(t.countRequests()-source.limit+1, source.partLength).Sub(row.Now),
		}
		counts = append(grantedCounts(granted, remaining, reset), slices.Repeat([]RateCount{refused}, n-granted)...)
		return err
	})
	return counts, err
}

// grantedCounts returns the counts of n allowed requests. Before them, remainingBefore requests were allowed.
func grantedCounts(n, remainingBefore int, reset time.Duration) []RateCount {
	counts := make([]RateCount, n)
	for i := range counts {
		counts[i] = RateCount{Granted: true, Remaining: remainingBefore - i - 1, Reset: reset}
	}
	return counts
}

func (s *Store) savePartCounts(ctx context.Context, address string, t partCounts) error {
	here := t.parts[subWindows]
	return s.exec(ctx, `
		UPDATE address_log SET newest = @newest, here = @here, before = @before, oldest = @oldest, parts = @parts
			WHERE address = @address`,
		args{
			"address": address, "newest": t.newest, "here": here, "before": t.countRequests() - here,
			"oldest": t.partOfRequest(1), "parts": t.parts[:subWindows],
		})
}

type addressLogRow struct {
	Newest  int64
	Here    int
	Parts   []int
	Running int64
	Now     time.Time
}

// partCounts are the numbers of requests in 61 consecutive parts. newest is the number of the last part.
type partCounts struct {
	newest int64
	parts  []int
}

// advanceTo returns the counts for the part that is running now. All are zero if the counts are too old, if their parts
// had another length, or if the clock was set back far. If the clock was set back a little, counting continues in the
// newest part.
func (t partCounts) advanceTo(runningPart int64) partCounts {
	ahead := runningPart - t.newest
	switch {
	case ahead > subWindows || ahead < -subWindows:
		return partCounts{runningPart, make([]int, subWindows+1)}
	case ahead <= 0:
		return t
	}
	return partCounts{runningPart, append(t.parts[ahead:len(t.parts):len(t.parts)], make([]int, ahead)...)}
}

func (t partCounts) countRequests() int {
	sum := 0
	for _, n := range t.parts {
		sum += n
	}
	return sum
}

// partOfRequest returns the number of the part in which the n-th request was counted.
func (t partCounts) partOfRequest(n int) int64 {
	for i, m := range t.parts {
		if n -= m; n <= 0 {
			return t.newest - int64(len(t.parts)-1-i)
		}
	}
	return t.newest
}

// expiryOfFirstRequests returns when the first n requests no longer count.
func (t partCounts) expiryOfFirstRequests(n int, partLength time.Duration) time.Time {
	return partExpiresAt(t.partOfRequest(n), partLength)
}

// partExpiresAt returns when a part no longer counts: once 60 other parts have passed after it.
func partExpiresAt(part int64, partLength time.Duration) time.Time {
	return time.Unix(0, (part+subWindows+1)*int64(partLength))
}
