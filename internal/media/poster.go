package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"belfry/internal/core"
)

const (
	posterTime  = 30 * time.Second
	posterBytes = 4 << 20 // of what ffmpeg may answer
)

// Poster returns the thumbnail of a video: a frame decoded by ffmpeg if it is on the PATH and succeeds, and otherwise
// a drawn card. It fails only if the file cannot be read, or with the context.
//
// ffmpeg does not get the sender's file but an excerpt written here, with a single sample: no playlist, no references
// to other files, and nothing to seek.
func Poster(ctx context.Context, r io.ReaderAt, facts Facts) ([]byte, error) {
	if facts.Kind != core.FileVideo {
		return nil, fmt.Errorf("make a poster of %s: it is not a video", facts.Mime)
	}
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		return drawCard(facts)
	}
	return extractPoster(ctx, ffmpeg, r, facts)
}

func extractPoster(ctx context.Context, ffmpeg string, r io.ReaderAt, facts Facts) ([]byte, error) {
	picture, err := decodeFrame(ctx, ffmpeg, newFile(ctx, r, facts.Bytes), facts)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.Is(err, errNoFrame) && !isRefusal(err):
		return nil, err
	case err != nil:
		return drawCard(facts)
	}
	return encodeThumbnail(applyOrientation(scaleDown(picture), facts.Orientation))
}

// errNoFrame means that ffmpeg could not decode the excerpt.
var errNoFrame = errors.New("no frame")

// decodeFrame decodes one sample with ffmpeg.
func decodeFrame(ctx context.Context, ffmpeg string, f *file, facts Facts) (image.Image, error) {
	excerpt, err := f.cutKeyframe(facts)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "belfry-poster-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for a poster: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the system clears its temporary folder
	in := filepath.Join(folder, "excerpt.mov")
	if err := os.WriteFile(in, excerpt, 0o600); err != nil {
		return nil, fmt.Errorf("write a poster's excerpt: %w", err)
	}
	out, err := runFFmpeg(ctx, ffmpeg, ffmpegArguments(in, facts), folder)
	if err != nil {
		return nil, err
	}
	picture, err := jpeg.Decode(out)
	if err != nil {
		return nil, errNoFrame
	}
	return picture, nil
}

// runFFmpeg runs the program and returns its output. It first runs it in an empty network namespace and, if the
// system does not allow that, without.
func runFFmpeg(ctx context.Context, program string, arguments []string, folder string) (*bytes.Buffer, error) {
	ctx, cancel := context.WithTimeout(ctx, posterTime)
	defer cancel()
	for _, alone := range []bool{true, false} {
		command := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // no word of it is a sender's
		command.Dir, command.Env, command.WaitDelay = folder, []string{"LC_ALL=C"}, time.Second
		confineProcess(command, alone)
		out := &limitedBuffer{left: posterBytes}
		command.Stdout = out
		if err := command.Start(); err != nil {
			continue
		}
		limitResources(command.Process)
		if err := command.Wait(); err != nil {
			return nil, errNoFrame
		}
		return &out.kept, nil
	}
	return nil, errNoFrame
}

// ffmpegArguments returns the arguments of ffmpeg: a fixed demuxer, only the file protocol, and one frame of at most
// a thumbnail's size, rotated according to the facts.
func ffmpegArguments(in string, facts Facts) []string {
	width, height := facts.Width, facts.Height
	if facts.Orientation >= 5 {
		width, height = height, width
	}
	width, height = thumbnailSize(width, height)
	return []string{
		"-nostdin", "-hide_banner", "-loglevel", "error", "-threads", "1", "-max_alloc", "536870912",
		"-protocol_whitelist", "file", "-noautorotate", "-f", "mov", "-i", in,
		"-map", "0:v:0", "-frames:v", "1", "-an", "-sn", "-dn",
		"-vf", fmt.Sprintf("scale=%d:%d", width, height), "-pix_fmt", "yuvj420p",
		"-protocol_whitelist", "pipe", "-c:v", "mjpeg", "-q:v", "4", "-f", "image2pipe", "pipe:1",
	}
}

// limitedBuffer stores what is written up to a limit, and then returns an error.
type limitedBuffer struct {
	kept bytes.Buffer // not embedded: its ReadFrom would know no limit
	left int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
}
