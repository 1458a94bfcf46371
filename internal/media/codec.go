package media

import (
	"strings"

	"github.com/abema/go-mp4"

	"belfry/internal/core"
)

// videoCodec names how pictures are written, by the name of their sample description.
func videoCodec(entry string) (core.Codec, error) {
	switch entry {
	case "avc1", "avc2", "avc3", "avc4":
		return core.CodecH264, nil
	case "hvc1", "hev1", "hvc2", "hev2", "dvh1", "dvhe":
		return core.CodecH265, nil
	case "vp08":
		return core.CodecVP8, nil
	case "vp09":
		return core.CodecVP9, nil
	case "av01", "dav1":
		return core.CodecAV1, nil
	case "encv", "drmi":
		return "", refuse(reasonEncrypted)
	}
	return plain(entry), nil
}

// plain is a code of four bytes without what cannot be printed.
func plain(code string) core.Codec {
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

// describePixels reads what a box within a sample description says of the colours.
func (m *movie) describePixels(b box) error {
	at := map[string]int{"hvcC": 18, "vpcC": 7, "av1C": 3, "colr": 8, "fiel": 1}[b.name]
	switch {
	case b.name == "dvcC" || b.name == "dvvC":
		m.facts.HDR = true
		return nil
	case b.name == "avcC":
		return m.describeAVC(b)
	case at == 0:
		return nil
	case b.length() < int64(at):
		return refuse(reasonDamaged)
	}
	p, err := m.f.bytes(b.data, at)
	if err != nil {
		return err
	}
	chroma := func(idc byte) { m.facts.Chroma = [4]string{"4:0:0", "4:2:0", "4:2:2", "4:4:4"}[idc&3] }
	switch b.name {
	case "hvcC": // 14496-15, 8.3.3.1
		chroma(p[16])
		m.facts.BitDepth = int(p[17]&7) + 8
	case "vpcC": // VP Codec ISO Media File Format Binding
		chroma([4]byte{1, 1, 2, 3}[p[6]>>1&3])
		m.facts.BitDepth = int(p[6] >> 4)
	case "av1C": // AV1 Codec ISO Media File Format Binding, 2.3.3
		m.facts.BitDepth = 8 + 2*int(p[2]>>6&1) + 2*int(p[2]>>6&p[2]>>5&1)
		switch {
		case p[2]&0x10 != 0:
			chroma(0)
		case p[2]&0x08 != 0 && p[2]&0x04 != 0:
			chroma(1)
		case p[2]&0x08 != 0:
			chroma(2)
		default:
			chroma(3)
		}
	case "colr": // 14496-12, 12.1.5: PQ and HLG
		if kind := string(p[:4]); kind == "nclx" || kind == "nclc" {
			m.facts.HDR = m.facts.HDR || p[7] == 16 || p[7] == 18
		}
	case "fiel":
		m.facts.Interlaced = p[0] == 2
	}
	return nil
}

// describeAVC reads H.264's configuration: profiles below High have one form of colour (14496-15, 5.3.3.1).
func (m *movie) describeAVC(b box) error {
	var c mp4.AVCDecoderConfiguration
	c.SetType(mp4.StrToBoxType("avcC"))
	if err := m.unmarshal(b, &c); err != nil {
		return err
	}
	m.facts.Chroma = "4:2:0"
	switch {
	case c.Profile == 44 || c.Profile == 244: // the 4:4:4 profiles, whose further fields the library passes over
		m.facts.Chroma = "4:4:4"
	case c.HighProfileFieldsEnabled:
		m.facts.Chroma = [4]string{"4:0:0", "4:2:0", "4:2:2", "4:4:4"}[c.ChromaFormat&3]
		m.facts.BitDepth = int(c.BitDepthLumaMinus8) + 8
	}
	return nil
}
