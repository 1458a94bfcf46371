package threadssim

import (
	"slices"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// Values of error_message for a container with a file that the network does not accept.
const (
	failedDownload = "FAILED_DOWNLOADING_VIDEO"
	failedVideo    = "FAILED_PROCESSING_VIDEO"
	failedAudio    = "FAILED_PROCESSING_AUDIO"
	badChannels    = "INVALID_AUDIO_CHANNELS"
	badRatio       = "INVALID_ASPEC_RATIO" // as the network spells it
	badDuration    = "INVALID_DURATION"
	badFrameRate   = "INVALID_FRAME_RATE"
	badBitRate     = "INVALID_BIT_RATE"
	badUnknown     = "UNKNOWN"
)

// Limits of files, from part 4 of the facts.
const (
	maxImage   = 8_000_000
	maxVideo   = 1_000_000_000
	maxWide    = 1920
	mostRate   = 48_000
	mostSound  = 2 // channels
	maxMs      = 300_000
	leastFPS   = 23
	mostFPS    = 60
	mostBits   = 100_000_000
	mostRatio  = 10
	leastRatio = 0.01 // of videos
)

// checkFile returns the error_message for a file that a container cannot have, or "" if it can.
func checkFile(c *metasim.Container, m sim.Media, fetchErr error) (problemOrEmpty string) {
	switch {
	case fetchErr != nil && c.Type == typeVideo:
		return failedDownload
	case fetchErr != nil:
		return badUnknown
	case c.Type == typeImage:
		return checkImage(m)
	}
	return checkVideo(m)
}

func checkImage(m sim.Media) (problemOrEmpty string) {
	switch {
	case !m.IsImageOf(sim.JPEG, sim.PNG) || m.Bytes > maxImage:
		return badUnknown
	case m.Width < 1 || m.Height < 1 || !m.HasRatioWithin(1.0/mostRatio, mostRatio):
		return badRatio
	}
	return ""
}

func checkVideo(m sim.Media) (problemOrEmpty string) {
	switch {
	case m.Kind != sim.MP4 || m.Bytes > maxVideo ||
		!slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1"}, m.Video) || m.Width > maxWide:
		return failedVideo
	case m.Audio != "" && m.Audio != "mp4a" || m.Rate > mostRate:
		return failedAudio
	case m.Channels > mostSound:
		return badChannels
	case m.Ms > maxMs || m.Ms < 1 && !m.Fragmented:
		return badDuration
	case m.Width > 0 && !m.HasRatioWithin(leastRatio, mostRatio):
		return badRatio
	case m.FPS > 0 && (m.FPS < leastFPS || m.FPS > mostFPS):
		return badFrameRate
	case m.Ms > 0 && float64(m.Bytes)*8/m.Seconds() > mostBits:
		return badBitRate
	}
	return ""
}
