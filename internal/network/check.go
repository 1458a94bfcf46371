package network

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/core"
)

// CheckLimits judges a draft by the numbers of a network and of one of its content types: the same
// numbers that GET /limits prints. The draft's text is the one that would be sent, and its title is empty
// where none would be. Links are addresses that count beside those in the text.
func CheckLimits(d Description, contentType string, draft Draft, links ...string) []core.Issue {
	issues := checkWords(d, draft, links)
	kind, ok := d.Limits.ContentTypes[contentType]
	if !ok {
		return append(issues, core.IssueMediaKindUnsupported.With(d.Name))
	}
	issues = append(issues, checkFiles(d.Name, kind, draft.Media)...)
	for _, m := range draft.Media {
		if limits := kindLimits(kind, m); limits != nil {
			issues = append(issues, checkFile(d.Name, *limits, m)...)
		}
	}
	return issues
}

func checkWords(d Description, draft Draft, links []string) []core.Issue {
	var issues []core.Issue
	l := d.Limits
	if n := l.Text.Unit.Of(draft.Text); n > l.Text.Max {
		issues = append(issues, core.IssueCaptionTooLong.With(n, unitName(l.Text.Unit), d.Name, l.Text.Max))
	}
	if l.Title != nil {
		if n := l.Title.Unit.Of(draft.Title); n > l.Title.Max {
			issues = append(issues, core.IssueTitleTooLong.With(n, unitName(l.Title.Unit), d.Name, l.Title.Max))
		}
	}
	if n := Hashtags(draft.Text); l.Hashtags != nil && n > *l.Hashtags {
		issues = append(issues, core.IssueHashtagsMany.With(n, d.Name, *l.Hashtags))
	}
	if n := Links(draft.Text, links...); l.Links != nil && n > *l.Links {
		issues = append(issues, core.IssueLinksTooMany.With(n, d.Name, *l.Links))
	}
	return issues
}

// checkFiles judges how many files there are and whether their kinds go together.
func checkFiles(name string, kind core.ContentType, media []core.Media) []core.Issue {
	n := len(media)
	switch {
	case n == 0 && kind.Min > 0:
		return []core.Issue{core.IssueMediaRequired.With(name)}
	case n > 0 && kind.Max == 0:
		return []core.Issue{core.IssueMediaKindUnsupported.With(name)}
	}
	var issues []core.Issue
	if n < kind.Min || n > kind.Max {
		issues = append(issues, core.IssueMediaCountUnsupported.With(n, name, kind.Min, kind.Max))
	}
	refused := func(m core.Media) bool { return kindLimits(kind, m) == nil }
	mixed := func(m core.Media) bool { return m.Kind != media[0].Kind }
	switch {
	case !slices.ContainsFunc(media, refused):
	case slices.ContainsFunc(media, mixed):
		issues = append(issues, core.IssueMediaMixedUnsupported.With(name))
	default:
		issues = append(issues, core.IssueMediaKindUnsupported.With(name))
	}
	return issues
}

func kindLimits(kind core.ContentType, m core.Media) *core.FileLimits {
	if m.Kind == core.FileVideo {
		return kind.Video
	}
	return kind.Image
}

func checkFile(name string, l core.FileLimits, m core.Media) []core.Issue {
	var issues []core.Issue
	add := func(wrong bool, i core.IssueText, args ...any) {
		if wrong {
			issues = append(issues, i.With(args...))
		}
	}
	add(len(l.Formats) > 0 && !slices.Contains(l.Formats, m.Mime), core.IssueFormatUnsupported, name, m.Name, formatNames(l.Formats))
	add(l.Bytes > 0 && m.Bytes > l.Bytes, core.IssueFileTooLarge, m.Name, name, byteSize(l.Bytes))
	if m.Width > 0 && m.Height > 0 {
		ratio := float64(m.Width) / float64(m.Height)
		add(ratio < l.MinRatio || (l.MaxRatio > 0 && ratio > l.MaxRatio), core.IssueAspectUnsupported,
			name, m.Name, number(l.MinRatio)+":1", orAny(l.MaxRatio > 0, number(l.MaxRatio)+":1"))
		add(m.Width < l.MinWidth || m.Height < l.MinHeight || over(m.Width, l.MaxWidth) || over(m.Height, l.MaxHeight),
			core.IssueResolutionUnsupported, name, m.Name, pixels(l.MinWidth, l.MinHeight), pixels(l.MaxWidth, l.MaxHeight))
	}
	if m.Kind == core.FileVideo && m.DurationMs > 0 {
		add(m.DurationMs < l.MinDurationMs, core.IssueDurationTooShort, name, length(l.MinDurationMs))
		add(l.MaxDurationMs > 0 && m.DurationMs > l.MaxDurationMs, core.IssueDurationTooLong, name, length(l.MaxDurationMs))
	}
	return issues
}

func over(n, limit int) bool { return limit > 0 && n > limit }

func unitName(u core.Unit) string {
	if u == core.UnitBytes {
		return "bytes"
	}
	return "characters"
}

func formatNames(mimes []string) string {
	names := make([]string, 0, len(mimes))
	for _, m := range mimes {
		_, name, _ := strings.Cut(m, "/")
		names = append(names, strings.ToUpper(strings.Replace(name, "quicktime", "mov", 1)))
	}
	return strings.Join(names, ", ")
}

const (
	megabyte = 1_000_000
	gigabyte = 1_000_000_000
)

func byteSize(n int64) string {
	if n >= gigabyte {
		return number(float64(n)/gigabyte) + " GB"
	}
	return number(float64(n)/megabyte) + " MB"
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', 3, 64) }

func orAny(known bool, s string) string {
	if !known {
		return "any"
	}
	return s
}

func pixels(width, height int) string {
	side := func(n int) string { return orAny(n > 0, strconv.Itoa(n)) }
	if width == 0 && height == 0 {
		return "any"
	}
	return fmt.Sprintf("%s×%s", side(width), side(height))
}

func length(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }
