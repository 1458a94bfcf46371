package threadssim

import (
	"context"

	"belfry/internal/network/sim"
)

// Words of error_message on a container whose media is no good.
const (
	failedDownload = "FAILED_DOWNLOADING_VIDEO"
	failedVideo    = "FAILED_PROCESSING_VIDEO"
	badRatio       = "INVALID_ASPEC_RATIO" // spelt as the network spells it
	badDuration    = "INVALID_DURATION"
	badUnknown     = "UNKNOWN"
)

// download fetches a container's media after its id was answered, as the network does.
func (s *Sim) download(c *container) {
	s.kit.Go(func(ctx context.Context) {
		problem := s.judge(ctx, c)
		if ctx.Err() != nil {
			return // the sandbox ends; the next run downloads again
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.kit.Record(Name, recMedia, mediaEnd{ID: c.ID, Problem: problem}) == nil {
			c.settle(problem)
		}
	})
}

// resumeMedia takes up downloads that the end of a former run interrupted.
func (s *Sim) resumeMedia() {
	for _, c := range s.containers {
		if c.pending {
			s.download(c)
		}
	}
}

func (s *Sim) judge(ctx context.Context, c *container) string {
	media, err := s.kit.Fetch(ctx, c.MediaURL)
	switch {
	case err != nil && c.Type == typeVideo:
		return failedDownload
	case err != nil:
		return badUnknown
	case c.Type == typeImage:
		return judgeImage(media)
	}
	return judgeVideo(media)
}

func judgeImage(m sim.Media) string {
	switch {
	case (m.Kind != sim.JPEG && m.Kind != sim.PNG) || m.Size > 8<<20:
		return badUnknown
	case m.Width < 1 || m.Height < 1 || max(m.Width, m.Height) > 10*min(m.Width, m.Height):
		return badRatio
	}
	return ""
}

func judgeVideo(m sim.Media) string {
	switch {
	case m.Kind != sim.MP4 || m.Size > 1<<30:
		return failedVideo
	case m.Seconds <= 0 || m.Seconds > 300:
		return badDuration
	}
	return ""
}
