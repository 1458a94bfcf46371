package sim

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// Table stores the values of a network by id, in the order of insertion, across restarts. It has no lock.
type Table[V any] struct {
	journal *journal
	key     tableKey
	byID    map[string]V
	order   []string
}

// OpenTable returns a table with the values of earlier runs. Register reports a journal that cannot be read.
func OpenTable[V any](k *Kit, network, name string) *Table[V] {
	key := tableKey{network, name}
	t := &Table[V]{journal: k.journal, key: key, byID: map[string]V{}}
	for _, l := range k.journal.past[key] {
		var value V
		switch {
		case string(l.Value) != "null":
			if err := json.Unmarshal(l.Value, &value); err != nil {
				k.unreadable = fmt.Errorf("restore %s %s of the sandbox: %w", name, l.ID, err)
				return t
			}
			t.setInMemory(l.ID, value)
		case l.ID == "":
			t.dropAllFromMemory()
		default:
			t.dropFromMemory(l.ID)
		}
	}
	delete(k.journal.past, key)
	return t
}

// Get returns the value of an id, or the zero value if there is none.
func (t *Table[V]) Get(id string) V { return t.byID[id] }

// Has reports whether there is a value for the id.
func (t *Table[V]) Has(id string) bool { _, ok := t.byID[id]; return ok }

// All yields the values, oldest first.
func (t *Table[V]) All() iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, id := range t.order {
			if !yield(t.byID[id]) {
				return
			}
		}
	}
}

// PutDefault adds an initial value, unless an earlier run has changed it.
func (t *Table[V]) PutDefault(id string, value V) {
	if !t.Has(id) {
		t.setInMemory(id, value)
	}
}

// Put stores a value, new or changed.
func (t *Table[V]) Put(id string, value V) error {
	if err := t.journal.appendLine(t.key, id, value); err != nil {
		return err
	}
	t.setInMemory(id, value)
	return nil
}

// Delete removes a value.
func (t *Table[V]) Delete(id string) error {
	if err := t.journal.appendLine(t.key, id, nil); err != nil {
		return err
	}
	t.dropFromMemory(id)
	return nil
}

// Clear removes all values.
func (t *Table[V]) Clear() error {
	if err := t.journal.appendLine(t.key, "", nil); err != nil {
		return err
	}
	t.dropAllFromMemory()
	return nil
}

func (t *Table[V]) setInMemory(id string, value V) {
	if !t.Has(id) {
		t.order = append(t.order, id)
	}
	t.byID[id] = value
}

func (t *Table[V]) dropFromMemory(id string) {
	delete(t.byID, id)
	t.order = slices.DeleteFunc(t.order, func(other string) bool { return other == id })
}

func (t *Table[V]) dropAllFromMemory() {
	clear(t.byID)
	t.order = nil
}

// NewID returns a random unused id of n digits that starts with start.
func (t *Table[V]) NewID(start string, n int) string {
	for {
		if id := RandomDigits(start, n); !t.Has(id) {
			return id
		}
	}
}
