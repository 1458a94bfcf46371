// Package mediatest makes small pictures and videos with given properties for tests.
package mediatest

import (
	"bytes"
	"encoding/binary"
)

// Box returns a box of an MP4: its length, its four-byte name, and its content.
func Box(name string, content ...[]byte) []byte {
	whole := bytes.Join(content, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(whole))), name...), whole...)
}

// Words returns 32-bit numbers in the format of boxes.
func Words(of ...int) (out []byte) {
	for _, w := range of {
		out = binary.BigEndian.AppendUint32(out, uint32(w))
	}
	return out
}

// Halves returns 16-bit numbers in the format of boxes.
func Halves(of ...int) (out []byte) {
	for _, w := range of {
		out = binary.BigEndian.AppendUint16(out, uint16(w))
	}
	return out
}
