package network

import (
	"fmt"
	"math"
	"slices"

	"belfry/internal/core"
)

// Findings are the issues and warnings that a network's check collects.
type Findings struct {
	network          string // its display name
	issues, warnings []core.Issue
}

// AddIf adds the issue or warning for the network if wrong is true.
func (f *Findings) AddIf(wrong bool, i core.IssueText, args ...any) {
	if wrong {
		i.AppendTo(&f.issues, &f.warnings, f.network, args...)
	}
}

// DropTitle removes the title from a draft whose kind of post has none, and warns that it is not published.
func (f *Findings) DropTitle(d *Draft) {
	f.AddIf(d.Title != "", core.WarnTitleNotPublished)
	d.Title = ""
}

// CheckDraftAndFactsWith decodes the draft's settings, runs a network's check, and also checks the draft against the
// account's facts. The network's check must call f.CheckLimits or f.CheckTextAndEachFile itself. If the settings cannot
// be decoded, CheckDraftAndFactsWith returns only that issue.
func CheckDraftAndFactsWith[Settings any](
	d Description, draft Draft, checkLimitsAndRules func(s Settings, f *Findings),
) (issues, warnings []core.Issue) {
	s, err := DecodeSettings[Settings](d, draft.Settings)
	if err != nil {
		return []core.Issue{core.IssueSettingUnavailable.WithoutNetwork("perPlatform", err.Error())}, nil
	}
	f := Findings{network: d.Name}
	checkLimitsAndRules(s, &f)
	f.checkAccountFacts(d, draft)
	return f.issues, f.warnings
}

// CheckLimits checks a draft against the limits of a network and one of its content types, the same limits that GET
// /limits returns. The draft must have the text that would be sent, and a title only if one would be sent. The extra
// links count in addition to those in the text.
func (f *Findings) CheckLimits(d Description, contentType string, draftAsSent Draft, extraLinks ...string) {
	content, ok := d.Limits.ContentTypes[contentType]
	f.checkTextAndTitle(d, content, draftAsSent, extraLinks)
	if !ok {
		f.AddIf(true, core.IssueMediaKindUnsupported)
		return
	}
	f.checkFileCountsAndKinds(d.Limits, content, draftAsSent.Media)
	f.checkEachFile(content, draftAsSent.Media)
}

// CheckTextAndEachFile checks the same as CheckLimits, except the number of files and their kinds.
func (f *Findings) CheckTextAndEachFile(d Description, contentType string, draftAsSent Draft) {
	content := d.Limits.ContentTypes[contentType]
	f.checkTextAndTitle(d, content, draftAsSent, nil)
	f.checkEachFile(content, draftAsSent.Media)
}

func (f *Findings) checkEachFile(content core.ContentType, media []core.Media) {
	var converted []string
	for _, m := range media {
		limits := fileLimitsOrNil(content, m.Kind)
		if limits == nil {
			continue
		}
		if jpeg := limits.ConversionOrNil(m.FileFacts); jpeg != nil {
			converted = append(converted, m.Name)
			m.FileFacts = jpeg.ExpectedFacts()
		}
		f.checkFileLimits(*limits, m)
	}
	if len(converted) > 0 {
		f.AddIf(true, core.WarnImagesConverted, summarizeImageNames(converted))
	}
}

func (f *Findings) checkTextAndTitle(
	d Description, content core.ContentType, draftAsSent Draft, extraLinks []string,
) {
	l := d.Limits
	if content.Text != nil {
		l.Text = *content.Text
	}
	long := l.Text.Unit.Length(draftAsSent.Text)
	f.AddIf(long > l.Text.Max, core.IssueCaptionTooLong, long, countingUnitName(l.Text.Unit), l.Text.Max)
	if l.Title != nil {
		n := l.Title.Unit.Length(draftAsSent.Title)
		f.AddIf(n > l.Title.Max, core.IssueTitleTooLong, n, countingUnitName(l.Title.Unit), l.Title.Max)
	}
	if long > 2*l.Text.Max {
		return // searching the longest possible text for each of 200 accounts takes half a minute
	}
	for _, most := range []struct {
		limit *int
		count func() int
		issue core.IssueText
	}{
		{l.Hashtags, func() int { return CountHashtags(draftAsSent.Text) }, core.IssueHashtagsMany},
		{l.Mentions, func() int { return CountMentions(draftAsSent.Text) }, core.IssueMentionsTooMany},
		{l.Links, func() int { return CountDistinctLinks(draftAsSent.Text, extraLinks...) }, core.IssueLinksTooMany},
	} {
		if most.limit != nil {
			n := most.count()
			f.AddIf(n > *most.limit, most.issue, n, *most.limit)
		}
	}
}

// checkFileCountsAndKinds checks how many files there are and whether their kinds can be combined. The content type is
// one of those in limits.
func (f *Findings) checkFileCountsAndKinds(limits core.Limits, content core.ContentType, media []core.Media) {
	n := len(media)
	switch {
	case n == 0 && allowsPostsWithoutFiles(limits):
		f.AddIf(content.Min > 0, core.IssueKindNeedsMedia)
		return
	case n == 0:
		f.AddIf(content.Min > 0, core.IssueMediaRequired)
		return
	case content.Max == 0:
		f.AddIf(true, core.IssueKindWithoutMedia)
		return
	}
	f.AddIf(n < content.Min || n > content.Max, core.IssueMediaCountUnsupported, n,
		FormatFileCount(content.Min, content.Max))
	for _, kind := range []core.FileKind{core.FileImage, core.FileVideo} {
		if l := fileLimitsOrNil(content, kind); l != nil {
			n := CountFiles(media, kind)
			f.AddIf(exceedsIfLimited(n, l.Count), core.IssueMediaCountUnsupported, n,
				FormatFileCount(content.Min, l.Count))
		}
	}
	refused := func(m core.Media) bool { return fileLimitsOrNil(content, m.Kind) == nil }
	mixed := func(m core.Media) bool { return m.Kind != media[0].Kind }
	switch {
	case !slices.ContainsFunc(media, refused):
	case slices.ContainsFunc(media, mixed) && !allowsPhotosWithVideos(limits):
		f.AddIf(true, core.IssueMediaMixedUnsupported)
	case slices.ContainsFunc(media, mixed) && content.Image == nil:
		f.AddIf(true, core.IssueKindWithoutPhotos)
	case slices.ContainsFunc(media, mixed):
		f.AddIf(true, core.IssueKindWithoutVideos)
	default:
		f.AddIf(true, core.IssueMediaKindUnsupported)
	}
}

// allowsPostsWithoutFiles reports whether the network has a kind of post that needs no file.
func allowsPostsWithoutFiles(l core.Limits) bool {
	for _, content := range l.ContentTypes {
		if content.Min == 0 {
			return true
		}
	}
	return false
}

// allowsPhotosWithVideos reports whether the network has a kind of post that can combine photos and videos.
func allowsPhotosWithVideos(l core.Limits) bool {
	for _, content := range l.ContentTypes {
		if content.Image != nil && content.Video != nil && content.Max > 1 {
			return true
		}
	}
	return false
}

// CountFiles counts the files of a kind.
func CountFiles(media []core.Media, kind core.FileKind) int {
	n := 0
	for _, m := range media {
		if m.Kind == kind {
			n++
		}
	}
	return n
}

// fileLimitsOrNil returns a content type's limits for files of a kind, or nil if it does not allow them.
func fileLimitsOrNil(content core.ContentType, kind core.FileKind) *core.FileLimits {
	if kind == core.FileVideo {
		return content.Video
	}
	return content.Image
}

func (f *Findings) checkFileLimits(l core.FileLimits, m core.Media) {
	if !l.AcceptsFormatOf(m.FileFacts) {
		f.addFormatIssue(l, m)
	}
	f.AddIf(exceedsIfLimited(m.Bytes, l.Bytes), core.IssueFileTooLarge, m.Name, core.FormatBytes(l.Bytes))
	if m.Width > 0 && m.Height > 0 {
		f.checkKnownDimensions(l, m)
	}
	if m.Kind == core.FileVideo {
		f.checkVideoLimits(l, m)
	}
}

func (f *Findings) addFormatIssue(l core.FileLimits, m core.Media) {
	format := joinFormatNames([]string{m.Mime})
	switch {
	case l.AllowsConversionFrom(m.Mime) && m.Frames > 1:
		format = "an animated " + format + ", which Belfry does not convert"
	case l.AllowsConversionFrom(m.Mime):
		format += fmt.Sprintf(", which Belfry cannot convert: its dimensions (%s) are too large", formatPixels(m.Width, m.Height))
		if m.Mime == "image/webp" { // an animation with one frame counts as a still image, but the frame may be smaller
			format += ", or its only frame is smaller than the image"
		}
		format += ". Save it as a smaller JPEG"
	}
	f.AddIf(true, core.IssueFormatUnsupported, m.Name, joinFormatNames(l.Formats), format)
}

func (f *Findings) checkKnownDimensions(l core.FileLimits, m core.Media) {
	ratio := float64(m.Width) / float64(m.Height)
	f.AddIf(ratio < l.MinRatio || exceedsIfLimited(ratio, l.MaxRatio), core.IssueAspectUnsupported,
		m.Name, formatThreeDigits(l.MinRatio)+":1", textOrAny(l.MaxRatio > 0, formatThreeDigits(l.MaxRatio)+":1"))
	short := min(m.Width, m.Height)
	f.AddIf(m.Width < l.MinWidth || m.Height < l.MinHeight || exceedsIfLimited(m.Width, l.MaxWidth) ||
		exceedsIfLimited(m.Height, l.MaxHeight) || exceedsIfLimited(short, l.MaxShortSide),
		core.IssueResolutionUnsupported, m.Name, formatDimensions(l))
}

// checkVideoLimits checks the properties that only videos have. A zero property is unknown and not checked.
func (f *Findings) checkVideoLimits(l core.FileLimits, m core.Media) {
	if m.DurationMs > 0 {
		f.AddIf(m.DurationMs < l.MinDurationMs, core.IssueDurationTooShort, formatDuration(l.MinDurationMs))
		f.AddIf(exceedsIfLimited(m.DurationMs, l.MaxDurationMs), core.IssueDurationTooLong, formatDuration(l.MaxDurationMs))
	}
	foreign := func(list []core.Codec, c core.Codec) bool {
		return c != "" && len(list) > 0 && !slices.Contains(list, c)
	}
	wrong := func(is bool, takes, has string) { f.AddIf(is, core.IssueEncodingUnsupported, m.Name, takes, has) }
	wrong(
		foreign(l.VideoCodecs, m.VideoCodec), "video in "+joinCodecNames(l.VideoCodecs),
		"video in "+nameOfFormatOrCodec(string(m.VideoCodec)),
	)
	wrong(
		foreign(l.AudioCodecs, m.AudioCodec), "audio in "+joinCodecNames(l.AudioCodecs),
		"audio in "+nameOfFormatOrCodec(string(m.AudioCodec)),
	)
	wrong(
		exceedsIfLimited(m.AudioRate, l.AudioRate), "audio of at most "+formatThreeDigits(float64(l.AudioRate)/1000)+" kHz",
		"audio of "+formatThreeDigits(float64(m.AudioRate)/1000)+" kHz",
	)
	wrong(
		exceedsIfLimited(m.AudioChannels, l.AudioChannels),
		"at most "+formatThreeDigits(float64(l.AudioChannels))+" audio channels",
		formatThreeDigits(float64(m.AudioChannels)),
	)
	if m.FPS > 0 {
		// Frame rates in files are seldom exact: 30.003 counts as 30.
		fps := math.Round(m.FPS*fpsSteps) / fpsSteps
		wrong(
			fps < l.MinFPS || exceedsIfLimited(fps, l.MaxFPS),
			formatThreeDigits(l.MinFPS)+" to "+textOrAny(l.MaxFPS > 0, formatThreeDigits(l.MaxFPS))+" frames per second",
			formatThreeDigits(m.FPS),
		)
	}
	wrong(
		exceedsIfLimited(m.BitRate, l.BitRate), "at most "+formatThreeDigits(float64(l.BitRate)/megabit)+" Mbit/s",
		formatThreeDigits(float64(m.BitRate)/megabit)+" Mbit/s",
	)
}

const fpsSteps = 10

// exceedsIfLimited reports whether a number exceeds a limit. A limit of 0 means that there is none.
func exceedsIfLimited[N int | int64 | float64](n, limit N) bool { return limit > 0 && n > limit }
