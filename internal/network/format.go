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

func nameOfFormatOrCodec(subtypeOrCodec string) string {
	if name, ok := spellings[subtypeOrCodec]; ok {
		return name
	}
	return strings.ToUpper(subtypeOrCodec)
}

func joinFormatNames(mimes []string) string {
	list := make([]string, len(mimes))
	for i, m := range mimes {
		_, name, _ := strings.Cut(m, "/")
		list[i] = nameOfFormatOrCodec(name)
	}
	return strings.Join(list, ", ")
}

// FormatFileCount returns how many files are allowed, such as "1 file" or "2 to 10 files".
func FormatFileCount(least, most int) string {
	switch {
	case least < most:
		return fmt.Sprintf("%d to %d files", least, most)
	case most == 1:
		return "1 file"
	}
	return fmt.Sprintf("%d files", most)
}

func joinCodecNames(codecs []core.Codec) string {
	list := make([]string, len(codecs))
	for i, c := range codecs {
		list[i] = nameOfFormatOrCodec(string(c))
	}
	return strings.Join(list, ", ")
}

const megabit = 1_000_000

// formatThreeDigits formats a number with at most three significant digits.
func formatThreeDigits(f float64) string { return strconv.FormatFloat(f, 'g', 3, 64) }

func textOrAny(limited bool, limit string) string {
	if !limited {
		return "any"
	}
	return limit
}

// formatDimensions formats the limits of width and height: "at least 320 pixels wide and at most 1080 × 1920 pixels".
func formatDimensions(l core.FileLimits) string {
	var limits []string
	if least := formatPixels(l.MinWidth, l.MinHeight); least != "" {
		limits = append(limits, "at least "+least)
	}
	if l.MaxShortSide > 0 {
		limits = append(limits, fmt.Sprintf("at most %d pixels on the shorter side", l.MaxShortSide))
	}
	if most := formatPixels(l.MaxWidth, l.MaxHeight); most != "" {
		limits = append(limits, "at most "+most)
	}
	return strings.Join(limits, " and ")
}

// formatPixels formats a width and a height, where 0 means any. It returns "" if both are 0.
func formatPixels(width, height int) (textOrEmpty string) {
	switch {
	case width == 0 && height == 0:
		return ""
	case height == 0:
		return fmt.Sprintf("%d pixels wide", width)
	case width == 0:
		return fmt.Sprintf("%d pixels high", height)
	}
	return fmt.Sprintf("%d × %d pixels", width, height)
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
	return formatThreeDigits(d.Seconds()) + " seconds"
}
