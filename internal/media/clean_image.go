package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
)

func (f *file) cleanJPEG(to io.Writer, orientation int) error {
	if err := writeCleaned(to, []byte{0xff, markSOI}); err != nil {
		return err
	}
	owed := orientation != 1 // the orientation, which comes after JFIF's segment
	_, err := f.visitJPEGSegments(func(s segment) error {
		if owed && s.mark != markAPP0 {
			owed = false
			if err := writeCleaned(to, append([]byte("\xff\xe1\x00\x22"+exifName), minimalEXIF(orientation)...)); err != nil {
				return err
			}
		}
		if !keptInJPEG(s) {
			return nil
		}
		return f.copyTo(to, s.at, s.at+s.length)
	})
	return err
}

func (f *file) cleanPNG(to io.Writer, orientation int) error {
	if err := f.copyTo(to, 0, pngHead); err != nil {
		return err
	}
	_, err := f.visitPNGChunks(func(c chunk) error {
		if !keptInPNG(c.name) {
			return nil
		}
		if err := f.copyTo(to, c.at, c.data+c.length+4); err != nil {
			return err
		}
		if c.name != "IHDR" || orientation == 1 {
			return nil
		}
		exif := minimalEXIF(orientation)
		body := append([]byte("eXIf"), exif...)
		out := binary.BigEndian.AppendUint32(nil, uint32(len(exif))) //nolint:gosec // 26
		return writeCleaned(to, binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body)))
	})
	return err
}

func (f *file) cleanGIF(to io.Writer) error {
	start, err := f.gifStart()
	if err != nil {
		return err
	}
	if err := f.copyTo(to, 0, start); err != nil {
		return err
	}
	_, err = f.visitGIFBlocks(start, func(k block) error {
		if !keptInGIF(k) {
			return nil
		}
		return f.copyTo(to, k.at, k.at+k.length)
	})
	return err
}

// cleanWebP goes through the file twice, since its length comes first.
func (f *file) cleanWebP(to io.Writer, orientation int) error {
	end, err := f.riffEnd()
	if err != nil {
		return err
	}
	var exif []byte
	if orientation != 1 {
		exif = append([]byte("EXIF\x1a\x00\x00\x00"), minimalEXIF(orientation)...)
	}
	kept := func(visit func(chunk) error) error {
		return f.visitRIFFChunks(riffHead, end, func(c chunk) error {
			if !keptInWebP(c.name) {
				return nil
			}
			return visit(c)
		})
	}
	size := int64(4 + len(exif))
	if err := kept(func(c chunk) error { size += 8 + c.length + c.length&1; return nil }); err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"),
		uint32(size)) //nolint:gosec // no more than it was, but for 34
	if err := writeCleaned(to, append(head, "WEBP"...)); err != nil {
		return err
	}
	err = kept(func(c chunk) error {
		if c.name != "VP8X" {
			if err := f.copyTo(to, c.at, c.data+c.length); err != nil {
				return err
			}
			return writeCleaned(to, make([]byte, c.length&1))
		}
		b, err := f.readBytes(c.at, 18)
		if err != nil {
			return err
		}
		b = bytes.Clone(b)
		const hasXMP, hasEXIF = 0x04, 0x08
		if b[8] &^= hasXMP | hasEXIF; exif != nil {
			b[8] |= hasEXIF
		}
		return writeCleaned(to, b)
	})
	if err != nil {
		return err
	}
	return writeCleaned(to, exif)
}
