package threadssim

import (
	"context"
	"slices"
	"time"

	"belfry/internal/network/sim"
)

// Words of error_message on a container whose media is no good.
const (
	failedDownload = "FAILED_DOWNLOADING_VIDEO"
	failedVideo    = "FAILED_PROCESSING_VIDEO"
	failedAudio    = "FAILED_PROCESSING_AUDIO"
	badChannels    = "INVALID_AUDIO_CHANNELS"
	badRatio       = "INVALID_ASPEC_RATIO" // spelt as the network spells it
	badDuration    = "INVALID_DURATION"
	badFrameRate   = "INVALID_FRAME_RATE"
	badBitRate     = "INVALID_BIT_RATE"
	badUnknown     = "UNKNOWN"
)

// Bounds of media, part 4 of the facts.
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

// fetchMedia fetches a container's media after its id was answered, as the network does.
func (s *Sim) fetchMedia(c *container) {
	s.kit.Go(func(ctx context.Context) {
		media, err := s.kit.Fetch(ctx, Name, c.Account, c.MediaURL)
		if ctx.Err() != nil {
			return // the sandbox ends; the next run downloads again
		}
		end := mediaEnd{ID: c.ID, Problem: checkFile(c.Type, media, err), Media: media}
		end.Ready = s.kit.Now().Add(time.Duration(s.kit.Number(OptProcess)) * time.Second)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.kit.Record(Name, recMedia, end) == nil {
			c.applyMedia(end)
		}
	})
}

// resumeMedia restarts downloads that the end of an earlier run interrupted.
func (s *Sim) resumeMedia() {
	for _, c := range s.containers {
		if c.pending {
			s.fetchMedia(c)
		}
	}
}

func checkFile(kind string, m sim.Media, err error) string {
	switch {
	case err != nil && kind == typeVideo:
		return failedDownload
	case err != nil:
		return badUnknown
	case kind == typeImage:
		return checkImage(m)
	}
	return checkVideo(m)
}

func checkImage(m sim.Media) string {
	switch {
	case !m.Image(sim.JPEG, sim.PNG) || m.Bytes > maxImage:
		return badUnknown
	case m.Width < 1 || m.Height < 1 || !m.Within(1.0/mostRatio, mostRatio):
		return badRatio
	}
	return ""
}

func checkVideo(m sim.Media) string {
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
	case m.Width > 0 && !m.Within(leastRatio, mostRatio):
		return badRatio
	case m.FPS > 0 && (m.FPS < leastFPS || m.FPS > mostFPS):
		return badFrameRate
	case m.Ms > 0 && float64(m.Bytes)*8/m.Seconds() > mostBits:
		return badBitRate
	}
	return ""
}

// mediaURL is where the network shows what it fetched.
func mediaURL(m sim.Media) string {
	if m.SHA256 == "" {
		return ""
	}
	return "https://www.threads.net/media/" + m.SHA256
}

// containerFiles are the files of a container, of a carousel in its order. The caller holds the lock.
func (s *Sim) containerFiles(c *container) []sim.Media {
	if c.Type != typeCarousel {
		if c.media.SHA256 == "" {
			return nil
		}
		m := c.media
		m.Alt = c.Alt
		return []sim.Media{m}
	}
	var all []sim.Media
	for _, id := range c.Children {
		if child := s.containers[id]; child != nil {
			all = append(all, s.containerFiles(child)...)
		}
	}
	return all
}

func shownMedia(media []sim.Media) []sim.Shown {
	var all []sim.Shown
	for _, m := range media {
		all = append(all, sim.Shown{Media: m, URL: mediaURL(m)})
	}
	return all
}
