package youtube_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/youtube/youtubesim"
)

// inMemory is an open file in memory.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// largeItem returns an item with a video of the given size.
func largeItem(w *nt.World, size int) network.Item {
	it := w.NewItem("A long ride")
	noise := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	content := append(mediatest.MP4(mediatest.Movie{}), mediatest.Box("free", noise)...)
	it.Files[0].Bytes = int64(len(content))
	it.Files[0].Open = func(context.Context) (io.ReadSeekCloser, error) { return inMemory{bytes.NewReader(content)}, nil }
	return it
}

// Each setting of the specification is seen at the network.
func TestEachSettingArrives(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]map[string]string{
		`{}`: {
			"title": "Harbour", "tags": "", "categoryId": "22", "privacyStatus": "public", "license": "",
			"embeddable": "true", "publicStatsViewable": "true", "selfDeclaredMadeForKids": "false",
			"containsSyntheticMedia": "false", "hasPaidProductPlacement": "false", "recordingDate": "",
			"notifySubscribers": "", "defaultLanguage": "", "defaultAudioLanguage": "",
		},
		`{"visibility":"unlisted"}`:         {"privacyStatus": "unlisted"},
		`{"visibility":"private"}`:          {"privacyStatus": "private"},
		`{"madeForKids":true}`:              {"selfDeclaredMadeForKids": "true"},
		`{"category":"10"}`:                 {"categoryId": "10"},
		`{"language":"pt-BR"}`:              {"defaultLanguage": "pt-BR"},
		`{"audioLanguage":"de"}`:            {"defaultAudioLanguage": "de"},
		`{"recordingDate":"2026-01-31"}`:    {"recordingDate": "2026-01-31T00:00:00Z"},
		`{"license":"creativeCommon"}`:      {"license": "creativeCommon"},
		`{"embeddable":false}`:              {"embeddable": "false"},
		`{"publicStatsViewable":false}`:     {"publicStatsViewable": "false"},
		`{"containsSyntheticMedia":true}`:   {"containsSyntheticMedia": "true"},
		`{"paidProductPlacement":true}`:     {"hasPaidProductPlacement": "true"},
		`{"notifySubscribers":false}`:       {"notifySubscribers": "false"},
		`{"notifySubscribers":true}`:        {"notifySubscribers": ""},
		`{"useCoverAsThumbnail":true}`:      {"title": "Harbour"},
		`{"playlistId":"PL59FEE129ADFF2B"}`: {"title": "Harbour"},
	} {
		t.Run(block, func(t *testing.T) {
			t.Parallel()
			w := nt.NewWorld(t, harness())
			it := w.NewItem("Text")
			it.Settings = json.RawMessage(block)
			if strings.Contains(block, "Thumbnail") {
				it.Files = append(it.Files, w.NewFile(nt.Image()))
			}
			if do := w.NewWorker(it).Run(); do != core.DoLive {
				t.Fatalf("ended with %s", do)
			}
			got := w.VisiblePosts()[0].Extra
			for name, value := range want {
				if got[name] != value {
					t.Errorf("%s: want %q, got %q", name, value, got[name])
				}
			}
		})
	}
}

func TestTagsArriveBesideTheText(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("Text")
	it.Tags = []string{"night ride", "café"}
	if do := w.NewWorker(it).Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	if got := w.VisiblePosts()[0]; got.Extra["tags"] != "night ride,café" || got.Text != "Text" {
		t.Errorf("got %+v", got)
	}
}

// A connection that breaks at any call of a long upload, in both directions, costs no byte but that part's, and shows
// one video.
func TestALongUploadSurvivesALossAtEachPart(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	w.StartRecording()
	k := w.NewWorker(largeItem(w, 20<<20))
	if do := k.Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	calls := w.RecordedSteps()
	// The item's consent, the beginning, three parts with their questions, the last question and the tail.
	if n := len(slices.DeleteFunc(slices.Clone(calls), func(do core.Action) bool { return do == "" })); n != 9 {
		t.Errorf("%d calls: %v", n, calls)
	}
	for n := range calls {
		if calls[n] == "" {
			continue // made by the test's person
		}
		for _, arrives := range []bool{false, true} {
			t.Run(fmt.Sprintf("call %d for %s, arrives %v", n+1, calls[n], arrives), func(t *testing.T) {
				t.Parallel()
				w := nt.NewWorld(t, harness())
				it := largeItem(w, 20<<20)
				w.LoseRequest(n+1-slices.IndexFunc(calls, func(do core.Action) bool { return do != "" }), arrives)
				if do := w.NewWorker(it).Run(); do != core.DoLive {
					t.Fatalf("ended with %s", do)
				}
				if all := w.VisiblePosts(); len(all) != 1 || all[0].Media[0].Bytes != it.Files[0].Bytes {
					t.Errorf("visible: %+v", all)
				}
			})
		}
	}
}

// handleOf decodes a handle.
func handleOf(t *testing.T, handle string) (id string, chunk, tail int64) {
	t.Helper()
	var h struct {
		URI         string
		Chunk, Tail int64
	}
	if err := json.Unmarshal([]byte(handle), &h); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(h.URI)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("upload_id"), h.Chunk, h.Tail
}

// What has arrived of a part that broke off counts, wherever it broke, and the next parts are smaller.
func TestAPartThatBreaksOffIsResumedWhereItBroke(t *testing.T) {
	t.Parallel()
	for range 20 {
		w := nt.NewWorld(t, harness())
		it := largeItem(w, 1<<20)
		armed := it.ArmedAt
		it.ArmedAt = time.Time{}
		handle, err := w.Net.CreateHandle(t.Context(), it)
		if err != nil {
			t.Fatal(err)
		}
		w.AddFault(sim.Fault{Call: "upload", Kind: sim.DropBeforeAccept})
		st, err := w.Net.AdvanceStatus(t.Context(), it, handle)
		if err != nil || st.Verdict != core.Pending || st.Handle == "" {
			t.Fatalf("got %+v, %v", st, err)
		}
		id, chunk, _ := handleOf(t, st.Handle)
		if chunk != 4<<20 {
			t.Errorf("the next part has up to %d bytes", chunk)
		}
		file, err := it.Files[0].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		broke := rand.Int64N(it.Files[0].Bytes-1) + 1
		if _, err := w.Kit.AppendUpload(id, 0, io.LimitReader(file, broke)); err != nil {
			t.Fatal(err)
		}
		for st.Verdict != core.Ready {
			if st, err = w.Net.AdvanceStatus(t.Context(), it, st.Handle); err != nil {
				t.Fatal(err)
			}
			st.Handle = cmp.Or(st.Handle, handle)
			if all := w.VisiblePosts(); len(all) != 0 {
				t.Fatalf("visible before the arm: %+v", all)
			}
		}
		it.ArmedAt = armed
		done, err := w.Net.Publish(t.Context(), it, st.Handle)
		if err != nil || done.Verdict != core.Done {
			t.Fatalf("broken at byte %d: %+v, %v", broke, done, err)
		}
	}
}

// The bytes held back are sent once more when only a part of them has arrived.
func TestATailThatBreaksOffIsCompleted(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := largeItem(w, 1<<20)
	armed := it.ArmedAt
	it.ArmedAt = time.Time{}
	handle := w.NewHandle(it)
	it.ArmedAt = armed
	id, _, tail := handleOf(t, handle)
	file, err := it.Files[0].Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(tail, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Kit.AppendUpload(id, tail, io.LimitReader(file, 100)); err != nil {
		t.Fatal(err)
	}
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Ready || st.Handle != "" {
		t.Errorf("got %+v, %v", st, err)
	}
	if st, err := w.Net.Publish(t.Context(), it, handle); err != nil || st.Verdict != core.Done {
		t.Errorf("got %+v, %v", st, err)
	}
}

func TestAnUploadThatIsGone(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("Gone")
	handle := w.NewHandle(it)
	w.Advance(200 * time.Hour)
	fresh, err := w.Net.(network.Refresher).RefreshToken(t.Context(), it.Token)
	if err != nil {
		t.Fatal(err)
	}
	it.Token = fresh
	ask := func(name string, armed time.Time, want core.Verdict) {
		t.Helper()
		it.ArmedAt = armed
		if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != want {
			t.Errorf("%s: want %s, got %+v, %v", name, want, st, err)
		}
	}
	ask("never armed", time.Time{}, core.Dead)
	ask("just armed", w.Now(), core.Pending)
	ask("armed long ago", w.Now().Add(-time.Hour), core.Ambiguous)
	if _, err := w.Net.Publish(t.Context(), it, w.NewHandle(it)); err != nil {
		t.Fatal(err)
	}
	ask("on the channel", w.Now(), core.Done)
	if _, err := w.Net.Publish(t.Context(), it, w.NewHandle(it)); err != nil {
		t.Fatal(err)
	}
	ask("twice on the channel", w.Now(), core.Ambiguous)
}

// The id proves that YouTube has the video, whatever became of the upload, and even if the channel lists it late.
func TestAVideoWithAnIDIsAskedAboutInsteadOfItsUpload(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	for option, value := range map[string]string{youtubesim.OptProcess: "1200", youtubesim.OptListDelay: "3600"} {
		if err := w.Kit.SetOption(option, value); err != nil {
			t.Fatal(err)
		}
	}
	it := w.NewItem("Confirmed")
	handle := w.NewHandle(it)
	it.ArmedAt = w.Now()
	st, err := w.Net.Publish(t.Context(), it, handle)
	if err != nil || st.Verdict != core.Pending || st.ExternalID == "" {
		t.Fatalf("got %+v, %v", st, err)
	}
	it.ExternalID = st.ExternalID
	for reason, status := range map[string]int{"notFound": 404, "forbidden": 403} {
		w.AddFault(sim.Fault{Call: "status", Kind: "error", Reason: reason, Status: status, Times: new(0)})
	}
	for _, want := range []core.Verdict{core.Pending, core.Done} {
		if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != want || st.ExternalID != it.ExternalID {
			t.Errorf("want %s, got %+v, %v", want, st, err)
		}
		w.Advance(20 * time.Minute)
	}
}

// A video that YouTube takes and then refuses fails the post, and is not uploaded again.
func TestAVideoThatIsRefusedLaterIsNotUploadedAgain(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[string]string{
		"failed/codec": "YouTube could not process the video: codec.", "failed/invalidFile": "", "failed/conversion": "",
		"failed/emptyFile": "", "failed/tooSmall": "", "failed/uploadAborted": "",
		"rejected/copyright": "YouTube rejected the video: copyright.", "rejected/duplicate": "", "rejected/length": "",
		"rejected/termsOfUse": "", "rejected/inappropriate": "", "rejected/claim": "", "rejected/legal": "",
		"rejected/trademark": "", "rejected/uploaderAccountSuspended": "", "rejected/uploaderAccountClosed": "",
		"deleted/": "The video was deleted on YouTube.",
	} {
		w := nt.NewWorld(t, harness())
		if err := w.Kit.SetOption(youtubesim.OptOutcome, outcome); err != nil {
			t.Fatal(err)
		}
		it := w.NewItem("Refused")
		handle := w.NewHandle(it)
		if st, err := w.Net.Publish(t.Context(), it, handle); err != nil || st.Verdict != core.Pending || st.ExternalID == "" {
			t.Fatalf("%s: %+v, %v", outcome, st, err)
		}
		st, err := w.Net.AdvanceStatus(t.Context(), it, handle)
		if err != nil || st.Verdict != core.Doomed || st.Hint == "" || want != "" && st.Message != want {
			t.Errorf("%s: got %+v, %v", outcome, st, err)
		}
		if do := w.NewWorker(it).Run(); do != core.DoFail {
			t.Errorf("%s: ended with %s", outcome, do)
		}
	}
}

func TestAVideoThatIsProcessedForLongIsLive(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	if err := w.Kit.SetOption(youtubesim.OptProcess, "7200"); err != nil {
		t.Fatal(err)
	}
	it := w.NewItem("Patience")
	handle := w.NewHandle(it)
	if _, err := w.Net.Publish(t.Context(), it, handle); err != nil {
		t.Fatal(err)
	}
	for _, want := range []core.Verdict{core.Pending, core.Done} {
		if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != want || st.ExternalID == "" {
			t.Errorf("want %s, got %+v, %v", want, st, err)
		}
		w.Advance(30 * time.Minute)
	}
}

// A video that YouTube did not find counted as live, even if a person had said that the post was not published. Whether
// the video was deleted or never shown, only a person can tell.
func TestAVideoThatIsNeverFoundIsNotCalledLive(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("Missing")
	it.ArmedAt, it.ExternalID = w.Now(), "missing"
	w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(`{"items":[]}`)) })
	for _, want := range []core.Verdict{core.Pending, core.Ambiguous} {
		if st, err := w.Net.AdvanceStatus(t.Context(), it, ""); err != nil || st.Verdict != want {
			t.Errorf("want %s, got %+v, %v", want, st, err)
		}
		w.Advance(30 * time.Minute)
	}
}

// Quota of the project lasts until midnight in Los Angeles, a channel's own limit for a day. Neither is a short
// throttle.
func TestLimitsOfADay(t *testing.T) {
	t.Parallel()
	for option, want := range map[string]struct {
		scope network.Scope
		wait  time.Duration
	}{ // it is 02:00 in Los Angeles
		youtubesim.OptUploads:        {network.ScopeApp, 22 * time.Hour},
		youtubesim.OptUnits:          {network.ScopeApp, 22 * time.Hour},
		youtubesim.OptChannelUploads: {network.ScopeAccount, 24 * time.Hour},
	} {
		w := nt.NewWorld(t, harness())
		it := w.NewItem("Full")
		if err := w.Kit.SetOption(option, "0"); err != nil {
			t.Fatal(err)
		}
		_, err := w.Net.CreateHandle(t.Context(), it)
		if e := w.RequireError(err, network.RateLimited, it.Token.Access); e.Scope != want.scope || e.RetryAfter != want.wait || e.Hint == "" {
			t.Errorf("%s: got %+v", option, e)
		}
	}
}

// What decorates a video that is on the channel does not hold it back.
func TestAVideoThatIsTakenIsLiveWithoutQuota(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("Taken")
	handle := w.NewHandle(it)
	if _, err := w.Net.Publish(t.Context(), it, handle); err != nil {
		t.Fatal(err)
	}
	if err := w.Kit.SetOption(youtubesim.OptUnits, "0"); err != nil {
		t.Fatal(err)
	}
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Done {
		t.Errorf("got %+v, %v", st, err)
	}
}

// YouTube has all bytes, so the video may be published: to send bytes again is no way to find out.
func TestAnUploadWithAllBytesAndNoVideoIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("All there")
	handle := w.NewHandle(it)
	w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Range", fmt.Sprintf("bytes=0-%d", it.Files[0].Bytes-1))
		rw.WriteHeader(http.StatusPermanentRedirect)
	})
	for name, armedAt := range map[string]time.Time{"before the arm": {}, "after the arm": w.Now()} {
		it.ArmedAt = armedAt
		if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Pending {
			t.Errorf("%s: got %+v, %v", name, st, err)
		}
	}
	w.StartRecording()
	_, err := w.Net.Publish(t.Context(), it, handle)
	w.CheckError(err, network.Unknown, it.Token.Access)
	if n := len(w.RecordedSteps()); n != 1 {
		t.Errorf("%d calls, want only the one with the last bytes", n)
	}
}

// Bytes go to Google only, and the address of an upload is told to nobody.
func TestAnUploadAddressElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	it := w.NewItem("a")
	for _, address := range []string{
		"", "http://www.googleapis.com/upload?upload_id=a", "https://evil.example/upload?upload_id=a",
		"https://googleapis.com.evil.example/?upload_id=a", "https://a@www.googleapis.com/?upload_id=a",
		"https://www.googleapis.com/upload",
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
			if address != "" {
				rw.Header().Set("Location", address)
			}
		})
		_, err := w.Net.CreateHandle(t.Context(), it)
		w.CheckError(err, network.Unknown, it.Token.Access)
	}
}

// Whoever leaves out a permission that publishing needs learns it before a post fails for it.
func TestPermissionsThatAreWithheld(t *testing.T) {
	t.Parallel()
	const auth = "https://www.googleapis.com/auth/"
	for withheld, want := range map[string]string{
		"youtube.upload": "", "youtube.readonly": "", "yt-analytics.readonly": "", "youtube.force-ssl": "",
		"youtube.upload youtube.force-ssl": "The permission to upload videos was not granted.",
	} {
		h := harness()
		h.Consent = maps.Clone(h.Consent)
		for scope := range strings.FieldsSeq(withheld) {
			h.Consent.Add("withhold", auth+scope)
		}
		w := nt.NewWorld(t, h)
		profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
		if err != nil || len(profiles) != 1 || !strings.HasPrefix(profiles[0].Unusable, want) ||
			(want == "") != (profiles[0].Unusable == "") {
			t.Errorf("%s: got %+v, %v", withheld, profiles, err)
		}
	}
}

func TestAGoogleAccountWithoutAChannelIsNotConnected(t *testing.T) {
	t.Parallel()
	h := harness()
	h.Consent = url.Values{"channel": {"nobody"}}
	w := nt.NewWorld(t, h)
	_, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
	if e := w.RequireError(err, network.Rejected); !strings.Contains(e.Message, "no YouTube channel") || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
}

// Access that a person limited in time ends as expired, and a mistake of this server says nothing of the account.
func TestWhyATokenCannotBeRenewed(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	if err := w.Kit.SetOption(youtubesim.OptRefresh, "7"); err != nil {
		t.Fatal(err)
	}
	token, r := w.Connect().Token, w.Net.(network.Refresher)
	if token.ExpiresAt.Sub(w.Now()) != 7*24*time.Hour || token.LapsesAt.Sub(w.Now()) != 3599*time.Second {
		t.Errorf("got %+v", token)
	}
	w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(rw, `{"error":"invalid_client","error_description":"The OAuth client was not found."}`)
	})
	_, err := r.RefreshToken(t.Context(), token)
	if e := w.RequireError(err, network.Transient); !strings.Contains(e.Hint, "YOUTUBE_CLIENT_ID") {
		t.Errorf("got %+v", e)
	}
	w.ReplaceServer(nil)
	w.Advance(8 * 24 * time.Hour)
	_, err = r.RefreshToken(t.Context(), token)
	w.CheckError(err, network.Expired, token.Access, token.Refresh)
}
