package media

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"belfry/internal/core"
)

// sniffLength is how many bytes at the beginning of a file are examined for signs of its format.
const sniffLength = 1024

// Formats are the types of files that Belfry accepts.
var Formats = []string{"image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4", "video/quicktime"}

type format struct {
	kind      core.FileKind
	mime      string
	readFacts func(*abortingReader, *Facts)
}

// magicSign is a sequence of bytes by which an unsupported format can be recognized.
type magicSign struct {
	at     int
	magic  string
	reason string
}

var signs = []magicSign{
	{0, "%PDF-", reasonPDF},
	{0, "PK\x03\x04", reasonArchive},
	{0, "PK\x05\x06", reasonArchive},
	{0, "Rar!\x1a\x07", reasonArchive},
	{0, "7z\xbc\xaf\x27\x1c", reasonArchive},
	{0, "\x1f\x8b", reasonArchive},
	{0, "BZh", reasonArchive},
	{0, "\xfd7zXZ\x00", reasonArchive},
	{0, "\x28\xb5\x2f\xfd", reasonArchive},
	{257, "ustar", reasonArchive},
	{0, "II*\x00", reasonTIFF},
	{0, "MM\x00*", reasonTIFF},
	{0, "II+\x00", reasonTIFF},
	{0, "MM\x00+", reasonTIFF},
	{0, "FUJIFILMCCD-RAW", reasonRaw},
	{0, "IIRO", reasonRaw},
	{0, "IIU\x00", reasonRaw},
	{0, "BM", reasonBMP},
	{0, "\x00\x00\x01\x00", reasonICO},
	{0, "8BPS", reasonPSD},
	{0, "\xff\x0a", reasonJXL},
	{4, "JXL \r\n\x87\n", reasonJXL},
	{4, "jP  \r\n\x87\n", reasonJP2},
	{0, "\xff\x4f\xff\x51", reasonJP2},
	{0, "\x1a\x45\xdf\xa3", reasonWebM},
	{8, "AVI ", reasonAVI},
	{8, "WAVE", reasonAudio},
	{0, "FLV\x01", reasonFLV},
	{0, "\x00\x00\x01\xba", reasonMPEG},
	{0, "\x00\x00\x01\xb3", reasonMPEG},
	{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", reasonWMV},
	{0, "ID3", reasonAudio},
	{0, "\xff\xfb", reasonAudio},
	{0, "\xff\xf1", reasonAudio},
	{0, "OggS", reasonAudio},
	{0, "fLaC", reasonAudio},
	{0, "MZ", reasonProgram},
	{0, "\x7fELF", reasonProgram},
	{0, "\xcf\xfa\xed\xfe", reasonProgram},
	{0, "\xca\xfe\xba\xbe", reasonProgram},
	{0, "#!", reasonProgram},
	{0, "\x00asm", reasonProgram},
	{0, "#EXTM3U", reasonPlaylist},
	{0, "ffconcat", reasonPlaylist},
	{0, "[playlist]", reasonPlaylist},
}

// markupSigns are strings near the beginning of a file that a program may interpret as a page, a drawing or a script.
var markupSigns = []struct{ word, reason string }{
	{"<svg", reasonSVG},
	{"<mpd", reasonPlaylist},
	{"<smil", reasonPlaylist},
	{"<html", reasonHTML},
	{"<!doctype", reasonHTML},
	{"<head", reasonHTML},
	{"<body", reasonHTML},
	{"<iframe", reasonHTML},
	{"<script", reasonHTML},
	{"<?php", reasonProgram},
	{"#extm3u", reasonPlaylist},
	{"%pdf-", reasonPDF},
}

// sniffFormatOrRefuse returns the format that the first bytes show. It refuses unsupported files, and files that could
// also be interpreted as another format.
func (r *abortingReader) sniffFormatOrRefuse() format {
	refuseFileIf(r.size <= 0, reasonEmpty)
	head := bytes.Clone(r.peekUpTo(0, sniffLength)) // the window will move
	taken, ok, err := recognizeFormat(head)
	abortIfError(err)
	if !ok {
		refuseFile(describeUnsupported(head))
	}
	refuseFileIf(findMarkup(head) != "" || couldAlsoBeScript(head), reasonActive)
	return taken
}

// recognizeFormat returns the format of a file with these first bytes, if they show one. The error is the *Refusal of a
// format that is recognized but not accepted.
func recognizeFormat(head []byte) (found format, recognized bool, err error) {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case begins("\xff\xd8\xff"):
		return format{core.FileImage, "image/jpeg", (*abortingReader).readJPEG}, true, nil
	case begins("\x89PNG\r\n\x1a\n"):
		return format{core.FileImage, "image/png", (*abortingReader).readPNG}, true, nil
	case begins("GIF87a"), begins("GIF89a"):
		return format{core.FileImage, "image/gif", (*abortingReader).readGIF}, true, nil
	case begins("RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return format{core.FileImage, "image/webp", (*abortingReader).readWebP}, true, nil
	case len(head) >= 8 && string(head[4:8]) == "ftyp":
		mime, err := parseFtyp(head)
		return format{core.FileVideo, mime, (*abortingReader).readMP4}, true, err
	case len(head) >= 8 && slices.Contains([]string{"moov", "mdat", "wide", "pnot"}, string(head[4:8])):
		// Old QuickTime files have no ftyp.
		return format{core.FileVideo, "video/quicktime", (*abortingReader).readMP4}, true, nil
	}
	return format{}, false, nil
}

// mp4Brands are brands of MP4 files that do not belong to one of the families in parseFtyp.
var mp4Brands = []string{
	"mp41", "mp42", "mp71", "avc1", "hvc1", "hev1", "av01", "dash", "MSNV", "M4V ", "M4VH", "M4VP", "f4v ", "F4V ",
	"XAVC", "MSDH", "cmfc", "cmf2",
}

// parseFtyp returns the media type according to the ftyp box at the beginning of head (ISO/IEC 14496-12, 4.3). The
// error is a *Refusal.
func parseFtyp(head []byte) (mime string, err error) {
	size := min(int64(binary.BigEndian.Uint32(head)), int64(len(head)))
	if size < 12 {
		return "", newRefusal(reasonDamaged)
	}
	brands := []string{string(head[8:12])}
	for at := int64(16); at+4 <= size; at += 4 {
		brands = append(brands, string(head[at:at+4]))
	}
	isOneOf := func(of ...string) bool {
		return slices.ContainsFunc(brands, func(b string) bool { return slices.Contains(of, b) })
	}
	switch brands[0] {
	case "avif", "avis":
		return "", newRefusal(reasonAVIF)
	case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs":
		return "", newRefusal(reasonHEIC)
	case "mif1", "msf1", "mif2", "miaf":
		if isOneOf("avif", "avis") {
			return "", newRefusal(reasonAVIF)
		}
		return "", newRefusal(reasonHEIC)
	case "crx ":
		return "", newRefusal(reasonRaw)
	case "jp2 ", "jpx ", "jpm ", "mjp2":
		return "", newRefusal(reasonJP2)
	case "jxl ":
		return "", newRefusal(reasonJXL)
	case "M4A ", "M4B ", "M4P ", "F4A ", "F4B ":
		return "", newRefusal(reasonAudio)
	case "qt  ":
		return "video/quicktime", nil
	}
	known := func(b string) bool {
		return slices.Contains(mp4Brands, b) || slices.ContainsFunc([]string{"iso", "3gp", "3g2", "NDS"},
			func(family string) bool { return strings.HasPrefix(b, family) })
	}
	switch {
	case slices.ContainsFunc(brands, known):
		return "video/mp4", nil
	case isOneOf("qt  "):
		return "video/quicktime", nil
	}
	return "", newRefusal(reasonUnknown)
}

// describeUnsupported returns the most specific reason for refusing an unsupported file with these first bytes.
func describeUnsupported(head []byte) (reason string) {
	for _, s := range signs {
		if len(head) >= s.at && bytes.HasPrefix(head[s.at:], []byte(s.magic)) {
			return s.reason
		}
	}
	if reason := findMarkup(head); reason != "" {
		return reason
	}
	notText := func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == '\uFFFD' }
	if !bytes.ContainsFunc(head, notText) {
		return reasonText
	}
	return reasonUnknown
}

// findMarkup returns the reason for refusing a file that begins with markup or a script, or "".
func findMarkup(head []byte) (refusalReasonOrEmpty string) {
	head = bytes.ToLower(head)
	for _, m := range markupSigns {
		if bytes.Contains(head, []byte(m.word)) {
			return m.reason
		}
	}
	return ""
}

// couldAlsoBeScript reports whether the first bytes of a picture could also be those of a script. In some formats, the
// magic number is a valid JavaScript name, which may be followed by a comment or an assignment where a real picture has
// a length. A JPEG that begins with EXIF is not checked: EXIF can have any length, and is never served.
func couldAlsoBeScript(pictureHead []byte) bool {
	switch {
	case bytes.HasPrefix(pictureHead, []byte("GIF8")) && len(pictureHead) > 8:
		return string(pictureHead[6:8]) == "/*" || pictureHead[6] == '=' && pictureHead[7] >= ' ' && pictureHead[7] < 0x7f
	case bytes.HasPrefix(pictureHead, []byte("\xff\xd8\xff")) && len(pictureHead) > 6:
		return string(pictureHead[4:6]) == "/*" && pictureHead[3] != markAPP1
	}
	return false
}

// refuseOrMarkTrailingData refuses a picture that is followed by another kind of file. If other data follows, which
// phones write, it sets Private, so that StripPrivateMetadata removes the data.
func (r *abortingReader) refuseOrMarkTrailingData(end int64, facts *Facts) {
	if end < r.size {
		facts.Private = true
	}
	head := r.peekUpTo(end, sniffLength)
	reason := findMarkup(head)
	for _, s := range signs {
		if len(head) >= s.at && len(s.magic) > 2 && bytes.HasPrefix(head[s.at:], []byte(s.magic)) {
			reason = s.reason
		}
	}
	switch reason {
	case reasonArchive, reasonPDF, reasonHTML, reasonSVG, reasonProgram:
		refuseFile(reasonActive)
	}
}

// refuseIfAlsoZIP refuses a file that ends with the directory of a ZIP archive. Programs that open or run archives
// search for the directory from the end (APPNOTE.TXT, 4.3.16).
func (r *abortingReader) refuseIfAlsoZIP() {
	const directory = 22
	tail := r.peekUpTo(max(0, r.size-windowSize), windowSize)
	for at := bytes.LastIndex(tail, []byte("PK\x05\x06")); at >= 0; at = bytes.LastIndex(tail[:at], []byte("PK\x05\x06")) {
		end := tail[at:]
		if len(end) < directory {
			continue
		}
		comment := int(binary.LittleEndian.Uint16(end[20:]))
		length := int64(binary.LittleEndian.Uint32(end[12:]))
		firstDisk := binary.LittleEndian.Uint16(end[4:]) == 0
		refuseFileIf(directory+comment <= len(end) && length <= r.size && firstDisk, reasonActive)
	}
}
