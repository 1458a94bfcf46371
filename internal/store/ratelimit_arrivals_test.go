package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

func TestRequestsThatArriveTogetherKeepTheirOwnCountsAndKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	replica, err := store.New(w.pool)
	must(t, err)
	hashes := []string{"", "first", "second", "unknown"}
	for i, s := range []side{w.one, w.two} {
		must(t, s.AddKey(t.Context(), core.Key{
			ID: core.NewID[core.KeyKind](), Name: hashes[i+1], Scope: core.Write, Hint: "12345678", CreatedBy: s.owner,
			CreatedAt: start,
		}, []byte(hashes[i+1])))
	}
	const addresses, limit = 5, 40
	var (
		mu        sync.Mutex
		remaining = map[string][]int{}
		group     sync.WaitGroup
	)
	for i := range addresses * 2 * limit {
		address, hash := fmt.Sprintf("192.0.2.%d", i%addresses), hashes[i/addresses%len(hashes)]
		from := []*store.Store{w.Store, replica}[i%2]
		group.Go(func() {
			count, holder, countErr, keyErr := from.CountRequestAndFindKey(t.Context(), address, limit, time.Hour, []byte(hash))
			if countErr != nil {
				t.Error(countErr)
			}
			known := hash == "first" || hash == "second"
			if known && (keyErr != nil || holder.Name != hash) || !known && !errors.Is(keyErr, store.ErrNotFound) {
				t.Errorf("the key %q belongs to %+v, %v", hash, holder, keyErr)
			}
			if count.Granted {
				mu.Lock()
				defer mu.Unlock()
				remaining[address] = append(remaining[address], count.Remaining)
			}
		})
	}
	group.Wait()
	want := make([]int, limit)
	for i := range want {
		want[i] = i
	}
	for i := range addresses {
		address := fmt.Sprintf("192.0.2.%d", i)
		slices.Sort(remaining[address])
		if !slices.Equal(remaining[address], want) {
			t.Errorf("the requests of %s found %v of the limit left, want each of 0 to %d once", address, remaining[address],
				limit-1)
		}
	}
}

// A locked address held back the requests of all others that were counted with it.
func TestALockedAddressHoldsBackOnlyItsOwnRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	count := func(address string) error {
		_, err := w.CountAddressRequestIfAllowed(t.Context(), address, 100, time.Hour)
		return err
	}
	must(t, errors.Join(count("192.0.2.1"), count("192.0.2.2")))
	lock, err := w.pool.Begin(t.Context())
	must(t, err)
	_, err = lock.Exec(t.Context(), `SELECT FROM address_log WHERE address = '192.0.2.1' FOR UPDATE`)
	must(t, err)
	held := make(chan error, 1)
	go func() { held <- count("192.0.2.1") }()
	if w.ends(t, make(chan struct{})) {
		t.Error("the request of the locked address does not wait")
	}
	for range 10 {
		must(t, count("192.0.2.2"))
	}
	must(t, lock.Rollback(t.Context()))
	must(t, <-held)
}

func TestRequestsThatCannotBeCountedFailAndUseUpNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const at, limit = "192.0.2.1", 40
	for _, change := range []string{"", "ALTER TABLE address_log RENAME TO gone", "ALTER TABLE gone RENAME TO address_log"} {
		_, err := w.pool.Exec(t.Context(), change)
		must(t, err)
		fails := strings.HasSuffix(change, "gone")
		var group sync.WaitGroup
		for range limit / 2 {
			group.Go(func() {
				count, _, countErr, keyErr := w.CountRequestAndFindKey(t.Context(), at, limit, time.Hour, []byte("none"))
				if (countErr != nil) != fails || count.Granted == fails || errors.Is(keyErr, store.ErrNotFound) == fails {
					t.Errorf("after %q: %+v, %v, %v", change, count, countErr, keyErr)
				}
			})
		}
		group.Wait()
	}
}
