package media

import (
	"encoding/binary"
)

// maxUnits limits sums over a file's tables. It is far above the sums of real files and far below an overflow.
const maxUnits = 1 << 52

// readAndCheckSamplesIfPlayable reads the sample tables of a video or audio track, and checks that all its bytes are in
// the file. It does nothing with other tracks.
func (m *abortingMovieReader) readAndCheckSamplesIfPlayable(t *track) {
	if t.handler != "vide" && t.handler != "soun" {
		return
	}
	if t.stts.exists() {
		m.readSampleCountAndLength(t)
	}
	if !t.hasChunkTables() {
		refuseFileIf(t.samples > 0, reasonDamaged)
		return
	}
	m.visitChunks(t, func(c mediaChunk) {
		refuseFileIf(c.at < 0 || c.at > m.r.size-c.size, reasonIncomplete)
	})
}

func (t *track) hasChunkTables() bool { return t.stco.exists() && t.stsz.exists() && t.stsc.exists() }

// readSampleCountAndLength sets the number of samples of a track and their total duration, from the table of sample
// times (14496-12, 8.6.1.2).
func (m *abortingMovieReader) readSampleCountAndLength(t *track) {
	for row := range m.openTable(t.stts, 8).remainingRowViews() {
		count, delta := int64(binary.BigEndian.Uint32(row)), int64(binary.BigEndian.Uint32(row[4:]))
		if delta >= 1<<31 { // negative, which QuickTime allowed
			delta = 0
		}
		t.samples += count
		refuseFileIf(count > 0 && delta > maxUnits/count, reasonTooLong)
		t.length += count * delta
		refuseFileIf(t.length > maxUnits || t.samples > maxUnits, reasonTooLong)
	}
}

// abortingSampleSizeReader reads the table of sample sizes (14496-12, 8.7.3).
type abortingSampleSizeReader struct {
	same  int64 // the size of every sample; 0 if they differ
	left  int64 // number of samples not read yet
	rows  *abortingTableReader
	field int // bits per size
	half  byte
	odd   bool
}

func (m *abortingMovieReader) openSampleSizes(b mp4Box) *abortingSampleSizeReader {
	refuseFileIf(b.contentLength() < 12, reasonDamaged)
	same, count := m.r.readUint32BE(b.content+4), m.r.readUint32BE(b.content+8)
	s := &abortingSampleSizeReader{left: count, field: 32}
	switch {
	case b.name == "stz2":
		s.field = int(same & 0xff)
	case same > 0:
		s.same = same
		return s
	}
	refuseFileIf(s.field != 4 && s.field != 8 && s.field != 16 && s.field != 32, reasonDamaged)
	bytes := (count*int64(s.field) + 7) / 8
	row := max(1, s.field/8)
	s.rows = m.newTable(b.content+12, bytes/int64(row), row, b.end)
	return s
}

// nextSampleSize returns the size of the next sample, and aborts after the last.
func (s *abortingSampleSizeReader) nextSampleSize() int64 {
	refuseFileIf(s.left == 0, reasonDamaged)
	s.left--
	if s.same > 0 {
		return s.same
	}
	if s.field == 4 && s.odd {
		s.odd = false
		return int64(s.half)
	}
	row := s.rows.nextRowViewOrNil()
	switch s.field {
	case 4:
		s.half, s.odd = row[0]&15, true
		return int64(row[0] >> 4)
	case 8:
		return int64(row[0])
	case 16:
		return int64(binary.BigEndian.Uint16(row))
	}
	return int64(binary.BigEndian.Uint32(row))
}

// sumNextSampleSizes reads the sizes of the next count samples and returns their sum.
func (s *abortingSampleSizeReader) sumNextSampleSizes(count int64) (total int64) {
	if s.same > 0 {
		refuseFileIf(count > s.left || count > maxUnits/s.same, reasonDamaged)
		s.left -= count
		return count * s.same
	}
	for range count {
		total += s.nextSampleSize()
	}
	return total
}

// abortingRunReader reads the table of samples per chunk (14496-12, 8.7.4). Each row applies until the next one.
type abortingRunReader struct {
	rows      *abortingTableReader
	chunk     int64 // the number of the current chunk; 0 before the first
	count     int64 // samples in the current chunk
	nextChunk int64 // the first chunk of the next row; 0 after the last row
	nextCount int64 // samples in that chunk
}

func (m *abortingMovieReader) openChunkRuns(b mp4Box) *abortingRunReader {
	r := &abortingRunReader{rows: m.openTable(b, 12)}
	r.readNextRow()
	refuseFileIf(r.nextChunk > 1, reasonDamaged)
	return r
}

func (r *abortingRunReader) readNextRow() {
	before := r.nextChunk
	r.nextChunk = 0
	if row := r.rows.nextRowViewOrNil(); row != nil {
		r.nextChunk, r.nextCount = int64(binary.BigEndian.Uint32(row)), int64(binary.BigEndian.Uint32(row[4:]))
		refuseFileIf(r.nextChunk <= before || r.nextCount == 0, reasonDamaged)
	}
}

// advanceToNextChunk advances to the next chunk, at first to the first one, and returns its number of samples, which is
// above zero. The last run applies to all further chunks.
func (r *abortingRunReader) advanceToNextChunk() (samples int64) {
	r.chunk++
	if r.chunk == r.nextChunk {
		r.count = r.nextCount
		r.readNextRow()
	}
	refuseFileIf(r.count == 0, reasonDamaged)
	return r.count
}

// mediaChunk is a run of samples of a track that are stored together.
type mediaChunk struct{ samples, at, size int64 }

// visitChunks visits the chunks of a track.
func (m *abortingMovieReader) visitChunks(t *track, visit func(mediaChunk)) {
	width := 4
	if t.stco.name == "co64" {
		width = 8
	}
	offsets, runs, sizes := m.openTable(t.stco, width), m.openChunkRuns(t.stsc), m.openSampleSizes(t.stsz)
	for row := range offsets.remainingRowViews() {
		at := int64(binary.BigEndian.Uint32(row))
		if width == 8 {
			at = int64(binary.BigEndian.Uint64(row)) //nolint:gosec // the visitor checks for negative positions
		}
		// The last chunk may claim more samples than there are.
		samples := min(runs.advanceToNextChunk(), sizes.left)
		visit(mediaChunk{samples, at, sizes.sumNextSampleSizes(samples)})
	}
}
