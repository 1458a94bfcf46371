package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// journal is an append-only file of JSON lines. Without a file, it stores nothing.
type journal struct {
	mu   sync.Mutex
	file *os.File
	past map[tableKey][]line
}

// tableKey names a table of a network.
type tableKey struct{ network, table string }

type line struct {
	Network string          `json:"n,omitempty"`
	Table   string          `json:"t"`
	ID      string          `json:"i,omitempty"`
	Value   json.RawMessage `json:"v"` // null deletes the entry or, without an id, all entries
}

// ErrJournalInUse is the error of New if another process uses the journal, and one of the two needs it alone.
var ErrJournalInUse = errors.New("another process is using the sandbox journal: wait until that process ends, and then try again")

// openAndLockJournal opens the journal and reads the records of earlier runs. If alone is true, no other process can
// use the journal until it is closed. Without a path, the journal has no file.
func openAndLockJournal(pathOrEmpty string, alone bool) (*journal, error) {
	j := &journal{past: map[tableKey][]line{}}
	if pathOrEmpty == "" {
		return j, nil
	}
	if err := os.MkdirAll(filepath.Dir(pathOrEmpty), 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the sandbox journal: %w", err)
	}
	// Tokens of simulated networks are credentials of this sandbox, so nobody else may read them.
	var err error
	j.file, err = os.OpenFile(pathOrEmpty, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox journal: %w", err)
	}
	err = tryLockJournal(j.file, alone)
	if err == nil {
		err = j.loadFileAndDropIncompleteLine()
	}
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

// loadFileAndDropIncompleteLine reads the file and stays at its end. It drops an incomplete last line, whose
// response was never sent.
func (j *journal) loadFileAndDropIncompleteLine() error {
	data, err := io.ReadAll(j.file)
	if err != nil {
		return fmt.Errorf("read the sandbox journal: %w", err)
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if err := j.parseRecords(data[:whole]); err != nil {
		return fmt.Errorf("sandbox journal %s: %w (to start over, move the file away)", j.file.Name(), err)
	}
	if err := j.file.Truncate(int64(whole)); err != nil {
		return fmt.Errorf("truncate the sandbox journal: %w", err)
	}
	if _, err := j.file.Seek(int64(whole), io.SeekStart); err != nil {
		return fmt.Errorf("seek to the end of the sandbox journal: %w", err)
	}
	return nil
}

// tryLockJournal locks the file until it is closed: against every other process, or only against one that needs it
// alone. It does not wait, but returns ErrJournalInUse.
func tryLockJournal(file *os.File, alone bool) error {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrJournalInUse
	}
	if err != nil {
		return fmt.Errorf("lock the sandbox journal: %w", err)
	}
	return nil
}

func (j *journal) parseRecords(data []byte) error {
	for n := 1; len(data) > 0; n++ {
		raw, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			return fmt.Errorf("line %d is unreadable: %w", n, err)
		}
		key := tableKey{l.Network, l.Table}
		j.past[key] = append(j.past[key], l)
	}
	return nil
}

// appendLine writes an entry. It returns after the entry is written, so that no response contains anything that a
// restart would lose.
func (j *journal) appendLine(key tableKey, id string, value any) error {
	if j.file == nil {
		return nil
	}
	v, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s for the sandbox journal: %w", key.table, err)
	}
	raw, err := json.Marshal(line{Network: key.network, Table: key.table, ID: id, Value: v})
	if err != nil {
		return fmt.Errorf("encode %s for the sandbox journal: %w", key.table, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("write %s to the sandbox journal: %w", key.table, err)
	}
	return nil
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	if err := j.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("close the sandbox journal: %w", err)
	}
	return nil
}
