package app_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/fetch/fetchtest"
	"belfry/internal/media/mediatest"
)

// breaking is a server that breaks off after so many bytes, and goes on where it is asked to.
func breaking(content []byte, each int, said bool) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		from := 0
		rw.Header().Set("ETag", `"v1"`)
		rw.Header().Set("Accept-Ranges", "bytes")
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && r.Header.Get("If-Range") == `"v1"` {
			rw.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
		}
		if said {
			rw.Header().Set("Content-Length", strconv.Itoa(len(content)-from))
		}
		if from > 0 {
			rw.WriteHeader(http.StatusPartialContent)
		}
		end := min(from+each, len(content))
		_, _ = rw.Write(content[from:end])
		_ = http.NewResponseController(rw).Flush()
		if end < len(content) {
			panic(http.ErrAbortHandler)
		}
	}
}

func TestADownloadThatBreaksOffGoesOn(t *testing.T) {
	t.Parallel()
	content := mediatest.JPEG(256, 256)
	for _, said := range []bool{true, false} {
		w := fetchtest.New(t, breaking(content, len(content)/2+1, said))
		h := apptest.New(t, onWorld(w))
		ws := h.Workspace("one")
		m := fetched(t, h, ws, fromURL(t, h, ws, "https://example.com/a.jpg"))
		if m.Status != "processing" || m.Size != int64(len(content)) || charged(t, h, ws) != m.Size || len(w.Asked()) != 2 {
			t.Errorf("it is %+v after %d requests", m, len(w.Asked()))
		}
		must(t, h.App.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)))
		if m = ws.Media(m.ID); m.Status != "ready" || m.Size != int64(len(content)) {
			t.Errorf("in the end: %+v", m)
		}
	}
}

// Where a server cannot go on, or has another file by now, the next try begins anew.
func TestADownloadThatCannotGoOnBeginsAnew(t *testing.T) {
	t.Parallel()
	content := mediatest.JPEG(256, 256)
	for name, serve := range map[string]func(n int32) http.HandlerFunc{
		"a server without ranges": func(n int32) http.HandlerFunc {
			return func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Length", strconv.Itoa(len(content)))
				_, _ = rw.Write(content[:len(content)/2])
				if n > 1 {
					_, _ = rw.Write(content[len(content)/2:])
				}
			}
		},
		"a file that changes": func(n int32) http.HandlerFunc {
			return func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("ETag", fmt.Sprintf(`"v%d"`, n))
				rw.Header().Set("Accept-Ranges", "bytes")
				rw.Header().Set("Content-Length", strconv.Itoa(len(content)))
				if n == 1 {
					_, _ = rw.Write(content[:len(content)/2])
					return
				}
				_, _ = rw.Write(content)
			}
		},
	} {
		var requests atomic.Int32
		h := apptest.New(t,
			onWorld(fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) { serve(requests.Add(1))(rw, r) })))
		ws := h.Workspace("one")
		m := fromURL(t, h, ws, "https://example.com/a.jpg")
		if first := fetched(t, h, ws, m); first.Status != "uploading" || len(blobs(t, h)) != 0 ||
			charged(t, h, ws) != int64(len(content)) {
			t.Errorf("%s, first: %+v, %d bytes are counted", name, first, charged(t, h, ws))
		}
		if second := fetched(t, h, ws, m); second.Status != "processing" || charged(t, h, ws) != int64(len(content)) {
			t.Errorf("%s, second: %+v, %d bytes are counted", name, second, charged(t, h, ws))
		}
	}
}
