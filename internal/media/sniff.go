package media

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"belfry/internal/core"
)

// sniffLength is how much of a file's beginning is examined for signs of its format.
const sniffLength = 1024

// Formats are the types of files that Belfry accepts.
var Formats = []string{"image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4", "video/quicktime"}

type format struct {
	kind      core.FileKind
	mime      string
	readFacts func(*file, *Facts)
}

// magicSign is how an unsupported format begins.
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

// markupSigns are what a program may interpret as a page, a drawing or a script near a file's beginning.
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

// sniffFormat returns the format by the first bytes, and refuses a file that is also something else.
func (f *file) sniffFormat() format {
	abortIf(f.size <= 0, reasonEmpty)
	head := bytes.Clone(f.readUpTo(0, sniffLength)) // the window moves on
	taken, ok, err := recogniseFormat(head)
	abortOn(err)
	if !ok {
		abortWith(describeUnsupported(head))
	}
	abortIf(findMarkup(head) != "" || looksLikeScript(head), reasonActive)
	return taken
}

func recogniseFormat(head []byte) (format, bool, error) {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case begins("\xff\xd8\xff"):
		return format{core.FileImage, "image/jpeg", readJPEG}, true, nil
	case begins("\x89PNG\r\n\x1a\n"):
		return format{core.FileImage, "image/png", readPNG}, true, nil
	case begins("GIF87a"), begins("GIF89a"):
		return format{core.FileImage, "image/gif", readGIF}, true, nil
	case begins("RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return format{core.FileImage, "image/webp", readWebP}, true, nil
	case len(head) >= 8 && string(head[4:8]) == "ftyp":
		mime, err := parseFtyp(head)
		return format{core.FileVideo, mime, readMP4}, true, err
	case len(head) >= 8 && slices.Contains([]string{"moov", "mdat", "wide", "pnot"}, string(head[4:8])):
		return format{core.FileVideo, "video/quicktime", readMP4}, true, nil // QuickTime of before there was ftyp
	}
	return format{}, false, nil
}

// mp4Brands are the brands of MP4 files that do not belong to a family of brands.
var mp4Brands = []string{
	"mp41", "mp42", "mp71", "avc1", "hvc1", "hev1", "av01", "dash", "MSNV", "M4V ", "M4VH", "M4VP", "f4v ", "F4V ",
	"XAVC", "MSDH", "cmfc", "cmf2",
}

// parseFtyp returns the media type according to the ftyp box (ISO/IEC 14496-12, 4.3), with which head begins.
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

// describeUnsupported returns the reason for an unsupported file, as specific as its first bytes allow.
func describeUnsupported(head []byte) string {
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

func findMarkup(head []byte) string {
	head = bytes.ToLower(head)
	for _, m := range markupSigns {
		if bytes.Contains(head, []byte(m.word)) {
			return m.reason
		}
	}
	return ""
}

// looksLikeScript reports whether a picture's first bytes could also begin a script. In some formats, the magic
// number is a valid JavaScript name, followed by a comment or an assignment where an honest picture has a length.
// EXIF can have any length, and what is written in it is never served.
func looksLikeScript(head []byte) bool {
	switch {
	case bytes.HasPrefix(head, []byte("GIF8")) && len(head) > 8:
		return string(head[6:8]) == "/*" || head[6] == '=' && head[7] >= ' ' && head[7] < 0x7f
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")) && len(head) > 6:
		return string(head[4:6]) == "/*" && head[3] != markAPP1
	}
	return false
}

// checkTrailingData refuses a picture that is followed by another kind of file. Other data there, as phones write it,
// is private: Clean removes it.
func (f *file) checkTrailingData(end int64, facts *Facts) {
	if end < f.size {
		facts.Private = true
	}
	head := f.readUpTo(end, sniffLength)
	reason := findMarkup(head)
	for _, s := range signs {
		if len(head) >= s.at && len(s.magic) > 2 && bytes.HasPrefix(head[s.at:], []byte(s.magic)) {
			reason = s.reason
		}
	}
	switch reason {
	case reasonArchive, reasonPDF, reasonHTML, reasonSVG, reasonProgram:
		abortWith(reasonActive)
	}
}

// refuseArchive refuses a file that ends with the directory of a ZIP archive, which programs that open or run
// archives search for from the end (APPNOTE.TXT, 4.3.16).
func (f *file) refuseArchive() {
	const directory = 22
	tail := f.readUpTo(max(0, f.size-windowSize), windowSize)
	for at := bytes.LastIndex(tail, []byte("PK\x05\x06")); at >= 0; at = bytes.LastIndex(tail[:at], []byte("PK\x05\x06")) {
		end := tail[at:]
		if len(end) < directory {
			continue
		}
		comment := int(binary.LittleEndian.Uint16(end[20:]))
		length := int64(binary.LittleEndian.Uint32(end[12:]))
		abortIf(directory+comment <= len(end) && length <= f.size && binary.LittleEndian.Uint16(end[4:]) == 0, reasonActive)
	}
}
