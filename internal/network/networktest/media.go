package networktest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
)

// shelf serves files, as the service serves the files of posts.
type shelf struct {
	mu    sync.Mutex
	files map[string]served
	base  string
	// gates has a channel for each gate, which is closed once open says whether the gate is open.
	gates map[string]chan struct{}
	open  map[string]bool
}

type served struct {
	bytes []byte
	mime  string
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{files: map[string]served{}, gates: map[string]chan struct{}{}, open: map[string]bool{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.base = server.URL
	return s
}

// ServeHTTP serves a file to anyone who has its address.
func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f, ok := s.files[path.Base(r.URL.Path)]
	gate := s.gates[r.URL.Query().Get("gate")]
	s.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
		}
		s.mu.Lock()
		ok = ok && s.open[r.URL.Query().Get("gate")]
		s.mu.Unlock()
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", f.mime)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.bytes))
}

// addGate returns the name of a new gate, which is the parameter gate of a file's address. Until the gate is open, the
// address returns nothing.
func (s *shelf) addGate() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprint("g", len(s.gates))
	s.gates[name] = make(chan struct{})
	return name
}

// openGateOrEndWaits opens a gate. Without a name, it ends all requests that wait for a gate, as the service does after
// a while.
func (s *shelf) openGateOrEndWaits(nameOrEmpty string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, decided := range s.gates {
		if nameOrEmpty != "" && other != nameOrEmpty {
			continue
		}
		s.open[other] = s.open[other] || nameOrEmpty != ""
		select {
		case <-decided:
		default:
			close(decided)
		}
	}
}

func (s *shelf) addFile(f served) (fileURL string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprint(len(s.files))
	s.files[name] = f
	return s.base + "/media/" + name
}

// ordinary is the size of an image whose size does not matter. Only larger images get exactly the number of bytes in
// their properties.
const ordinary = 1_000_000

// Description is the description of every file.
const Description = "What the file shows"

// NewFile creates a file with the given properties and serves it to the simulators. All files differ.
func (w *World) NewFile(m core.Media) network.File {
	w.t.Helper()
	made, ok := w.made[m.FileFacts]
	if !ok {
		made = encodeFile(m)
		w.made[m.FileFacts] = made
	}
	// Bytes after the end of a file do not change what it shows.
	filler := []byte(fmt.Sprint("file ", len(w.shelf.files)))
	if missing := m.Bytes - int64(len(made)+len(filler)+8); m.Kind == core.FileImage && m.Bytes > ordinary && missing > 0 {
		filler = append(filler, make([]byte, missing)...)
	}
	content := slices.Concat(made, mediatest.Box("free", filler))
	if m.DurationMs > 0 {
		m.BitRate = int64(len(content)) * 8 * 1000 / m.DurationMs
	}
	return w.newServedFile(m, content)
}

// newServedFile returns a file with the given bytes, and serves it to the simulators.
func (w *World) newServedFile(m core.Media, content []byte) network.File {
	m.Bytes = int64(len(content))
	open := func(context.Context) (io.ReadSeekCloser, error) { return openBytes{bytes.NewReader(content)}, nil }
	file := network.File{Media: m, Description: Description, URL: w.shelf.addFile(served{content, m.Mime}), Open: open}
	if w.h.hidden {
		file.URL = ""
	}
	return file
}

// convertFile returns the JPEG that is sent in place of a file.
func (w *World) convertFile(f network.File, to core.Conversion) network.File {
	w.t.Helper()
	file, err := f.Open(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		w.t.Fatal(err)
	}
	jpeg, err := media.ConvertToJPEG(w.t.Context(), bytes.NewReader(content), int64(len(content)), to)
	if err != nil {
		w.t.Fatal(err)
	}
	f.FileFacts = to.ExpectedFacts()
	return w.newServedFile(f.Media, jpeg)
}

// padFile returns a file with additional bytes that do not change what it shows.
func padFile(f network.File, more int) network.File {
	open := f.Open
	padding := mediatest.Box("free", make([]byte, more))
	f.Bytes += int64(len(padding))
	f.Open = func(ctx context.Context) (io.ReadSeekCloser, error) {
		file, err := open(ctx)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		content, err := io.ReadAll(file)
		return openBytes{bytes.NewReader(append(content, padding...))}, err
	}
	return f
}

// hashFile returns the hash of a file's bytes.
func (w *World) hashFile(f network.File) string {
	w.t.Helper()
	file, err := f.Open(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		w.t.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// openBytes is a file in memory.
type openBytes struct{ *bytes.Reader }

// Close does nothing.
func (openBytes) Close() error { return nil }

// NewFiles creates and serves several files.
func (w *World) NewFiles(files ...core.Media) []network.File {
	w.t.Helper()
	var all []network.File
	for _, m := range files {
		all = append(all, w.NewFile(m))
	}
	return all
}

// codecs are the names of codecs in files.
var codecs = map[core.Codec]string{
	core.CodecH264: "avc1", core.CodecH265: "hvc1", core.CodecVP8: "vp08", core.CodecVP9: "vp09", core.CodecAV1: "av01",
	core.CodecAAC: "mp4a",
}

func encodeFile(m core.Media) []byte {
	switch m.Mime {
	case "image/jpeg":
		return mediatest.JPEG(m.Width, m.Height)
	case "image/png":
		return mediatest.PNG(m.Width, m.Height)
	case "image/gif":
		return mediatest.GIF(m.Width, m.Height, m.Frames)
	case "image/webp":
		return mediatest.WebP(m.Width, m.Height)
	}
	return mediatest.MP4(mediatest.Movie{
		Width: m.Width, Height: m.Height, Duration: time.Duration(m.DurationMs) * time.Millisecond, FPS: int(m.FPS),
		Codec: codecs[m.VideoCodec], Audio: codecs[m.AudioCodec], Rate: m.AudioRate, Channels: m.AudioChannels,
		QuickTime: m.Mime == "video/quicktime", MoovLast: m.Mime == "video/quicktime",
	})
}
