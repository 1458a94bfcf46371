package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// hostile is a file that is not taken, and why. Of a long one only the beginning is held: zeros follow.
type hostile struct {
	bytes  []byte
	size   int64 // 0: that of bytes
	claim  DeclaredType
	reason string
}

func (h hostile) reader() *meter {
	return &meter{head: h.bytes, size: max(h.size, int64(len(h.bytes)))}
}

// meter is a file of zeros after its head that counts what is read of it.
type meter struct {
	head        []byte
	size        int64
	reads, most int
	bytes       int64
}

func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	m.reads, m.bytes, m.most = m.reads+1, m.bytes+int64(len(p)), max(m.most, len(p))
	n := 0
	if off < int64(len(m.head)) {
		n = copy(p, m.head[off:])
	}
	rest := p[n:min(int64(len(p)), max(0, m.size-off))]
	clear(rest)
	if n += len(rest); n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// beginnings are what other files begin with.
func beginnings() map[string]hostile {
	all := map[string]hostile{
		"tar": {bytes: append(make([]byte, 257), "ustar\x0000"...), reason: reasonArchive},
	}
	for _, s := range []struct{ name, magic, reason string }{
		{"nothing", "", reasonEmpty},
		{"one byte", "\x00", reasonUnknown},
		{"zeros", strings.Repeat("\x00", 4096), reasonUnknown},
		{"noise", "\x8f\x02\x11\xfe\x9c\x40\x00\x01", reasonUnknown},
		{"text", "Dear editor,\nfind my picture enclosed.\n", reasonText},
		{"a page", "<!DOCTYPE html><html><body>Not found</body></html>", reasonHTML},
		{"a page after space", "\n\n  <HTML lang=en>", reasonHTML},
		{"a script", "<script>alert(1)</script>", reasonHTML},
		{"php", "<?php system($_GET['c']);", reasonProgram},
		{"svg", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", reasonSVG},
		{"svg with a prologue", "<?xml version='1.0'?>\n<!-- drawn -->\n<SVG/>", reasonSVG},
		{"pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3", reasonPDF},
		{"zip", "PK\x03\x04\x14\x00", reasonArchive},
		{"empty zip", "PK\x05\x06" + strings.Repeat("\x00", 18), reasonArchive},
		{"rar", "Rar!\x1a\x07\x01\x00", reasonArchive},
		{"7z", "7z\xbc\xaf\x27\x1c\x00\x04", reasonArchive},
		{"gzip", "\x1f\x8b\x08\x00", reasonArchive},
		{"bzip2", "BZh91AY&SY", reasonArchive},
		{"xz", "\xfd7zXZ\x00", reasonArchive},
		{"zstd", "\x28\xb5\x2f\xfd", reasonArchive},
		{"tiff, little end", "II*\x00\x08\x00\x00\x00", reasonTIFF},
		{"tiff, big end", "MM\x00*\x00\x00\x00\x08", reasonTIFF},
		{"raf", "FUJIFILMCCD-RAW 0201", reasonRaw},
		{"bmp", "BM\x36\x00\x00\x00", reasonBMP},
		{"icon", "\x00\x00\x01\x00\x01\x00", reasonICO},
		{"psd", "8BPS\x00\x01", reasonPSD},
		{"jxl", "\xff\x0a\xfa\x1f", reasonJXL},
		{"jxl in boxes", "\x00\x00\x00\x0cJXL \r\n\x87\n", reasonJXL},
		{"jp2", "\x00\x00\x00\x0cjP  \r\n\x87\n", reasonJP2},
		{"j2k", "\xff\x4f\xff\x51\x00", reasonJP2},
		{"webm", "\x1a\x45\xdf\xa3\x9fB\x86\x81\x01", reasonWebM},
		{"avi", "RIFF\x00\x10\x00\x00AVI LIST", reasonAVI},
		{"wav", "RIFF\x00\x10\x00\x00WAVEfmt ", reasonAudio},
		{"flv", "FLV\x01\x05", reasonFLV},
		{"mpeg", "\x00\x00\x01\xba\x44", reasonMPEG},
		{"wmv", "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9", reasonWMV},
		{"mp3", "ID3\x04\x00", reasonAudio},
		{"ogg", "OggS\x00\x02", reasonAudio},
		{"flac", "fLaC\x00\x00", reasonAudio},
		{"exe", "MZ\x90\x00\x03", reasonProgram},
		{"elf", "\x7fELF\x02\x01\x01", reasonProgram},
		{"shell", "#!/bin/sh\nrm -r ~", reasonProgram},
		{"wasm", "\x00asm\x01\x00\x00\x00", reasonProgram},
		{"java", "\xca\xfe\xba\xbe\x00\x00\x00\x34", reasonProgram},
		{"hls", "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", reasonPlaylist},
		{"ffconcat", "ffconcat version 1.0\nfile /etc/passwd\n", reasonPlaylist},
		{"dash", "<?xml version='1.0'?><MPD><BaseURL>file:///etc/passwd</BaseURL></MPD>", reasonPlaylist},
		{"pls", "[playlist]\nFile1=file:///etc/passwd\n", reasonPlaylist},
		{"smil", "<smil><body><video src='http://127.0.0.1'/></body></smil>", reasonPlaylist},
	} {
		all[s.name] = hostile{bytes: []byte(s.magic), claim: DeclaredType{Name: "clip.mp4"}, reason: s.reason}
	}
	for name, brands := range map[string][2]string{
		"heic": {"heic", reasonHEIC}, "heix": {"heix", reasonHEIC}, "hevc": {"hevc", reasonHEIC},
		"msf1":      {"msf1", reasonHEIC},
		"mif1 heic": {"mif1\x00\x00\x00\x00mif1heic", reasonHEIC}, "mif1 avif": {"mif1\x00\x00\x00\x00mif1avif", reasonAVIF},
		"avif": {"avif", reasonAVIF}, "avis": {"avis\x00\x00\x00\x00avismsf1iso8", reasonAVIF}, "cr3": {"crx ", reasonRaw},
		"jxl brand": {"jxl ", reasonJXL}, "m4a": {"M4A \x00\x00\x02\x00M4A mp42isom", reasonAudio},
		"no brand": {"zzzz", reasonUnknown},
	} {
		all["brand "+name] = hostile{bytes: mediatest.Box("ftyp", []byte(brands[0])), reason: brands[1]}
	}
	all["brand missing"] = hostile{bytes: mediatest.Box("ftyp"), reason: reasonDamaged}
	return all
}

// pretenders are good files that were sent as something else, and good files that are also something else.
func pretenders() map[string]hostile {
	jpg, png, gif, webp, mp4 := mediatest.JPEG(40, 30), mediatest.PNG(40, 30), mediatest.GIF(40, 30, 1),
		mediatest.WebP(40, 30), mediatest.MP4(mediatest.Movie{})
	zip := "PK\x03\x04" + strings.Repeat("a", 60) + "PK\x01\x02" + strings.Repeat("b", 42) +
		"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x2e\x00\x00\x00\x40\x00\x00\x00\x00\x00"
	with := func(file []byte, more string) []byte { return slices.Concat(file, []byte(more)) }
	comment := func(text string) []byte {
		return slices.Concat(jpg[:2], []byte{0xff, 0xfe}, mediatest.Halves(2+len(text)), []byte(text), jpg[2:])
	}
	all := map[string]hostile{
		"video as .jpg": {
			bytes: mp4, claim: DeclaredType{Name: "a.JPG"},
			reason: reasonOtherKind(DeclaredType{Name: "a.JPG"}, "video"),
		},
		"picture as .mp4": {
			bytes: jpg, claim: DeclaredType{Name: "a.mp4"},
			reason: reasonOtherKind(DeclaredType{Name: "a.mp4"}, "image"),
		},
		"picture as video/mp4": {
			bytes: png, claim: DeclaredType{Name: "a", Mime: "video/mp4"},
			reason: reasonOtherKind(DeclaredType{Mime: "video/mp4"}, "image"),
		},
		"video as image/png": {
			bytes: mp4, claim: DeclaredType{Mime: "image/png"},
			reason: reasonOtherKind(DeclaredType{Mime: "image/png"}, "video"),
		},
		"page as .jpg": {
			bytes: []byte("<html>"), claim: DeclaredType{Name: "a.jpg", Mime: "image/jpeg"},
			reason: reasonHTML,
		},
		"gif and script": {
			bytes:  slices.Concat([]byte("GIF89a/*"), gif[8:], []byte("*/=1;alert(1)")),
			reason: reasonActive,
		},
		"gif and assignment": {
			bytes:  slices.Concat([]byte("GIF89a='"), gif[8:], []byte("';alert(1)")),
			reason: reasonActive,
		},
		"jpeg and script": {bytes: slices.Concat(jpg[:2], []byte("\xff\xe0/*"), make([]byte, 0x2f2a-2), jpg[2:],
			[]byte("*/=alert(1)")), reason: reasonActive},
		"jpeg and zip":          {bytes: with(jpg, zip), reason: reasonActive},
		"png and zip":           {bytes: with(png, zip), reason: reasonActive},
		"gif and zip":           {bytes: with(gif, zip), reason: reasonActive},
		"webp and zip":          {bytes: with(webp, zip), reason: reasonActive},
		"mp4 and zip":           {bytes: with(mp4, string(mediatest.Box("free", []byte(zip)))), reason: reasonActive},
		"jpeg and remarked zip": {bytes: with(jpg, "   "+zip[:len(zip)-2]+"\x05\x00hello"), reason: reasonActive},
		"mp4 and a zip's tale": {
			bytes: with(mp4,
				string(mediatest.Box("free", []byte(zip[:len(zip)-2]+"\xff\xff"+strings.Repeat("x", 1<<16-1))))),
			reason: reasonActive,
		},
		"jpeg and rar":   {bytes: with(jpg, "Rar!\x1a\x07\x01\x00"), reason: reasonActive},
		"jpeg and 7z":    {bytes: with(jpg, "7z\xbc\xaf\x27\x1c"), reason: reasonActive},
		"jpeg and page":  {bytes: with(jpg, "<html><script>"), reason: reasonActive},
		"jpeg and pdf":   {bytes: with(jpg, "%PDF-1.4"), reason: reasonActive},
		"jpeg and elf":   {bytes: with(jpg, "\x7fELF\x02"), reason: reasonActive},
		"png and php":    {bytes: with(png, "\n<?php phpinfo();"), reason: reasonActive},
		"pdf in a jpeg":  {bytes: comment("%PDF-1.3\n1 0 obj"), reason: reasonActive},
		"page in a jpeg": {bytes: comment("<HTML><body onload=alert(1)>"), reason: reasonActive},
		"svg in a jpeg":  {bytes: comment("<svg onload=alert(1)>"), reason: reasonActive},
		"script in a png": {bytes: slices.Concat(png[:33],
			pngChunk("tEXt", []byte("Comment\x00<script>alert(1)</script>")), png[33:]), reason: reasonActive},
		"page in a gif": {
			bytes:  slices.Concat(gif[:13+6], []byte("!\xfe\x06<html>\x00"), gif[19:]),
			reason: reasonActive,
		},
		"page in a webp": {
			bytes:  mediatest.Riff(webp[12:], mediatest.Chunk("note", []byte("<iframe src=x>"))),
			reason: reasonActive,
		},
		"pdf in an mp4": {
			bytes:  slices.Concat(mp4[:32], mediatest.Box("free", []byte("%PDF-1.5")), mp4[32:]),
			reason: reasonActive,
		},
		"playlist in an mp4": {bytes: slices.Concat(mp4[:32],
			mediatest.Box("free", []byte("\n#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd")), mp4[32:]), reason: reasonActive},
		"page in an mp4's brand": {bytes: slices.Concat(mediatest.Box("ftyp", []byte("isom<script>alert(1)</script>   ")),
			mp4[32:]), reason: reasonActive},
	}
	return all
}

func pngChunk(name string, content []byte) []byte {
	return slices.Concat(mediatest.Words(len(content)), []byte(name), content, mediatest.Words(0))
}

func segmentOf(mark byte, content ...byte) []byte {
	return slices.Concat([]byte{0xff, mark}, mediatest.Halves(2+len(content)), content)
}

func badJPEGs() map[string]hostile {
	frame := func(mark byte, bits, width, height, colours int) []byte {
		return segmentOf(mark,
			slices.Concat([]byte{byte(bits)}, mediatest.Halves(height, width), []byte{byte(colours)},
				make([]byte, 3*colours))...)
	}
	scan := slices.Concat(segmentOf(0xda, 1, 1, 0, 0, 63, 0), []byte("abc\xff\x00d\xff\xd0e"))
	file := func(parts ...[]byte) []byte {
		return slices.Concat([]byte{0xff, 0xd8}, slices.Concat(parts...), []byte{0xff, 0xd9})
	}
	sof := func(width, height int) []byte { return frame(0xc0, 8, width, height, 3) }
	all := map[string]hostile{
		"no width":     {bytes: file(sof(0, 9), scan), reason: reasonNoSize},
		"no height":    {bytes: file(sof(9, 0), scan), reason: reasonNoSize},
		"bomb":         {bytes: file(sof(65535, 65535), scan), reason: reasonTooManyPixels(core.FileImage, 65535, 65535)},
		"two frames":   {bytes: file(sof(9, 9), sof(9, 9), scan), reason: reasonDamaged},
		"no frame":     {bytes: file(scan), reason: reasonDamaged},
		"no scan":      {bytes: file(sof(9, 9)), reason: reasonNoPicture},
		"nothing":      {bytes: file(segmentOf(0xe0)), reason: reasonNoPicture},
		"lossless":     {bytes: file(frame(0xc3, 8, 9, 9, 3), scan), reason: reasonJPEGKind},
		"arithmetic":   {bytes: file(frame(0xc9, 8, 9, 9, 3), scan), reason: reasonJPEGKind},
		"twelve bits":  {bytes: file(frame(0xc1, 12, 9, 9, 3), scan), reason: reasonJPEGKind},
		"two colours":  {bytes: file(frame(0xc0, 8, 9, 9, 2), scan), reason: reasonJPEGKind},
		"short frame":  {bytes: file(segmentOf(0xc0, 8, 0), scan), reason: reasonDamaged},
		"length 0":     {bytes: file([]byte{0xff, 0xe1, 0, 0}), reason: reasonDamaged},
		"length 1":     {bytes: file([]byte{0xff, 0xe1, 0, 1}), reason: reasonDamaged},
		"second start": {bytes: slices.Concat([]byte{0xff, 0xd8, 0xff, 0xd8}, sof(9, 9)), reason: reasonDamaged},
		"no marker":    {bytes: file(segmentOf(0xe0), []byte("xx")), reason: reasonDamaged},
		"start alone":  {bytes: []byte{0xff, 0xd8, 0xff}, reason: reasonIncomplete},
		"fill to end": {
			bytes:  slices.Concat([]byte{0xff, 0xd8}, bytes.Repeat([]byte{0xff}, 100_000)),
			reason: reasonIncomplete,
		},
		"many segments":  {bytes: file(bytes.Repeat(segmentOf(0xe5), 20_000), sof(9, 9), scan), reason: reasonManyParts},
		"many scans":     {bytes: file(sof(9, 9), bytes.Repeat(scan, 300)), reason: reasonManyParts},
		"endless scan":   {bytes: slices.Concat([]byte{0xff, 0xd8}, sof(9, 9), scan), size: 5 << 20, reason: reasonIncomplete},
		"heavy":          {bytes: slices.Concat([]byte{0xff, 0xd8}, sof(9, 9), scan), size: 300 << 20, reason: reasonHeavy},
		"promised later": {bytes: slices.Concat([]byte{0xff, 0xd8}, []byte{0xff, 0xe1, 0xff, 0xff}), reason: reasonIncomplete},
	}
	good := mediatest.JPEG(64, 64)
	for at := 3; at < len(good)-1; at += len(good) / 12 {
		all[fmt.Sprintf("cut at %d", at)] = hostile{bytes: good[:at], reason: reasonIncomplete}
	}
	return all
}

func badPNGs() map[string]hostile {
	const start = "\x89PNG\r\n\x1a\n"
	head := func(width, height int) []byte {
		return pngChunk("IHDR", slices.Concat(mediatest.Words(width, height), []byte{8, 2, 0, 0, 0}))
	}
	file := func(parts ...[]byte) []byte {
		return slices.Concat([]byte(start), slices.Concat(parts...), pngChunk("IEND", nil))
	}
	data := pngChunk("IDAT", []byte("zz"))
	frames := bytes.Repeat(pngChunk("fcTL", make([]byte, 26)), 201)
	all := map[string]hostile{
		"bomb":             {bytes: file(head(100_000, 100_000), data), reason: reasonTooManyPixels(core.FileImage, 100_000, 100_000)},
		"bomb of overflow": {bytes: file(head(1<<32-1, 1<<32-1), data), reason: reasonTooManyPixels(core.FileImage, 1<<32-1, 1<<32-1)},
		"a long line":      {bytes: file(head(100_000_001, 1), data), reason: reasonTooManyPixels(core.FileImage, 100_000_001, 1)},
		"no width":         {bytes: file(head(0, 9), data), reason: reasonNoSize},
		"no height":        {bytes: file(head(9, 0), data), reason: reasonNoSize},
		"no header":        {bytes: file(data), reason: reasonDamaged},
		"two headers":      {bytes: file(head(9, 9), head(9, 9), data), reason: reasonDamaged},
		"long header":      {bytes: file(pngChunk("IHDR", make([]byte, 14)), data), reason: reasonDamaged},
		"short header":     {bytes: file(pngChunk("IHDR", make([]byte, 4)), data), reason: reasonDamaged},
		"no data":          {bytes: file(head(9, 9)), reason: reasonNoPicture},
		"no end":           {bytes: slices.Concat([]byte(start), head(9, 9), data), reason: reasonIncomplete},
		"negative length":  {bytes: file(head(9, 9), mediatest.Words(-1), []byte("IDAT")), reason: reasonDamaged},
		"endless chunk":    {bytes: file(head(9, 9), mediatest.Words(1<<31-1), []byte("IDAT")), reason: reasonIncomplete},
		"nameless chunk":   {bytes: file(head(9, 9), pngChunk("\x00\x01\x02\x03", nil)), reason: reasonDamaged},
		"many chunks":      {bytes: file(head(9, 9), bytes.Repeat(pngChunk("IDAT", nil), 110_000)), reason: reasonManyParts},
		"many frames":      {bytes: file(head(9, 9), pngChunk("acTL", make([]byte, 8)), frames, data), reason: reasonFrames},
		"short frame":      {bytes: file(head(9, 9), pngChunk("fcTL", make([]byte, 3)), data), reason: reasonDamaged},
		"magic alone":      {bytes: []byte(start), reason: reasonIncomplete},
	}
	good := mediatest.PNG(64, 64)
	for at := 9; at < len(good); at += len(good) / 10 {
		all[fmt.Sprintf("cut at %d", at)] = hostile{bytes: good[:at], reason: reasonIncomplete}
	}
	return all
}

func badGIFs() map[string]hostile {
	head := func(width, height int) []byte {
		return slices.Concat([]byte("GIF89a"),
			binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, uint16(width)), uint16(height)),
			[]byte{0, 0, 0})
	}
	frame := []byte{0x2c, 0, 0, 0, 0, 4, 0, 4, 0, 0, 2, 1, 0x44, 0}
	end := []byte{0x3b}
	all := map[string]hostile{
		"many frames":    {bytes: slices.Concat(head(4, 4), bytes.Repeat(frame, 10_000), end), reason: reasonFrames},
		"bomb":           {bytes: slices.Concat(head(65535, 65535), frame, end), reason: reasonTooManyPixels(core.FileImage, 65535, 65535)},
		"no frames":      {bytes: slices.Concat(head(4, 4), end), reason: reasonNoPicture},
		"no width":       {bytes: slices.Concat(head(0, 4), frame, end), reason: reasonNoSize},
		"no height":      {bytes: slices.Concat(head(4, 0), frame, end), reason: reasonNoSize},
		"frame outside":  {bytes: slices.Concat(head(3, 3), frame, end), reason: reasonDamaged},
		"unknown block":  {bytes: slices.Concat(head(4, 4), []byte{0x99}, frame, end), reason: reasonDamaged},
		"no end":         {bytes: slices.Concat(head(4, 4), frame), reason: reasonIncomplete},
		"header cut":     {bytes: head(4, 4)[:9], reason: reasonIncomplete},
		"palette cut":    {bytes: append(head(4, 4)[:10], 0x87, 0, 0, 1, 2, 3), reason: reasonIncomplete},
		"extension cut":  {bytes: slices.Concat(head(4, 4), []byte{0x21, 0xf9}), reason: reasonIncomplete},
		"descriptor cut": {bytes: slices.Concat(head(4, 4), frame[:6]), reason: reasonIncomplete},
		"endless comment": {
			bytes:  slices.Concat(head(4, 4), []byte{0x21, 0xfe}, bytes.Repeat([]byte{255}, 300_000)),
			reason: reasonIncomplete,
		},
		"local palette of": {
			bytes:  slices.Concat(head(4, 4), []byte{0x2c, 0, 0, 0, 0, 4, 0, 4, 0, 0x87}),
			reason: reasonIncomplete,
		},
	}
	good := mediatest.GIF(40, 30, 3)
	for at := 7; at < len(good); at += len(good) / 8 {
		all[fmt.Sprintf("cut at %d", at)] = hostile{bytes: good[:at], reason: reasonIncomplete}
	}
	return all
}

func badWebPs() map[string]hostile {
	riff, chunk := mediatest.Riff, mediatest.Chunk
	canvas := func(width, height int) []byte {
		readUint24LE := func(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }
		return chunk("VP8X", slices.Concat([]byte{2, 0, 0, 0}, readUint24LE(width-1), readUint24LE(height-1)))
	}
	good := mediatest.WebP(40, 30)
	still := good[12:]
	anmf := chunk("ANMF", make([]byte, 32))
	lossy := func(bits ...byte) []byte { return chunk("VP8 ", append(bits, make([]byte, 10)...)) }
	all := map[string]hostile{
		"bomb":             {bytes: riff(canvas(1<<24, 1<<24), still), reason: reasonTooManyPixels(core.FileImage, 1<<24, 1<<24)},
		"lossless bomb":    {bytes: mediatest.WebP(16384, 16384), reason: reasonTooManyPixels(core.FileImage, 16384, 16384)},
		"no picture":       {bytes: riff(canvas(40, 30)), reason: reasonNoPicture},
		"odd first chunk":  {bytes: riff(chunk("ICCP", nil), still), reason: reasonDamaged},
		"two pictures":     {bytes: riff(still, still), reason: reasonDamaged},
		"still and moving": {bytes: riff(canvas(40, 30), still, anmf), reason: reasonDamaged},
		"many frames":      {bytes: riff(canvas(40, 30), bytes.Repeat(anmf, 201)), reason: reasonFrames},
		"frame outside": {
			bytes:  riff(canvas(40, 30), chunk("ANMF", slices.Concat([]byte{200, 0, 0}, make([]byte, 20)))),
			reason: reasonDamaged,
		},
		"short frame":      {bytes: riff(canvas(40, 30), chunk("ANMF", make([]byte, 5))), reason: reasonDamaged},
		"frame, no canvas": {bytes: riff(anmf), reason: reasonDamaged},
		"two canvases":     {bytes: riff(canvas(40, 30), canvas(40, 30), still), reason: reasonDamaged},
		"short canvas":     {bytes: riff(chunk("VP8X", make([]byte, 4)), still), reason: reasonDamaged},
		"endless chunk": {
			bytes:  append([]byte("RIFF\x20\x00\x00\x00WEBPVP8L\xff\xff\xff\xff"), make([]byte, 30)...),
			reason: reasonDamaged,
		},
		"longer than it":  {bytes: append([]byte("RIFF\xff\xff\xff\xffWEBP"), still...), reason: reasonIncomplete},
		"nothing in it":   {bytes: append([]byte("RIFF\x04\x00\x00\x00WEBP"), still...), reason: reasonDamaged},
		"lossy, no key":   {bytes: riff(lossy(1, 0, 0, 0x9d, 1, 0x2a, 8, 0, 8, 0)), reason: reasonDamaged},
		"lossy, no sign":  {bytes: riff(lossy(0, 0, 0, 1, 2, 3, 8, 0, 8, 0)), reason: reasonDamaged},
		"lossy, no width": {bytes: riff(lossy(0, 0, 0, 0x9d, 1, 0x2a, 0, 0, 8, 0)), reason: reasonNoSize},
		"lossless, sign":  {bytes: riff(chunk("VP8L", []byte{1, 2, 3, 4, 5})), reason: reasonDamaged},
		"lossless, short": {bytes: riff(chunk("VP8L", []byte{0x2f, 2})), reason: reasonDamaged},
		"many chunks":     {bytes: riff(still, bytes.Repeat(chunk("junk", nil), 110_000)), reason: reasonManyParts},
	}
	for at := 13; at < len(good); at += 5 {
		all[fmt.Sprintf("cut at %d", at)] = hostile{bytes: good[:at], reason: reasonIncomplete}
	}
	return all
}

// swap writes over a file at so many bytes after the n-th place where a word stands.
func swap(file []byte, word string, n, after int, with ...byte) []byte {
	at := 0
	for range n + 1 {
		at += bytes.Index(file[at:], []byte(word)) + len(word)
	}
	file = bytes.Clone(file)
	copy(file[at+after:], with)
	return file
}

func badMP4s() map[string]hostile {
	const (
		ftyp = 32
		huge = 0xff
	)
	movie := mediatest.Movie{Audio: "mp4a", Duration: time.Second}
	good := mediatest.MP4(movie)
	box, words := mediatest.Box, mediatest.Words
	moov := func(content ...[]byte) []byte { return slices.Concat(good[:ftyp], box("moov", content...)) }
	deep := func(name string, depth int) (out []byte) {
		for n := depth; n > 0; n-- {
			out = append(append(out, words(8*n)...), name...)
		}
		return out
	}
	fragmented := mediatest.MP4(mediatest.Movie{Fragmented: true})
	external := swap(good, "url ", 0, 0, 0, 0, 0, 0)
	all := map[string]hostile{
		"type alone": {bytes: good[:ftyp], reason: reasonNoMoov},
		"no index":   {bytes: slices.Concat(good[:ftyp], box("mdat", make([]byte, 99))), reason: reasonNoMoov},
		"box of 7 bytes": {
			bytes:  slices.Concat(good[:ftyp], words(7), []byte("free"), good[ftyp:]),
			reason: reasonDamaged,
		},
		"long box of 15": {
			bytes:  slices.Concat(good[:ftyp], words(1), []byte("free"), words(0, 15), good[ftyp:]),
			reason: reasonDamaged,
		},
		"long box of 2^63": {
			bytes:  slices.Concat(good[:ftyp], words(1), []byte("free"), words(1<<31, 0), good[ftyp:]),
			reason: reasonIncomplete,
		},
		"long box of 2^64-1": {
			bytes:  slices.Concat(good[:ftyp], words(1), []byte("free"), words(-1, -1), good[ftyp:]),
			reason: reasonIncomplete,
		},
		"huge index": {
			bytes: slices.Concat(good[:ftyp], words(1<<30), []byte("moov")), size: 2 << 30,
			reason: reasonBigMoov,
		},
		"index beyond the end": {bytes: slices.Concat(good[:ftyp], words(1<<30), []byte("moov")), reason: reasonNoMoov},
		"data beyond the end":  {bytes: slices.Concat(good[:ftyp], words(1<<30), []byte("mdat")), reason: reasonIncomplete},
		"two indexes":          {bytes: slices.Concat(good, good[ftyp:]), reason: reasonDamaged},
		"empty index":          {bytes: moov(), reason: reasonNoVideo},
		"a million boxes":      {bytes: moov(bytes.Repeat(box("free"), 1_000_100)), reason: reasonManyParts},
		"too many at the top": {
			bytes:  slices.Concat(good[:ftyp], bytes.Repeat(box("free"), 200_100)),
			reason: reasonManyParts,
		},
		"deep tracks":  {bytes: moov(deep("trak", 100_000)), reason: reasonNoVideo},
		"deep media":   {bytes: moov(box("trak", deep("mdia", 100_000))), reason: reasonNoVideo},
		"many tracks":  {bytes: moov(bytes.Repeat(box("trak"), 101)), reason: reasonManyParts},
		"packed index": {bytes: moov(box("cmov", make([]byte, 40))), reason: reasonDamaged},
		"handler of metadata": {bytes: moov(box("trak",
			box("meta", words(0), box("hdlr", words(0, 0), []byte("vide"), words(0, 0, 0))))), reason: reasonNoVideo},
		"short movie header":     {bytes: moov(box("mvhd", words(0, 0))), reason: reasonDamaged},
		"long movie header":      {bytes: moov(box("mvhd", make([]byte, 40_000))), reason: reasonDamaged},
		"short track header":     {bytes: moov(box("trak", box("tkhd", words(0)))), reason: reasonDamaged},
		"short media header":     {bytes: moov(box("trak", box("mdia", box("mdhd", words(0))))), reason: reasonDamaged},
		"short handler":          {bytes: moov(box("trak", box("mdia", box("hdlr", words(0))))), reason: reasonDamaged},
		"track beyond its index": {bytes: moov(words(100), []byte("trak")), reason: reasonIncomplete},
		"sound alone":            {bytes: swap(good, "vide", 0, -4, []byte("text")...), reason: reasonAudio},
		"pictures elsewhere":     {bytes: external, reason: reasonOutside},
		"encrypted":              {bytes: swap(good, "avc1", 1, -4, []byte("encv")...), reason: reasonEncrypted},
		"encrypted sound":        {bytes: swap(good, "mp4a", 0, -4, []byte("enca")...), reason: reasonEncrypted},
		"no size": {
			bytes:  swap(swap(good, "avc1", 1, 24, 0, 0, 0, 0), "tkhd", 0, 76, make([]byte, 8)...),
			reason: reasonNoSize,
		},
		"bomb": {
			bytes:  swap(good, "avc1", 1, 24, huge, huge, huge, huge),
			reason: reasonTooManyPixels(core.FileVideo, 65535, 65535),
		},
		"wide pixels": {
			bytes:  mediatest.MP4(mediatest.Movie{Width: 60_000, Height: 60_000}),
			reason: reasonTooManyPixels(core.FileVideo, 60_000, 60_000),
		},
		"description beyond":     {bytes: swap(good, "avc1", 1, -8, 0x7f, 0, 0, 0), reason: reasonIncomplete},
		"description of nothing": {bytes: swap(good, "avc1", 1, -8, 0, 0, 0, 8), reason: reasonDamaged},
		"no description":         {bytes: swap(good, "stsd", 0, -4, []byte("xxxx")...), reason: reasonDamaged},
		"configuration beyond":   {bytes: swap(good, "avcC", 0, -8, 0x7f, 0, 0, 0), reason: reasonIncomplete},
		"times of 2^32 rows":     {bytes: swap(good, "stts", 0, 4, huge, huge, huge, huge), reason: reasonDamaged},
		"times beyond counting": {
			bytes:  swap(good, "stts", 0, 8, huge, huge, huge, huge, 0x7f, huge, huge, huge),
			reason: reasonTooLong,
		},
		"no times": {bytes: swap(good, "stts", 0, 8, 0, 0, 0, 0), reason: reasonNoSamples},
		"sizes of 2^32 rows": {
			bytes:  swap(good, "stsz", 0, 4, 0, 0, 0, 0, huge, huge, huge, huge),
			reason: reasonDamaged,
		},
		"samples of 4 GiB": {bytes: swap(good, "stsz", 0, 4, huge, huge, huge, huge), reason: reasonIncomplete},
		"2^32 samples of 4 GiB": {bytes: swap(swap(good, "stsz", 0, 4, huge, huge, huge, huge, huge, huge, huge, huge),
			"stsc", 0, 12, huge, huge, huge, huge), reason: reasonDamaged},
		"compact sizes of 3": {
			bytes:  swap(swap(good, "stsz", 0, 4, 0, 0, 0, 3), "stsz", 0, -4, []byte("stz2")...),
			reason: reasonDamaged,
		},
		"chunks from 0":         {bytes: swap(good, "stsc", 0, 8, 0, 0, 0, 0), reason: reasonDamaged},
		"chunks from 2":         {bytes: swap(good, "stsc", 0, 8, 0, 0, 0, 2), reason: reasonDamaged},
		"chunks of nothing":     {bytes: swap(good, "stsc", 0, 12, 0, 0, 0, 0), reason: reasonDamaged},
		"chunks of 2^32 rows":   {bytes: swap(good, "stsc", 0, 4, huge, huge, huge, huge), reason: reasonDamaged},
		"no chunk rows":         {bytes: swap(good, "stsc", 0, 4, 0, 0, 0, 0), reason: reasonDamaged},
		"places beyond the end": {bytes: swap(good, "stco", 0, 8, 0x7f, huge, huge, huge), reason: reasonIncomplete},
		"places of 2^32 rows":   {bytes: swap(good, "stco", 0, 4, huge, huge, huge, huge), reason: reasonDamaged},
		"no places":             {bytes: swap(good, "stco", 0, -4, []byte("xxxx")...), reason: reasonDamaged},
		"no length": {bytes: swap(swap(swap(good, "mvhd", 0, 16, 0, 0, 0, 0), "mdhd", 0, 16, 0, 0, 0, 0), "stts",
			0, 12, 0, 0, 0, 0), reason: reasonNoLength},
		"a length of a century": {
			bytes:  swap(good, "mvhd", 0, 12, 0, 0, 0, 1, huge, huge, huge, 0xfe),
			reason: reasonTooLong,
		},
		"fragments to come":    {bytes: fragmented[:bytes.Index(fragmented, []byte("moof"))-4], reason: reasonFragmentEnd},
		"fragment cut":         {bytes: fragmented[:len(fragmented)-30], reason: reasonIncomplete},
		"fragment of no track": {bytes: swap(fragmented, "tfhd", 0, -4, []byte("xxxx")...), reason: reasonDamaged},
		"run of lies": {
			bytes:  swap(fragmented, "trun", 0, 0, 0, 0, 7, 1, huge, huge, huge, huge),
			reason: reasonDamaged,
		},
		"run beyond counting": {bytes: swap(swap(fragmented, "trun", 0, 4, huge, huge, huge, huge), "trex", 0, 12, huge,
			huge, huge, huge), reason: reasonTooLong},
		"short run": {bytes: slices.Concat(fragmented,
			box("moof", box("traf", box("tfhd", words(0x020000, 1)), box("trun", words(0))))), reason: reasonDamaged},
	}
	maps.Copy(all, cuts(good))
	maps.Copy(all, cuts(mediatest.MP4(mediatest.Movie{Duration: time.Second, MoovLast: true, QuickTime: true})))
	return all
}

// cuts end a file at the beginning of each of its boxes, and after its header.
func cuts(file []byte) map[string]hostile {
	all := map[string]hostile{}
	data, moov := bytes.Index(file, []byte("mdat"))-4, bytes.Index(file, []byte("moov"))-4
	var walk func(at, end int)
	walk = func(at, end int) {
		for at < end {
			size, name := int(binary.BigEndian.Uint32(file[at:])), string(file[at+4:at+8])
			for _, cut := range []int{at, at + 8} {
				reason := reasonNoMoov
				if moov < data && cut >= data || data < moov && cut >= data+8 && cut < moov {
					reason = reasonIncomplete
				}
				if cut > 16 && cut < len(file) {
					all[fmt.Sprintf("cut at %s, %d of %d", name, cut, len(file))] = hostile{bytes: file[:cut], reason: reason}
				}
			}
			if strings.Contains("moov trak mdia minf stbl", name) {
				walk(at+8, at+size)
			}
			at += size
		}
	}
	walk(0, len(file))
	return all
}

func hostiles() map[string]hostile {
	all := map[string]hostile{}
	for family, files := range map[string]map[string]hostile{
		"begins as": beginnings(), "pretends": pretenders(), "jpeg": badJPEGs(), "png": badPNGs(), "gif": badGIFs(),
		"webp": badWebPs(), "mp4": badMP4s(),
	} {
		for name, file := range files {
			all[family+": "+name] = file
		}
	}
	return all
}

func TestHostileFilesAreRefusedWithTheirReason(t *testing.T) {
	t.Parallel()
	all := hostiles()
	if len(all) < 200 {
		t.Errorf("%d files", len(all))
	}
	for name, h := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := h.reader()
			facts, err := Examine(t.Context(), r, r.size, h.claim)
			if !isRefusal(err) {
				t.Fatalf("read %+v with %v", facts, err)
			}
			if err.Error() != h.reason {
				t.Errorf("refused because %q and not because %q", err, h.reason)
			}
		})
	}
}

// A JPEG with a damaged byte in the middle was refused as a file without an end, although its end was there.
func TestTheReasonForADamagedJPEGIsTrue(t *testing.T) {
	t.Parallel()
	damaged := mediatest.JPEG(64, 64)
	scan := bytes.Index(damaged, []byte{0xff, 0xda})
	damaged[scan+2] = 0xff // the length of the scan's header now leads beyond the end of the file
	_, err := Examine(t.Context(), bytes.NewReader(damaged), int64(len(damaged)), DeclaredType{Name: "bell.jpg"})
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("the reason is %v", err)
	}
}

// Not parallel, since what others allocate would count.
func TestHostileFilesCostLittle(t *testing.T) { //nolint:paralleltest // see above
	for name, h := range hostiles() {
		var before, after runtime.MemStats
		r := h.reader()
		runtime.ReadMemStats(&before)
		_, err := Examine(t.Context(), r, r.size, h.claim)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: taken", name)
		}
		// names of boxes are copied and dropped, at twice the cost under the race detector
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 2<<20+4*uint64(len(h.bytes)) {
			t.Errorf("%s: %d bytes allocated", name, bytes)
		}
		if most := max(2*r.size, 128<<10); r.bytes > most || r.most > windowSize {
			t.Errorf("%s: %d bytes read of %d, at most %d at a time", name, r.bytes, r.size, r.most)
		}
	}
}

// A file of 60 KB could otherwise keep all other pictures waiting for half a minute.
func TestAPictureOfManyScansIsNotDecoded(t *testing.T) {
	t.Parallel()
	frame := segmentOf(0xc2, slices.Concat([]byte{8}, mediatest.Halves(5000, 5000), []byte{1, 1, 0x11, 0})...)
	scan := slices.Concat(segmentOf(0xda, 1, 1, 0, 0, 63, 0), []byte("abc"))
	file := bytes.NewReader(slices.Concat([]byte{0xff, 0xd8}, frame, bytes.Repeat(scan, 190), []byte{0xff, 0xd9}))
	facts, err := Examine(t.Context(), file, file.Size(), DeclaredType{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := makePlaceholderThumbnail(facts)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := MakePictureThumbnailOrPlaceholder(t.Context(), file, facts); err != nil || !bytes.Equal(got, want) {
		t.Errorf("no card but %d bytes, %v", len(got), err)
	}
}
