package media

import (
	"bytes"
	"encoding/binary"
	"iter"

	"github.com/abema/go-mp4"
)

const (
	maxBoxes   = 1_000_000 // in a video; two days of fragments have fewer
	maxTop     = 200_000   // at the top level; each may cost a read of the storage
	maxPayload = 32 << 10  // length of a box that is read at once
)

// mp4Box is a box of a video (ISO/IEC 14496-12, 4.2). Its name is four bytes, which need not be letters.
type mp4Box struct {
	name                string
	start, content, end int64 // positions of its first byte, of its content, and of the byte after it
}

func (b mp4Box) contentLength() int64 { return b.end - b.content }

func (b mp4Box) exists() bool { return b.end > 0 }

// readBoxHeaderOrRefuse reads the header of the box at position at. It refuses the file if the box does not end by end.
func (r *abortingReader) readBoxHeaderOrRefuse(at, end int64) mp4Box {
	b, reason := r.parseBoxHeader(at, end)
	refuseFileIf(reason != "", reason)
	return b
}

// parseBoxHeader reads the header of the box at position at, or returns a reason for refusal if the box does not end by
// end.
func (r *abortingReader) parseBoxHeader(at, end int64) (b mp4Box, refusalReasonOrEmpty string) {
	head := r.peekBytes(at, 8)
	b = mp4Box{name: string(head[4:8]), start: at, content: at + 8}
	size := uint64(binary.BigEndian.Uint32(head))
	switch size {
	case 0: // extends to the end of the enclosing box
		b.end = end
		return b, ""
	case 1:
		if at+16 > r.size {
			return mp4Box{}, reasonIncomplete
		}
		size = binary.BigEndian.Uint64(r.peekBytes(at+8, 8))
		b.content += 8
	}
	switch {
	case size < uint64(b.content-at): //nolint:gosec // 8 or 16
		return mp4Box{}, reasonDamaged
	case size > uint64(end-at): //nolint:gosec // at lies before end
		return b, reasonIncomplete
	}
	b.end = at + int64(size) //nolint:gosec // at most end-at
	return b, ""
}

// boxes yields the boxes between at and end. It ignores trailing bytes that are too few for a box.
func (m *abortingMovieReader) boxes(at, end int64) iter.Seq[mp4Box] {
	return func(yield func(mp4Box) bool) {
		for at := at; at <= end-8; {
			m.seen++
			refuseFileIf(m.seen > maxBoxes, reasonManyParts)
			b := m.r.readBoxHeaderOrRefuse(at, end)
			if !yield(b) {
				return
			}
			at = b.end
		}
	}
}

func (m *abortingMovieReader) children(b mp4Box) iter.Seq[mp4Box] { return m.boxes(b.content, b.end) }

// unmarshalSmallBox decodes a box into the value that into points to, and aborts if the box has more than maxPayload
// bytes or is invalid.
func (m *abortingMovieReader) unmarshalSmallBox(b mp4Box, into mp4.IBox) {
	refuseFileIf(b.contentLength() > maxPayload, reasonDamaged)
	payload := m.r.peekBytes(b.content, int(b.contentLength()))
	defer func() {
		refuseFileIf(recover() != nil, reasonDamaged) // the library panics on unexpected boxes
	}()
	_, err := mp4.Unmarshal(bytes.NewReader(payload), uint64(len(payload)), into, mp4.Context{})
	refuseFileIf(err != nil, reasonDamaged)
}

// abortingTableReader reads the rows of a box in order. It has its own small window, so several tables can be read in
// step.
type abortingTableReader struct {
	r           *abortingReader
	nextAt, end int64
	row         int
	unread      []byte
	buf         []byte
}

const tableWindow = 4 << 10

// newTable returns a table at position at with count rows of rowSize bytes. It aborts if the table does not end by end.
func (m *abortingMovieReader) newTable(at, count int64, rowSize int, end int64) *abortingTableReader {
	refuseFileIf(count*int64(rowSize) > end-at, reasonDamaged)
	return &abortingTableReader{r: m.r, nextAt: at, end: at + count*int64(rowSize), row: rowSize}
}

// openTable returns the table of a box that contains version and flags, the number of rows, and rows of rowSize bytes.
func (m *abortingMovieReader) openTable(b mp4Box, rowSize int) *abortingTableReader {
	const head = 8
	refuseFileIf(b.contentLength() < head, reasonDamaged)
	return m.newTable(b.content+head, m.r.readUint32BE(b.content+4), rowSize, b.end)
}

// nextRowViewOrNil returns a view of the next row, which is valid until the next call, or nil after the last row.
func (t *abortingTableReader) nextRowViewOrNil() []byte {
	if len(t.unread) == 0 {
		if t.nextAt >= t.end {
			return nil
		}
		if t.buf == nil {
			t.buf = make([]byte, min(int64(tableWindow/t.row*t.row), t.end-t.nextAt))
		}
		t.unread = t.buf[:min(int64(len(t.buf)), t.end-t.nextAt)]
		t.r.readFull(t.unread, t.nextAt)
		t.nextAt += int64(len(t.unread))
	}
	row := t.unread[:t.row]
	t.unread = t.unread[t.row:]
	return row
}

// remainingRowViews yields the rows that nextRowViewOrNil has not returned yet. Each is valid until the next one.
func (t *abortingTableReader) remainingRowViews() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for row := t.nextRowViewOrNil(); row != nil && yield(row); row = t.nextRowViewOrNil() {
		}
	}
}
