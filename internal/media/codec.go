package media

import (
	"strings"

	"belfry/internal/core"
)

// videoCodec names how pictures are written, by the name of their sample description.
func videoCodec(entry string) core.Codec {
	switch entry {
	case "avc1", "avc2", "avc3", "avc4":
		return core.CodecH264
	case "hvc1", "hev1", "hvc2", "hev2", "dvh1", "dvhe":
		return core.CodecH265
	case "vp08":
		return core.CodecVP8
	case "vp09":
		return core.CodecVP9
	case "av01", "dav1":
		return core.CodecAV1
	case "encv", "drmi":
		refuse(reasonEncrypted)
	}
	return printableCode(entry)
}

// printableCode is a code of four bytes without what cannot be printed.
func printableCode(code string) core.Codec {
	code = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, code)
	if code == "" {
		return "unknown"
	}
	return core.Codec(code)
}
