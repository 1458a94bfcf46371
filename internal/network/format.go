package network

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"belfry/internal/core"
)

func countingUnitName(u core.Unit) string {
	if u == core.UnitBytes {
		return "bytes"
	}
	return "characters"
}

// spellings are the usual names of formats and codecs whose names are not just their codes in upper case.
var spellings = map[string]string{
	"quicktime": "MOV", "x-msvideo": "AVI", "x-ms-wmv": "WMV", "x-flv": "FLV", "x-matroska": "MKV", "webm": "WebM",
	"webp":                 "WebP",
	string(core.CodecH264): "H.264", string(core.CodecH265): "H.265",
}

func formatCodeName(s string) string {
	if name, ok := spellings[s]; ok {
		return name
	}
	return strings.ToUpper(s)
}

func joinMIMENames(mimes []string) string {
	list := make([]string, len(mimes))
	for i, m := range mimes {
		_, name, _ := strings.Cut(m, "/")
		list[i] = formatCodeName(name)
	}
	return strings.Join(list, ", ")
}

func joinCodecNames(codecs []core.Codec) string {
	list := make([]string, len(codecs))
	for i, c := range codecs {
		list[i] = formatCodeName(string(c))
	}
	return strings.Join(list, ", ")
}

const megabit = 1_000_000

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'g', 3, 64) }

func textOrAny(known bool, s string) string {
	if !known {
		return "any"
	}
	return s
}

func formatPixels(width, height int) string {
	side := func(n int) string { return textOrAny(n > 0, strconv.Itoa(n)) }
	if width == 0 && height == 0 {
		return "any"
	}
	return fmt.Sprintf("%s×%s", side(width), side(height))
}

// formatMaxPixels formats the largest width and height. If the short side is limited, either side can be the long
// one.
func formatMaxPixels(l core.FileLimits) string {
	if l.MaxShortSide == 0 {
		return formatPixels(l.MaxWidth, l.MaxHeight)
	}
	return formatPixels(l.MaxWidth, l.MaxShortSide) + " or " + formatPixels(l.MaxShortSide, l.MaxHeight)
}

func formatDuration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	for _, unit := range []struct {
		is   time.Duration
		name string
	}{{time.Hour, "hours"}, {time.Minute, "minutes"}} {
		if d > unit.is && d%unit.is == 0 {
			return fmt.Sprintf("%d %s", d/unit.is, unit.name)
		}
	}
	return formatNumber(d.Seconds()) + " seconds"
}
