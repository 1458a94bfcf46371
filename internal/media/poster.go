package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"belfry/internal/core"
)

const (
	posterTime  = 30 * time.Second
	posterBytes = 4 << 20 // maximum size of ffmpeg's output
)

// MakeVideoThumbnailOrPlaceholder returns the thumbnail of a video as a JPEG: a frame decoded by ffmpeg or, if ffmpeg
// is not on the PATH or fails, a drawn placeholder. It returns an error only if the file is not a video or cannot be
// read, or if the context ends.
//
// ffmpeg does not get the sender's file but an excerpt with a single sample: no playlist, no references to other files,
// and nothing to seek.
func MakeVideoThumbnailOrPlaceholder(ctx context.Context, r io.ReaderAt, facts Facts) ([]byte, error) {
	if facts.Kind != core.FileVideo {
		return nil, fmt.Errorf("make a poster: a file of type %s is not a video", facts.Mime)
	}
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		return makePlaceholderThumbnail(facts)
	}
	return makeFFmpegThumbnailOrPlaceholder(ctx, ffmpeg, r, facts)
}

// makeFFmpegThumbnailOrPlaceholder returns a frame decoded by the program ffmpeg, or a drawn placeholder if it fails.
func makeFFmpegThumbnailOrPlaceholder(ctx context.Context, ffmpeg string, r io.ReaderAt, facts Facts) ([]byte, error) {
	picture, err := decodeKeyframe(ctx, ffmpeg, newFile(ctx, r, facts.Bytes), facts)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.Is(err, errNoFrame) && !isRefusal(err):
		return nil, err
	case err != nil:
		return makePlaceholderThumbnail(facts)
	}
	return encodeJPEGAtThumbnailQuality(applyOrientation(scaleToThumbnail(picture), facts.Orientation))
}

// errNoFrame means that ffmpeg could not decode the excerpt.
var errNoFrame = errors.New("no frame")

// decodeKeyframe decodes one key frame with ffmpeg, or returns errNoFrame or a *Refusal.
func decodeKeyframe(ctx context.Context, ffmpeg string, f *file, facts Facts) (image.Image, error) {
	excerpt, err := f.extractKeyframeAsMovie(facts)
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
		return nil, fmt.Errorf("write an excerpt of a video: %w", err)
	}
	out, err := runFFmpeg(ctx, ffmpeg, ffmpegFirstFrameArguments(in, facts), folder)
	if err != nil {
		return nil, err
	}
	picture, err := jpeg.Decode(out)
	if err != nil {
		return nil, errNoFrame
	}
	return picture, nil
}

// runFFmpeg runs the program in a folder and returns its output, or errNoFrame. The program runs in an empty network
// namespace if the system allows that.
func runFFmpeg(ctx context.Context, program string, arguments []string, folder string) (*bytes.Buffer, error) {
	ctx, cancel := context.WithTimeout(ctx, posterTime)
	defer cancel()
	for _, isolated := range []bool{true, false} {
		command := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // no argument comes from a sender
		command.Dir, command.Env, command.WaitDelay = folder, []string{"LC_ALL=C"}, time.Second
		command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		dieWithParent(command.SysProcAttr)
		if isolated {
			isolateNetwork(command.SysProcAttr)
		}
		out := &limitedBuffer{left: posterBytes}
		command.Stdout = out
		if err := command.Start(); err != nil {
			continue
		}
		tryLimitResources(command.Process)
		if err := command.Wait(); err != nil {
			return nil, errNoFrame
		}
		return &out.kept, nil
	}
	return nil, errNoFrame
}

// ffmpegFirstFrameArguments returns the arguments with which ffmpeg decodes the first frame of an input file as a JPEG,
// at the size of a thumbnail and without rotating it. They restrict ffmpeg to one demuxer and to local files.
func ffmpegFirstFrameArguments(inputPath string, facts Facts) []string {
	width, height := facts.Width, facts.Height
	if facts.Orientation >= 5 {
		width, height = height, width
	}
	width, height = thumbnailSize(width, height)
	return []string{
		"-nostdin", "-hide_banner", "-loglevel", "error", "-threads", "1", "-max_alloc", "536870912",
		"-protocol_whitelist", "file", "-noautorotate", "-f", "mov", "-i", inputPath,
		"-map", "0:v:0", "-frames:v", "1", "-an", "-sn", "-dn",
		"-vf", fmt.Sprintf("scale=%d:%d", width, height), "-pix_fmt", "yuvj420p",
		"-protocol_whitelist", "pipe", "-c:v", "mjpeg", "-q:v", "4", "-f", "image2pipe", "pipe:1",
	}
}

// limitedBuffer stores what is written, and returns an error when its limit is exceeded.
type limitedBuffer struct {
	kept bytes.Buffer // not embedded, because its ReadFrom would ignore the limit
	left int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
}

const maxSample = 32 << 20 // maximum size of one encoded picture of a video

// extractKeyframeAsMovie returns a video with a single picture: a key frame of the first second, with the original's
// sample description. It returns errNoFrame if there is none, as in fragmented files, or a *Refusal.
func (f *file) extractKeyframeAsMovie(facts Facts) (excerpt []byte, err error) {
	err = f.readAndRecoverAbort(func(r *abortingReader) {
		m := &abortingMovieReader{r: r, facts: &facts}
		m.readTopBoxes()
		video := m.chooseTrack("vide")
		abortWithoutFrameIf(video == nil || video.outside || video.stsd.contentLength() > maxPayload)
		m.readSampleCountAndLength(video)
		at, size := m.locateKeyframe(video)
		abortWithoutFrameIf(size <= 0 || size > maxSample || at < 0 || at > r.size-size)
		picture, stsd := make([]byte, size), make([]byte, video.stsd.end-video.stsd.start)
		r.readFull(picture, at)
		r.readFull(stsd, video.stsd.start)
		excerpt = wrapInMovie(stsd, picture)
	})
	return excerpt, err
}

// abortWithoutFrameIf aborts with errNoFrame if wrong is true.
func abortWithoutFrameIf(wrong bool) {
	if wrong {
		abortIfError(errNoFrame)
	}
}

// locateKeyframe returns the position and size of the key frame for the poster. The size is 0 if there is none.
func (m *abortingMovieReader) locateKeyframe(t *track) (at, sizeOrZero int64) {
	abortWithoutFrameIf(t.samples == 0 || !t.stco.exists())
	wanted := m.chooseKeyframe(t)
	// The sample's position is the start of its chunk plus the sizes of the samples before it in the chunk.
	first, start, before := int64(0), int64(-1), int64(0)
	m.visitChunks(t, func(c mediaChunk) {
		if start < 0 && wanted < first+c.samples {
			start, before = c.at, first
		}
		first += c.samples
	})
	if start < 0 {
		return 0, 0
	}
	sizes := m.openSampleSizes(t.stsz)
	sizes.sumNextSampleSizes(before)
	start += sizes.sumNextSampleSizes(wanted - before)
	return start, sizes.nextSampleSize()
}

// chooseKeyframe returns the index of the sample to show: the last key frame within the first second, because
// the first one is often black (14496-12, 8.6.2).
func (m *abortingMovieReader) chooseKeyframe(t *track) (sampleIndex int64) {
	if !t.stss.exists() { // every sample is a key frame
		return 0
	}
	second := t.samples
	if t.length > 0 {
		second = int64(float64(t.samples) * float64(t.timescale) / float64(t.length))
	}
	for row := range m.openTable(t.stss, 4).remainingRowViews() {
		n := int64(binary.BigEndian.Uint32(row)) - 1
		if n < 0 || n >= t.samples || sampleIndex > 0 && n > second {
			break
		}
		if sampleIndex = n; n > second {
			break
		}
	}
	return sampleIndex
}

// wrapInMovie returns a QuickTime file with one picture and its sample description.
func wrapInMovie(stsd, picture []byte) []byte {
	var (
		be    = binary.BigEndian.AppendUint32
		words = func(of ...uint32) (out []byte) {
			for _, w := range of {
				out = be(out, w)
			}
			return out
		}
		boxed = func(name string, parts ...[]byte) []byte {
			content := bytes.Join(parts, nil)
			return append(append(be(nil, uint32(8+len(content))), name...), content...) //nolint:gosec // small
		}
	)
	const one = 0x10000
	unity := words(one, 0, 0, 0, one, 0, 0, 0, 0x40000000)
	ftyp := boxed("ftyp", []byte("qt  "), words(0x200), []byte("qt  "))
	moov := func(at uint32) []byte {
		stbl := boxed("stbl", stsd,
			boxed("stts", words(0, 1, 1, 1000)),
			boxed("stsc", words(0, 1, 1, 1, 1)),
			boxed("stsz", words(0, 0, 1, uint32(len(picture)))), //nolint:gosec // at most maxSample
			boxed("stco", words(0, 1, at)))
		minf := boxed("minf", boxed("vmhd", words(1, 0, 0)),
			boxed("dinf", boxed("dref", words(0, 1), boxed("url ", words(1)))), stbl)
		mdia := boxed("mdia", boxed("mdhd", words(0, 0, 0, 1000, 1000, 0x55c40000)),
			boxed("hdlr", words(0), []byte("mhlrvide"), words(0, 0, 0), []byte{0}), minf)
		tkhd := boxed("tkhd", words(7, 0, 0, 1, 0, 1000, 0, 0, 0, 0), unity, words(0, 0))
		mvhd := boxed("mvhd", words(0, 0, 0, 1000, 1000, one, one<<8, 0, 0), unity, words(0, 0, 0, 0, 0, 0, 2))
		return boxed("moov", mvhd, boxed("trak", tkhd, mdia))
	}
	head := len(ftyp) + len(moov(0)) + 8
	return bytes.Join([][]byte{ftyp, moov(uint32(head)), boxed("mdat", picture)}, nil) //nolint:gosec // small
}
