package tiktok_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/tiktok"
)

// threeParts is the size of a video in parts of 5,000,040 bytes, the last of which takes the remainder.
const threeParts = 15_000_122

func TestPartsFollowTheRules(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64][2]int64{ // bytes of a part, parts
		1: {1, 1}, 4_999_999: {4_999_999, 1}, 5_000_000: {5_000_000, 1}, 9_999_999: {9_999_999, 1},
		10_000_000: {5_000_000, 2}, 14_999_999: {7_499_999, 2}, threeParts: {5_000_040, 3}, 50_000_123: {5_000_012, 10},
		4_000_000_000: {5_000_000, 800},
	} {
		if part, count := tiktok.Parts(size); [2]int64{part, count} != want || count != size/part {
			t.Errorf("%d bytes: want %v, got %d parts of %d", size, want, count, part)
		}
	}
}

// requests returns the requests that send the bytes of a video, one for each part.
func TestAVideoInPartsIsSentOnce(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	k := w.NewWorker(newItem(t, w, threeParts, ""))
	if do := k.Run(); do != core.DoLive || countCalls(w, "upload") != 2 || countCalls(w, "publish") != 1 {
		t.Errorf("ended with %s after %d and %d parts", do, countCalls(w, "upload"), countCalls(w, "publish"))
	}
	if m := w.VisiblePosts()[0].Media[0]; m.Bytes != threeParts {
		t.Errorf("%d bytes arrived", m.Bytes)
	}
	if n := countCalls(w, "status"); n != 1 {
		t.Errorf("TikTok was asked %d times", n)
	}
}

// A part whose call or answer is lost, throttled or refused is sent at most once more, and no post appears twice.
func TestAPartThatIsLostIsSentAgain(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"upload", "publish"} {
		for _, fault := range []sim.Fault{
			{Kind: sim.DropBeforeAccept},
			{Kind: sim.DropAfterAccept},
			{Kind: sim.ServerError},
			{Kind: sim.TruncatedJSON},
			{Kind: sim.ServerError, Accept: true},
			{Kind: sim.RateLimited},
			{Kind: sim.Reject},
			{Kind: sim.Reject, Accept: true},
			{Kind: sim.Error, Status: 404, Reason: "gone"},
			{Kind: sim.Error, Status: 403, Reason: "expired"},
			{Kind: sim.Error, Status: 416, Reason: "range"},
			{Kind: sim.Error, Status: 416, Reason: "range", Accept: true},
		} {
			fault.Call = call
			t.Run(fmt.Sprintf("%s %s %d %t", call, fault.Kind, fault.Status, fault.Accept), func(t *testing.T) {
				t.Parallel()
				w := nt.NewWorld(t, harness())
				w.AddFault(fault)
				it := newItem(t, w, threeParts, "")
				k := w.NewWorker(it)
				if do := k.Run(); do != core.DoLive || len(w.VisiblePosts()) != 1 {
					t.Fatalf("ended with %s, visible: %v", do, w.VisiblePosts())
				}
				if m := w.VisiblePosts()[0].Media[0]; m.Bytes != threeParts {
					t.Errorf("%d bytes arrived", m.Bytes)
				}
				if n := countCalls(w, "upload") + countCalls(w, "publish"); n > 4 && countCalls(w, "create") == 1 {
					t.Errorf("the parts were sent %d times", n)
				}
			})
		}
	}
}

// Every request of an upload in parts is lost once, before it arrives and after; the worker dies in it or not.
func TestAnUploadSurvivesLossAtEveryBorder(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 6; n++ {
		for _, arrives := range []bool{false, true} {
			t.Run(fmt.Sprintf("request %d, arrives %t", n, arrives), func(t *testing.T) {
				t.Parallel()
				w := nt.NewWorld(t, harness())
				it := newItem(t, w, threeParts, "")
				w.LoseRequest(n, arrives)
				if do := w.NewWorker(it).Run(); do != core.DoLive || len(w.VisiblePosts()) != 1 {
					t.Fatalf("ended with %s, visible: %v", do, w.VisiblePosts())
				}
				if post := w.VisiblePosts()[0]; arrives && post.PublishCalls != 1 || post.Media[0].Bytes != threeParts {
					t.Errorf("got %+v", post)
				}
			})
		}
	}
}

// A worker that died after a part had arrived has an old handle: TikTok refuses the part, and says where to go on.
func TestAnOldHandleGoesOnWhereTikTokIs(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := newItem(t, w, threeParts, "")
	it.ArmedAt = time.Time{}
	old, err := w.Net.CreateHandle(t.Context(), it)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := w.Net.AdvanceStatus(t.Context(), it, old); err != nil || st.Verdict != core.Progress {
		t.Fatalf("%+v, %v", st, err)
	}
	st, err := w.Net.AdvanceStatus(t.Context(), it, old)
	if err != nil || st.Verdict != core.Progress || st.Handle == "" || st.Handle == old {
		t.Fatalf("%+v, %v", st, err)
	}
	for st.Verdict == core.Progress {
		if st, err = w.Net.AdvanceStatus(t.Context(), it, st.Handle+""); err != nil {
			t.Fatal(err)
		}
		if st.Handle != "" {
			old = st.Handle
		} else {
			break
		}
	}
	if st.Verdict != core.Ready || len(w.VisiblePosts()) != 0 {
		t.Fatalf("%+v, visible %v", st, w.VisiblePosts())
	}
	if st, err = w.Net.Publish(t.Context(), it, old); err != nil || st.Verdict != core.Pending || len(w.VisiblePosts()) != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

// Bytes of a part that broke off do not count: the part begins anew at its border.
func TestAnUploadGoesOnAtABorder(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := newItem(t, w, threeParts, "")
	it.ArmedAt = time.Time{}
	handle, err := w.Net.CreateHandle(t.Context(), it)
	if err != nil {
		t.Fatal(err)
	}
	const border = 5_000_040
	w.ReplaceServer(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = fmt.Fprintf(rw, `{"data":{"status":"PROCESSING_UPLOAD","uploaded_bytes":%d},"error":{"code":"ok"}}`, border+7)
	})
	st, err := w.Net.AdvanceStatus(t.Context(), it, handle)
	if err != nil || st.Verdict != core.Progress || !strings.Contains(st.Handle, fmt.Sprintf(`"offset":%d,`, border)) {
		t.Errorf("got %+v, %v", st, err)
	}
}

// TikTok takes parts for an hour. An upload that nobody finished in time is begun anew, also when it was armed.
func TestAnExpiredUploadIsBegunAnew(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := newItem(t, w, threeParts, "")
	armed := it.ArmedAt
	it.ArmedAt = time.Time{}
	handle, err := w.Net.CreateHandle(t.Context(), it)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance(59 * time.Minute)
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Dead {
		t.Errorf("a part is begun that may arrive too late: %+v, %v", st, err)
	}
	w.Advance(time.Minute)
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Dead {
		t.Errorf("unarmed: %+v, %v", st, err)
	}
	it.ArmedAt = armed
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Pending {
		t.Errorf("armed, where a part may be on its way: %+v, %v", st, err)
	}
	w.Advance(3 * time.Minute)
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Dead {
		t.Errorf("armed: %+v, %v", st, err)
	}
	if _, err := w.Net.Publish(t.Context(), it, handle); err == nil || len(w.VisiblePosts()) != 0 {
		t.Errorf("published too late: %v", w.VisiblePosts())
	}
}

// An upload address is a secret, and bytes go to TikTok's own hosts only.
func TestAnUploadAddressIsKeptAndChecked(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := newItem(t, w, 0, "")
	handle := w.NewHandle(it)
	token := network.Secret(handle[strings.Index(handle, "upload_token="):])
	token = token[len("upload_token=") : len("upload_token=")+26]
	w.ReplaceServer(func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(rw, `{"message": %q}`, "no "+r.URL.String())
	})
	_, err := w.Net.Publish(t.Context(), it, handle)
	w.CheckError(err, network.Unknown, token, it.Token.Access)
	for _, address := range []string{
		"http://open-upload.tiktokapis.com/video/", "https://tiktokapis.com.example.org/", "https://localhost/", "",
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, r *http.Request) {
			data := fmt.Sprintf(`{"publish_id":"p","upload_url":%q}`, address)
			if strings.Contains(r.URL.Path, "creator_info") {
				data = `{"privacy_level_options":["SELF_ONLY"]}`
			}
			_, _ = fmt.Fprintf(rw, `{"data":%s,"error":{"code":"ok","message":"","log_id":"1"}}`, data)
		})
		_, err := w.Net.CreateHandle(t.Context(), it)
		w.CheckError(err, network.Unknown, it.Token.Access)
	}
}

func TestALargeVideoIsPreparedLongerAhead(t *testing.T) {
	t.Parallel()
	n := nt.NewWorld(t, harness()).Net
	var all []time.Duration
	for _, size := range []int64{1_000_000, 2_000_000_000, 4_000_000_000} {
		all = append(all, n.DeliveryFor(network.Draft{Media: nt.RepeatFile(1, nt.Video(nt.Bytes(size)))}).Ahead)
	}
	if !slices.IsSorted(all) || all[0] != 10*time.Minute || all[1] <= all[0] || all[2] >= time.Hour {
		t.Errorf("prepared %v ahead", all)
	}
}
