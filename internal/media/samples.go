package media

import (
	"encoding/binary"
)

// maxUnits bounds sums over a file's tables, far above any honest one and far below an overflow.
const maxUnits = 1 << 52

// readTables reads the sample tables of a track and sees to it that all its bytes are in the file.
func (m *movie) readTables(t *track) error {
	if t.handler != "vide" && t.handler != "soun" {
		return nil
	}
	if t.stts.exists() {
		if err := m.readTimes(t); err != nil {
			return err
		}
	}
	if !t.stco.exists() || !t.stsz.exists() || !t.stsc.exists() {
		if t.samples > 0 {
			return newRefusal(reasonDamaged)
		}
		return nil
	}
	return m.visitChunks(t, func(_ int64, at, size int64) error {
		if at < 0 || at > m.f.size-size {
			return newRefusal(reasonTruncated)
		}
		return nil
	})
}

// readTimes sums the table of times (14496-12, 8.6.1.2).
func (m *movie) readTimes(t *track) error {
	rows, _, err := m.openTable(t.stts, 8)
	if err != nil {
		return err
	}
	for {
		row, err := rows.nextRow()
		if row == nil || err != nil {
			return err
		}
		count, delta := int64(binary.BigEndian.Uint32(row)), int64(binary.BigEndian.Uint32(row[4:]))
		if delta >= 1<<31 { // a step back, which QuickTime knew
			delta = 0
		}
		t.samples += count
		if count > 0 && delta > maxUnits/count {
			return newRefusal(reasonTooLong)
		}
		if t.length += count * delta; t.length > maxUnits || t.samples > maxUnits {
			return newRefusal(reasonTooLong)
		}
	}
}

// sampleSizes is the table of sample sizes (14496-12, 8.7.3).
type sampleSizes struct {
	same  int64 // of every sample; 0 when each has its own
	left  int64
	rows  *table
	field int // bits, of the compact form
	half  byte
	odd   bool
}

func (m *movie) openSampleSizes(b box) (*sampleSizes, error) {
	compact := b.name == "stz2"
	if b.contentLength() < 12 {
		return nil, newRefusal(reasonDamaged)
	}
	same, err := m.f.readUint32(b.content + 4)
	if err != nil {
		return nil, err
	}
	count, err := m.f.readUint32(b.content + 8)
	if err != nil {
		return nil, err
	}
	s := &sampleSizes{left: count, field: 32}
	switch {
	case !compact && same > 0:
		s.same = same
		return s, nil
	case compact:
		s.field = int(same & 0xff)
	}
	bytes := (count*int64(s.field) + 7) / 8
	if bytes > b.contentLength()-12 || s.field != 4 && s.field != 8 && s.field != 16 && s.field != 32 {
		return nil, newRefusal(reasonDamaged)
	}
	s.rows = &table{f: m.f, nextAt: b.content + 12, end: b.content + 12 + bytes, row: max(1, s.field/8)}
	return s, nil
}

// nextSize returns the size of the next sample.
func (s *sampleSizes) nextSize() (int64, error) {
	if s.left == 0 {
		return 0, newRefusal(reasonDamaged)
	}
	s.left--
	if s.same > 0 {
		return s.same, nil
	}
	if s.field == 4 && s.odd {
		s.odd = false
		return int64(s.half), nil
	}
	row, err := s.rows.nextRow()
	if err != nil {
		return 0, err
	}
	switch s.field {
	case 4:
		s.half, s.odd = row[0]&15, true
		return int64(row[0] >> 4), nil
	case 8:
		return int64(row[0]), nil
	case 16:
		return int64(binary.BigEndian.Uint16(row)), nil
	}
	return int64(binary.BigEndian.Uint32(row)), nil
}

// sumSizes returns the size of the next count samples together.
func (s *sampleSizes) sumSizes(count int64) (int64, error) {
	if s.same > 0 {
		if count > s.left || count > maxUnits/s.same {
			return 0, newRefusal(reasonDamaged)
		}
		s.left -= count
		return count * s.same, nil
	}
	total := int64(0)
	for range count {
		size, err := s.nextSize()
		if err != nil {
			return 0, err
		}
		total += size
	}
	return total, nil
}

// chunkRuns is the table of how many samples a chunk holds (14496-12, 8.7.4): each row holds until the next.
type chunkRuns struct {
	rows      *table
	count     int64 // samples in the chunk under way
	nextChunk int64 // the first chunk of the next row; 0 after the last
	nextCount int64 // how many samples stand in that
}

func (m *movie) openChunkRuns(b box) (*chunkRuns, error) {
	rows, count, err := m.openTable(b, 12)
	if err != nil {
		return nil, err
	}
	r := &chunkRuns{rows: rows}
	if count == 0 {
		return r, nil
	}
	if err := r.nextRow(); err != nil {
		return nil, err
	}
	if r.nextChunk != 1 {
		return nil, newRefusal(reasonDamaged)
	}
	return r, nil
}

func (r *chunkRuns) nextRow() error {
	row, err := r.rows.nextRow()
	if err != nil {
		return err
	}
	before := r.nextChunk
	if r.nextChunk = 0; row != nil {
		r.nextChunk, r.nextCount = int64(binary.BigEndian.Uint32(row)), int64(binary.BigEndian.Uint32(row[4:]))
		if r.nextChunk <= before || r.nextCount == 0 {
			return newRefusal(reasonDamaged)
		}
	}
	return nil
}

// samplesInChunk gives how many samples the chunk holds of that number; numbers are asked for in order, from 1.
func (r *chunkRuns) samplesInChunk(chunk int64) (int64, error) {
	if chunk == r.nextChunk {
		r.count = r.nextCount
		if err := r.nextRow(); err != nil {
			return 0, err
		}
	}
	if r.count == 0 {
		return 0, newRefusal(reasonDamaged)
	}
	return r.count, nil
}

// visitChunks visits the chunks of a track: the number of samples in it, where it begins and how many bytes it has.
func (m *movie) visitChunks(t *track, visit func(samples, at, size int64) error) error {
	width := 4
	if t.stco.name == "co64" {
		width = 8
	}
	offsets, _, err := m.openTable(t.stco, width)
	if err != nil {
		return err
	}
	runs, err := m.openChunkRuns(t.stsc)
	if err != nil {
		return err
	}
	sizes, err := m.openSampleSizes(t.stsz)
	if err != nil {
		return err
	}
	for chunk := int64(1); ; chunk++ {
		row, err := offsets.nextRow()
		if row == nil || err != nil {
			return err
		}
		at := int64(binary.BigEndian.Uint32(row))
		if width == 8 {
			at = int64(binary.BigEndian.Uint64(row)) //nolint:gosec // a negative one is found by the visitor
		}
		samples, err := runs.samplesInChunk(chunk)
		if err != nil {
			return err
		}
		// A last chunk may promise more samples than there are; then it has what is left.
		samples = min(samples, sizes.left)
		size, err := sizes.sumSizes(samples)
		if err != nil {
			return err
		}
		if err := visit(samples, at, size); err != nil {
			return err
		}
	}
}
