package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// journal is an append-only file of JSON lines. Without a path it keeps nothing.
type journal struct {
	mu   sync.Mutex
	file *os.File
	past map[string][]line
}

type line struct {
	Network string          `json:"n,omitempty"`
	Kind    string          `json:"k"`
	Value   json.RawMessage `json:"v"`
}

// openJournal reads what a former run wrote. A torn last line is cut off: its answer never left.
func openJournal(path string) (*journal, error) {
	j := &journal{past: map[string][]line{}}
	if path == "" {
		return j, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create folder of sandbox journal: %w", err)
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read sandbox journal: %w", err)
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if err := j.loadRecords(data[:whole]); err != nil {
		return nil, fmt.Errorf("sandbox journal %s: %w (move the file away to start afresh)", path, err)
	}
	// Tokens of simulated networks are credentials of this sandbox, so nobody else may read them.
	j.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open sandbox journal: %w", err)
	}
	if err := j.file.Truncate(int64(whole)); err != nil {
		return nil, fmt.Errorf("cut torn line of sandbox journal: %w", err)
	}
	if _, err := j.file.Seek(int64(whole), 0); err != nil {
		return nil, fmt.Errorf("open sandbox journal at its end: %w", err)
	}
	return j, nil
}

func (j *journal) loadRecords(data []byte) error {
	for n := 1; len(data) > 0; n++ {
		raw, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			return fmt.Errorf("line %d is unreadable: %w", n, err)
		}
		j.past[l.Network] = append(j.past[l.Network], l)
	}
	return nil
}

// appendRecord returns once the line is written, so that an answer never promises what a restart forgets.
func (j *journal) appendRecord(network, kind string, value any) error {
	if j.file == nil {
		return nil
	}
	v, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s for sandbox journal: %w", kind, err)
	}
	raw, err := json.Marshal(line{Network: network, Kind: kind, Value: v})
	if err != nil {
		return fmt.Errorf("encode %s for sandbox journal: %w", kind, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("write %s to sandbox journal: %w", kind, err)
	}
	return nil
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	if err := j.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("close sandbox journal: %w", err)
	}
	return nil
}

// Record writes one change of a network before its answer leaves.
func (k *Kit) Record(network, kind string, value any) error {
	return k.journal.appendRecord(network, kind, value)
}

// Replay hands a network what it recorded in former runs, in order, once.
func (k *Kit) Replay(network string, apply func(kind string, data []byte) error) error {
	past := k.journal.past[network]
	delete(k.journal.past, network)
	for i, l := range past {
		if err := apply(l.Kind, l.Value); err != nil {
			return fmt.Errorf("replay %s record %d (%s): %w", network, i+1, l.Kind, err)
		}
	}
	return nil
}

// RecordHandlers maps the kinds of a network's records to what they change.
type RecordHandlers map[string]func(data []byte) error

// Apply performs one record; an unknown kind is an error, since something would be forgotten silently.
func (a RecordHandlers) Apply(kind string, data []byte) error {
	apply, ok := a[kind]
	if !ok {
		return fmt.Errorf("unknown record %q", kind)
	}
	return apply(data)
}

// RecordHandler decodes a record before it is performed.
func RecordHandler[T any](perform func(T) error) func(data []byte) error {
	return func(data []byte) error {
		var value T
		if err := json.Unmarshal(data, &value); err != nil {
			return err
		}
		return perform(value)
	}
}

// UpdateHandler decodes a record that changes what an earlier one made.
func UpdateHandler[V, R any](all map[string]*V, id func(R) string, update func(*V, R)) func(data []byte) error {
	return RecordHandler(func(record R) error {
		value, err := Find(all, id(record))
		if err == nil {
			update(value, record)
		}
		return err
	})
}

// OwnID is the id of a record that is nothing but an id.
func OwnID(id string) string { return id }

// Find returns what an earlier record made, or says that the journal does not hold it.
func Find[V any](all map[string]*V, id string) (*V, error) {
	found, ok := all[id]
	if !ok {
		return nil, fmt.Errorf("no earlier record made %q", id)
	}
	return found, nil
}
