package media

import (
	"bytes"
	"encoding/binary"
)

// exifName begins the EXIF segment of a JPEG and, by mistake, that of some WebP files.
const exifName = "Exif\x00\x00"

// parseEXIFOrientation returns the orientation in EXIF, from 1 to 8. It returns 1, which means upright, if the
// orientation is missing or invalid (TIFF 6.0, Orientation).
func parseEXIFOrientation(tiff []byte) (orientationOrUpright int) {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == 0x0112 && order.Uint16(entries[2:]) == 3 {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}

// readEXIF sets the orientation from the first EXIF block of the file, and Private if the block contains anything else.
func (f *Facts) readEXIF(b []byte) {
	b = bytes.TrimPrefix(b, []byte(exifName))
	if f.Orientation == 1 {
		f.Orientation = parseEXIFOrientation(b)
	}
	f.Private = f.Private || !bytes.Equal(b, minimalEXIF(f.Orientation))
}

// minimalEXIF returns EXIF with only the orientation.
func minimalEXIF(orientation int) []byte {
	return []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1,
		0, byte(orientation), //nolint:gosec // 1 to 8
		0, 0, 0, 0, 0, 0,
	}
}
