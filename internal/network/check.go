package network

import (
	"math"
	"slices"

	"belfry/internal/core"
)

// Findings are what a check finds.
type Findings struct{ issues, warnings []core.Issue }

// If notes an issue or a warning where something is wrong.
func (f *Findings) If(wrong bool, i core.IssueText, args ...any) {
	switch {
	case !wrong:
	case i.Warning:
		f.warnings = append(f.warnings, i.With(args...))
	default:
		f.issues = append(f.issues, i.With(args...))
	}
}

// Judge decodes the draft's settings for a network's check and returns what that finds. Settings that were
// stored and are no longer understood are an issue.
func Judge[T any](d Description, draft Draft, check func(T, *Findings)) (issues, warnings []core.Issue) {
	s, err := DecodeSettings[T](d, draft.Settings)
	if err != nil {
		return []core.Issue{core.IssueSettingUnavailable.With("perPlatform", err.Error())}, nil
	}
	var f Findings
	check(s, &f)
	return f.issues, f.warnings
}

// Limits holds a draft against the numbers of a network and of one of its content types: the same numbers
// that GET /limits prints. The draft's text is the one that would be sent, and its title is empty where none
// would be. Links are addresses that count beside those in the text.
func (f *Findings) Limits(d Description, contentType string, draft Draft, links ...string) {
	kind, ok := d.Limits.ContentTypes[contentType]
	f.words(d, kind, draft, links)
	if !ok {
		f.If(true, core.IssueMediaKindUnsupported, d.Name)
		return
	}
	f.files(d.Name, kind, draft.Media)
	for _, m := range draft.Media {
		if limits := kindLimits(kind, m.Kind); limits != nil {
			f.file(d.Name, *limits, m)
		}
	}
}

func (f *Findings) words(d Description, kind core.ContentType, draft Draft, links []string) {
	l := d.Limits
	if kind.Text != nil {
		l.Text = *kind.Text
	}
	long := l.Text.Unit.Of(draft.Text)
	f.If(long > l.Text.Max, core.IssueCaptionTooLong, long, unitName(l.Text.Unit), d.Name, l.Text.Max)
	if l.Title != nil {
		n := l.Title.Unit.Of(draft.Title)
		f.If(n > l.Title.Max, core.IssueTitleTooLong, n, unitName(l.Title.Unit), d.Name, l.Title.Max)
	}
	if long > 2*l.Text.Max {
		return // to look through a text as long as a request may be, for each of 200 accounts, takes half a minute
	}
	for _, most := range []struct {
		limit *int
		count func() int
		issue core.IssueText
	}{
		{l.Hashtags, func() int { return Hashtags(draft.Text) }, core.IssueHashtagsMany},
		{l.Mentions, func() int { return Mentions(draft.Text) }, core.IssueMentionsTooMany},
		{l.Links, func() int { return Links(draft.Text, links...) }, core.IssueLinksTooMany},
	} {
		if most.limit != nil {
			n := most.count()
			f.If(n > *most.limit, most.issue, n, d.Name, *most.limit)
		}
	}
}

// files judges how many files there are and whether their kinds go together.
func (f *Findings) files(name string, kind core.ContentType, media []core.Media) {
	n := len(media)
	switch {
	case n == 0:
		f.If(kind.Min > 0, core.IssueMediaRequired, name)
		return
	case kind.Max == 0:
		f.If(true, core.IssueMediaKindUnsupported, name)
		return
	}
	f.If(n < kind.Min || n > kind.Max, core.IssueMediaCountUnsupported, n, name, kind.Min, kind.Max)
	for _, of := range []core.FileKind{core.FileImage, core.FileVideo} {
		if l := kindLimits(kind, of); l != nil {
			n := Count(media, of)
			f.If(over(n, l.Count), core.IssueMediaCountUnsupported, n, name, kind.Min, l.Count)
		}
	}
	refused := func(m core.Media) bool { return kindLimits(kind, m.Kind) == nil }
	mixed := func(m core.Media) bool { return m.Kind != media[0].Kind }
	switch {
	case !slices.ContainsFunc(media, refused):
	case slices.ContainsFunc(media, mixed):
		f.If(true, core.IssueMediaMixedUnsupported, name)
	default:
		f.If(true, core.IssueMediaKindUnsupported, name)
	}
}

// Count tells how many of the files are of a kind.
func Count(media []core.Media, kind core.FileKind) int {
	n := 0
	for _, m := range media {
		if m.Kind == kind {
			n++
		}
	}
	return n
}

func kindLimits(kind core.ContentType, of core.FileKind) *core.FileLimits {
	if of == core.FileVideo {
		return kind.Video
	}
	return kind.Image
}

func (f *Findings) file(name string, l core.FileLimits, m core.Media) {
	f.If(m.Mime != "" && len(l.Formats) > 0 && !slices.Contains(l.Formats, m.Mime), core.IssueFormatUnsupported, name, m.Name, formatNames(l.Formats), formatNames([]string{m.Mime}))
	f.If(over(m.Bytes, l.Bytes), core.IssueFileTooLarge, m.Name, name, byteSize(l.Bytes))
	if m.Width > 0 && m.Height > 0 {
		f.shape(name, l, m)
	}
	if m.Kind == core.FileVideo {
		f.film(name, l, m)
	}
}

func (f *Findings) shape(name string, l core.FileLimits, m core.Media) {
	ratio := float64(m.Width) / float64(m.Height)
	f.If(ratio < l.MinRatio || over(ratio, l.MaxRatio), core.IssueAspectUnsupported,
		name, m.Name, number(l.MinRatio)+":1", orAny(l.MaxRatio > 0, number(l.MaxRatio)+":1"))
	short := min(m.Width, m.Height)
	f.If(m.Width < l.MinWidth || m.Height < l.MinHeight || over(m.Width, l.MaxWidth) || over(m.Height, l.MaxHeight) || over(short, l.MaxShortSide),
		core.IssueResolutionUnsupported, name, m.Name, pixels(l.MinWidth, l.MinHeight), mostPixels(l))
}

// film judges what only a video has. A file says nothing of a figure that is zero.
func (f *Findings) film(name string, l core.FileLimits, m core.Media) {
	if m.DurationMs > 0 {
		f.If(m.DurationMs < l.MinDurationMs, core.IssueDurationTooShort, name, length(l.MinDurationMs))
		f.If(over(m.DurationMs, l.MaxDurationMs), core.IssueDurationTooLong, name, length(l.MaxDurationMs))
	}
	foreign := func(list []core.Codec, c core.Codec) bool {
		return c != "" && len(list) > 0 && !slices.Contains(list, c)
	}
	wrong := func(is bool, takes, has string) { f.If(is, core.IssueFormatUnsupported, name, m.Name, takes, has) }
	wrong(foreign(l.VideoCodecs, m.VideoCodec), "pictures in "+codecNames(l.VideoCodecs), nameOf(string(m.VideoCodec)))
	wrong(foreign(l.AudioCodecs, m.AudioCodec), "sound in "+codecNames(l.AudioCodecs), nameOf(string(m.AudioCodec)))
	wrong(over(m.AudioRate, l.AudioRate), "sound of at most "+number(float64(l.AudioRate)/1000)+" kHz", number(float64(m.AudioRate)/1000)+" kHz")
	wrong(over(m.AudioChannels, l.AudioChannels), "at most "+number(float64(l.AudioChannels))+" channels of sound", number(float64(m.AudioChannels)))
	if m.FPS > 0 {
		// Clocks of files are seldom exact: 30.003 pictures a second are thirty.
		fps := math.Round(m.FPS*fpsSteps) / fpsSteps
		wrong(fps < l.MinFPS || over(fps, l.MaxFPS), number(l.MinFPS)+" to "+orAny(l.MaxFPS > 0, number(l.MaxFPS))+" pictures a second", number(m.FPS))
	}
	wrong(over(m.BitRate, l.BitRate), "at most "+number(float64(l.BitRate)/megabyte)+" Mbit a second", number(float64(m.BitRate)/megabyte))
}

const fpsSteps = 10

// over tells whether a number passes a bound; zero is none.
func over[N int | int64 | float64](n, limit N) bool { return limit > 0 && n > limit }
