package media

import (
	"bytes"
	"encoding/binary"

	"github.com/abema/go-mp4"
)

const (
	maxBoxes   = 1_000_000 // in a video: two days of fragments have fewer
	maxTop     = 200_000   // of them outside of every other: each may cost a read of the storage
	maxPayload = 32 << 10  // of a box that is read as a whole
)

// box is one box of a video (ISO/IEC 14496-12, 4.2). Its name is four bytes, which need be no letters.
type box struct {
	name                string
	start, content, end int64 // where it begins, its content begins, and it ends
}

func (b box) contentLength() int64 { return b.end - b.content }

func (b box) exists() bool { return b.end > 0 }

// boxAt reads the header of the box at at, which may not reach beyond end.
func (f *file) boxAt(at, end int64) (box, error) {
	head, err := f.readBytes(at, 8)
	if err != nil {
		return box{}, err
	}
	b := box{name: string(head[4:8]), start: at, content: at + 8}
	size := uint64(binary.BigEndian.Uint32(head))
	switch size {
	case 0: // to the end of what it is in
		b.end = end
		return b, nil
	case 1:
		if head, err = f.readBytes(at+8, 8); err != nil {
			return box{}, err
		}
		size = binary.BigEndian.Uint64(head)
		b.content += 8
	}
	switch {
	case size < uint64(b.content-at): //nolint:gosec // 8 or 16
		return box{}, newRefusal(reasonDamaged)
	case size > uint64(end-at): //nolint:gosec // at lies before end
		return b, newRefusal(reasonTruncated)
	}
	b.end = at + int64(size) //nolint:gosec // at most end-at
	return b, nil
}

// visitBoxes visits the boxes between at and end. What is left after the last and too short for a box is none.
func (m *movie) visitBoxes(at, end int64, visit func(box) error) error {
	for at <= end-8 {
		if m.seen++; m.seen > maxBoxes {
			return newRefusal(reasonManyParts)
		}
		b, err := m.f.boxAt(at, end)
		if err != nil {
			return err
		}
		if err := visit(b); err != nil {
			return err
		}
		at = b.end
	}
	return nil
}

func (m *movie) visitChildren(b box, visit func(box) error) error {
	return m.visitBoxes(b.content, b.end, visit)
}

// unmarshalBox reads a small box as a whole.
func (m *movie) unmarshalBox(b box, into mp4.IBox) (err error) {
	if b.contentLength() > maxPayload {
		return newRefusal(reasonDamaged)
	}
	payload, err := m.f.readBytes(b.content, int(b.contentLength()))
	if err != nil {
		return err
	}
	defer func() {
		if recover() != nil { // the library's, over a box that it did not expect
			err = newRefusal(reasonDamaged)
		}
	}()
	if _, err := mp4.Unmarshal(bytes.NewReader(payload), uint64(len(payload)), into, mp4.Context{}); err != nil {
		return newRefusal(reasonDamaged)
	}
	return nil
}

// table is the rows of a box, read one after the other through a small window of its own, so that several
// tables can be read side by side.
type table struct {
	f           *file
	nextAt, end int64
	row         int
	unread      []byte
	buf         []byte
}

const tableWindow = 4 << 10

// openTable opens the table of a box: version and flags, how many rows there are, and the rows, of so many bytes. A
// box that claims more rows than it has room for is damaged.
func (m *movie) openTable(b box, row int) (*table, int64, error) {
	const head = 8
	if b.contentLength() < head {
		return nil, 0, newRefusal(reasonDamaged)
	}
	count, err := m.f.readUint32(b.content + 4)
	if err != nil {
		return nil, 0, err
	}
	at := b.content + head
	if count*int64(row) > b.end-at {
		return nil, 0, newRefusal(reasonDamaged)
	}
	return &table{f: m.f, nextAt: at, end: at + count*int64(row), row: row}, count, nil
}

// nextRow returns the next row, valid until the call after, or nil after the last.
func (t *table) nextRow() ([]byte, error) {
	if len(t.unread) == 0 {
		if t.nextAt >= t.end {
			return nil, nil
		}
		if t.buf == nil {
			t.buf = make([]byte, min(int64(tableWindow/t.row*t.row), t.end-t.nextAt))
		}
		t.unread = t.buf[:min(int64(len(t.buf)), t.end-t.nextAt)]
		if err := t.f.readFull(t.unread, t.nextAt); err != nil {
			return nil, err
		}
		t.nextAt += int64(len(t.unread))
	}
	row := t.unread[:t.row]
	t.unread = t.unread[t.row:]
	return row, nil
}
