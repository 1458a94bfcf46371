package facebooksim_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// sendFile makes a call with a form of several parts, of which one is a file.
func (r *rig) sendFile(path, token string, fields map[string]string, content []byte) answer {
	r.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			r.t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("any", "file")
	if err != nil {
		r.t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = w.Close()
	req := httptest.NewRequestWithContext(r.t.Context(), http.MethodPost, graph+path, &body)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", w.FormDataContentType())
	return r.send(req)
}

func TestPhotosAreTakenInAForm(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	hidden := map[string]string{"published": "false"}
	id := r.sendFile("/me/photos", page, hidden, files["/b.jpg"]).text("id")
	if a := r.get("/"+id+"?fields=width", page); a.json["width"] == nil {
		t.Errorf("the photo is %s", a.body)
	}
	r.sendFile("/me/photos", page, nil, files["/b.jpg"]).refused("100", "", "published must be false")
	r.sendFile("/me/photos", page, hidden, files["/reel.mp4"]).refused("324", "1366046", "saved as JPG")
	both := map[string]string{"published": "false", "url": mediaHost(t) + "/b.jpg"}
	r.sendFile("/me/photos", page, both, files["/b.jpg"]).refused("100", "", "Either")
	r.post("/me/photos", page, url.Values{"published": {"false"}}).refused("100", "", "Either")
}

func TestReelsAreTakenInBytes(t *testing.T) {
	t.Parallel()
	r := start(t)
	page, film := r.page(bakery), files["/reel.mp4"]
	a := r.post("/me/video_reels", page, url.Values{"upload_phase": {"start"}})
	size := strconv.Itoa(len(film))
	put := func(body io.Reader, header ...string) answer {
		t.Helper()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, a.text("upload_url"), body)
		req.Header.Set("Authorization", "OAuth "+page)
		req.Header.Set("Content-Type", "application/octet-stream")
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		return r.send(req)
	}
	problem := func(a answer, want string) {
		t.Helper()
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, want) {
			t.Errorf("want %s, got %d %s", want, a.status, a.body)
		}
	}
	part := func(from, to int) io.Reader { return bytes.NewReader(film[from:to]) }
	all := []string{"offset", "0", "file_size", size}
	problem(put(part(0, len(film)), append(all, "Content-Type", "video/mp4")...), "PartialRequestError")
	problem(put(part(0, 20), all...), "PartialRequestError")
	problem(put(part(10, len(film)), "offset", "10", "file_size", size), "OffsetInvalidError")
	problem(put(io.MultiReader(part(0, 100), iotest.ErrReader(io.ErrUnexpectedEOF)), all...), "PartialRequestError")
	//nolint:misspell // as the network spells it
	if s := r.get("/"+a.text("video_id")+"?fields=status", page); !strings.Contains(s.body, `"bytes_transfered":100`) {
		t.Errorf("a part: %s", s.body)
	}
	if a := put(part(100, len(film)), "offset", "100", "file_size", size); a.json["success"] != true {
		t.Errorf("the rest: %s", a.body)
	}
	problem(put(part(0, len(film)), all...), "OffsetInvalidError")
	if a := r.finish("video_reels", page, a.text("video_id")); a.json["success"] != true {
		t.Errorf("publishing: %s", a.body)
	}
}

func TestPageVideosAreTakenInASession(t *testing.T) {
	t.Parallel()
	r := start(t)
	page, film := r.page(bakery), files["/reel.mp4"]
	size := strconv.Itoa(len(film))
	r.post("/me/videos", page, url.Values{"upload_phase": {"start"}}).refused("100", "", "file_size")
	r.post("/me/videos", page, url.Values{"upload_phase": {"begin"}}).refused("100", "", "upload_phase")
	a := r.post("/me/videos", page, url.Values{"upload_phase": {"start"}, "file_size": {size}})
	upload := a.text("upload_session_id")
	if a.text("start_offset") != "0" || a.text("end_offset") != size {
		t.Errorf("it wants %s", a.body)
	}
	transfer := func(session, offset string, content []byte) answer {
		return r.sendFile("/me/videos", page, map[string]string{
			"upload_phase": "transfer", "upload_session_id": session, "start_offset": offset,
		}, content)
	}
	finish := func(published string) answer {
		return r.post("/me/videos", page, url.Values{
			"upload_phase": {"finish"}, "upload_session_id": {upload}, "published": {published}, "description": {"A film"},
		})
	}
	transfer("1", "0", film).refused("6001", "", "no open upload session")
	transfer(upload, "0", film[:10]).refused("100", "", "video_file_chunk")
	transfer(upload, "10", film[10:]).refused("6001", "", "The next offset is 0")
	finish("false").refused("6000", "", "bytes are missing")
	if a := transfer(upload, "0", film); a.text("start_offset") != size || a.text("end_offset") != size {
		t.Errorf("after all bytes it wants %s", a.body)
	}
	finish("true").refused("100", "", "published must be false")
	if a := finish("false"); a.json["success"] != true {
		t.Errorf("finishing: %s", a.body)
	}
	finish("false").refused("6001", "", "no open upload session")
	if len(r.kit.Posts.All()) != 0 {
		t.Error("the video is visible")
	}
	r.post("/"+a.text("video_id"), page, url.Values{"published": {"true"}})
	if all := r.kit.Posts.All(); len(all) != 1 || all[0].Text != "A film" || all[0].Media[0].Bytes != int64(len(film)) {
		t.Errorf("visible: %+v", all)
	}
}
