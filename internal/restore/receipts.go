// Package restore prevents a restored database from publishing posts again if they were published after the backup.
// Receipts stores a receipt of each publishing call with the files, outside the database, and a mark that says how far
// the ledger had progressed. Guard compares them with the database, and holds publishing if they are ahead of it.
package restore

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"belfry/internal/blob"
)

// Prefix begins the keys of the receipts and the mark, and no other keys.
const Prefix = "receipts/"

const (
	markKey = Prefix + "mark"
	// dayLayout and timeLayout are parts of a receipt's key, so that keys are ordered by time.
	dayLayout  = "20060102"
	timeLayout = "150405.000000"
)

// Receipt says that a post was about to be published. With Live, it says that the post was published.
type Receipt struct {
	Workspace string `json:"workspace"`
	Post      string `json:"post"`
	CopyOf    string `json:"copyOf,omitempty"` // the failed post that the post replaces; empty if there is none
	StepID    int64  `json:"step"`
	// Handle is encrypted, as in the ledger.
	Handle      []byte    `json:"handle,omitempty"`
	ArmedAt     time.Time `json:"armedAt"`
	Live        bool      `json:"live,omitempty"`
	ExternalID  string    `json:"externalId,omitempty"`
	ExternalURL string    `json:"externalUrl,omitempty"`
}

// Mark says how far a database had progressed. System and Timeline are PostgreSQL's: a copy of the database has another
// system, and a database that was rolled back or failed over has another timeline.
type Mark struct {
	System   string    `json:"system"`
	Timeline int64     `json:"timeline"`
	StepID   int64     `json:"step"`
	At       time.Time `json:"at"`
}

// Receipts writes and reads receipts in the file storage. It is safe for concurrent use.
type Receipts struct {
	blobs blob.Store
	now   func() time.Time

	writing chan struct{} // is full while an object is being stored, and for writePause afterwards
	mu      sync.Mutex
	next    *batch // collects receipts for the next object
}

// batch is a group of receipts that are stored in one object.
type batch struct {
	receipts []Receipt
	stored   chan struct{} // is closed once err is set
	err      error
}

// errNotStored is the error of a batch while it is being stored. It remains if storing the batch panics.
var errNotStored = errors.New("the receipts were not stored")

func newBatch() *batch { return &batch{stored: make(chan struct{})} }

// NewReceipts returns the receipts in a file storage, which outlives the database.
func NewReceipts(blobs blob.Store, now func() time.Time) *Receipts {
	return &Receipts{blobs: blobs, now: now, writing: make(chan struct{}, 1), next: newBatch()}
}

// writePause is the minimum time between two objects, so that many posts that are due at once share objects.
const writePause = 10 * time.Millisecond

// Write stores a receipt. Receipts that are written at the same time share an object. While one object is being stored,
// and until writePause has passed, the next receipts wait and are then stored together. Once Write has returned nil, a
// crash of the machine does not lose the receipt.
func (b *Receipts) Write(ctx context.Context, r Receipt) error {
	b.mu.Lock()
	mine := b.next
	isFirst := len(mine.receipts) == 0
	mine.receipts = append(mine.receipts, r)
	b.mu.Unlock()
	if isFirst {
		b.writeNextBatchAndSetErr(context.WithoutCancel(ctx), mine)
	}
	<-mine.stored
	return mine.err
}

// writeNextBatchAndSetErr waits until an object may be stored, and stores all receipts that next has collected until
// then. It sets next.err to the result, for which calls of Write wait.
func (b *Receipts) writeNextBatchAndSetErr(ctx context.Context, next *batch) {
	b.writing <- struct{}{}
	defer time.AfterFunc(writePause, func() { <-b.writing })
	b.mu.Lock()
	b.next = newBatch()
	b.mu.Unlock()
	next.err = errNotStored
	defer close(next.stored)
	next.err = b.putReceipts(ctx, next.receipts)
}

// writeTimeout is the maximum duration of storing one object. Posts that are due wait for it.
const writeTimeout = 2 * time.Second

func (b *Receipts) putReceipts(ctx context.Context, receipts []Receipt) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, r := range receipts {
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("encode the receipt of post %s: %w", r.Post, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	now := b.now().UTC()
	key := Prefix + now.Format(dayLayout) + "/" + now.Format(timeLayout) + "-" + strings.ToLower(rand.Text()[:8])
	if err := b.blobs.Put(ctx, key, &lines, int64(lines.Len())); err != nil {
		return fmt.Errorf("write %d receipts: %w", len(receipts), err)
	}
	return nil
}

// errEnd stops the iteration over the keys.
var errEnd = errors.New("no more keys are needed")

// EachSince calls fn for every receipt that was written since a time, oldest first.
func (b *Receipts) EachSince(ctx context.Context, since time.Time, fn func(Receipt) error) error {
	return b.eachKeySince(ctx, since, func(key string) error {
		object, err := b.blobs.Open(ctx, key)
		if errors.Is(err, blob.ErrNotFound) {
			return nil // deleted in the meantime
		}
		if err != nil {
			return fmt.Errorf("read receipts: %w", err)
		}
		defer object.Close()
		lines := json.NewDecoder(bufio.NewReader(object))
		for {
			var r Receipt
			switch err := lines.Decode(&r); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return fmt.Errorf("read receipts in %s: %w", key, err)
			}
			if err := fn(r); err != nil {
				return err
			}
		}
	})
}

// DeleteBefore deletes the receipts that were written before a time.
func (b *Receipts) DeleteBefore(ctx context.Context, before time.Time) error {
	last := keyPrefixAt(before)
	return b.eachKeySince(ctx, time.Time{}, func(key string) error {
		if key >= last {
			return errEnd
		}
		return b.blobs.Delete(ctx, key)
	})
}

// keyPrefixAt returns the prefix of the keys of receipts that were written at a time.
func keyPrefixAt(t time.Time) string {
	t = t.UTC()
	return Prefix + t.Format(dayLayout) + "/" + t.Format(timeLayout)
}

// eachKeySince calls fn for the key of every object with receipts that were written since a time, until fn returns
// errEnd.
func (b *Receipts) eachKeySince(ctx context.Context, since time.Time, fn func(key string) error) error {
	after := ""
	if !since.IsZero() {
		after = keyPrefixAt(since)
	}
	err := b.blobs.Each(ctx, Prefix, after, func(key string, _ int64, _ time.Time) error {
		if key == markKey {
			return nil
		}
		return fn(key)
	})
	if err != nil && !errors.Is(err, errEnd) {
		return fmt.Errorf("list receipts: %w", err)
	}
	return nil
}

// ReadMarkOrZero returns the mark, or the zero Mark if none has been written yet.
func (b *Receipts) ReadMarkOrZero(ctx context.Context) (Mark, error) {
	object, err := b.blobs.Open(ctx, markKey)
	if errors.Is(err, blob.ErrNotFound) {
		return Mark{}, nil
	}
	if err != nil {
		return Mark{}, fmt.Errorf("read the mark: %w", err)
	}
	defer object.Close()
	var m Mark
	if err := json.NewDecoder(object).Decode(&m); err != nil {
		return Mark{}, fmt.Errorf("read the mark: %w", err)
	}
	return m, nil
}

// WriteMark replaces the mark.
func (b *Receipts) WriteMark(ctx context.Context, m Mark) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode the mark: %w", err)
	}
	if err := b.blobs.Put(ctx, markKey, bytes.NewReader(text), int64(len(text))); err != nil {
		return fmt.Errorf("write the mark: %w", err)
	}
	return nil
}
