package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

const (
	smallVideo = 24 // MiB
	partBytes  = 8 << 20
)

var videoMiB = flag.Int("video-mib", smallVideo, "size of the video whose upload breaks off, in MiB")

// The goal: "a 2 GB video broken off at each part's border and at 20 random bytes: one video, each byte sent once and
// one part a break at most; the worker's memory under 300 MiB; 200 texts that are due meanwhile get their first call
// with p99 under 2 s." The small video of `make test` has fewer borders, and its times decide nothing.
func TestABrokenUploadOfALargeVideo(t *testing.T) {
	t.Parallel()
	const limitKiB = 300 << 10
	texts := 200
	if *videoMiB == smallVideo { // a busy machine takes long to create them
		texts = 20
	}
	s := newServiceOf(t, buildForMeasuring(t), allNetworks(), map[string]string{"LEASE": "20s", "LOG_LEVEL": "info"})
	s.startRole("web").waitUntilAlive(t)
	worker := s.startRole("worker").waitUntilReady(t)
	seed := s.seedWorkspace()
	requireCommand(t, s.env, "", "workspace", "plan", "--workspace", seed.Workspace, "--plan", "owner")
	c := s.newClient(seed.Key)

	before, size := s.uploadedVideoBytes(), *videoMiB<<20
	id, sum := c.uploadVideo(size)
	borders := (size - 1) / partBytes
	breaks := borders + min(20, borders)
	s.addFault(fields{"network": "youtube", "kind": "break_off", "afterBytes": partBytes, "times": borders})
	for range breaks - borders {
		s.addFault(fields{"network": "youtube", "kind": "break_off", "afterBytes": 1 + rand.IntN(size-1)})
	}

	// A break costs a wait of some seconds.
	due := time.Now().Add(time.Duration(breaks)*6*time.Second + 10*time.Second).Truncate(time.Minute).Add(time.Minute).UTC()
	body := newPostBody("A video in parts", at(due), seed.Accounts["youtube"])
	body["title"], body["mediaIds"] = "A video in parts", []string{id}
	video := c.do("POST", "/posts", body).requireStatus(t, 201).Posts[0]
	eventually(t, time.Minute, "the upload has begun", func() bool { return s.uploadedVideoBytes() > before })
	textsDue := time.Now().Add(15 * time.Second).Truncate(time.Minute).Add(time.Minute).UTC()
	for i := range texts {
		c.createPost(fmt.Sprintf("Beside a video %03d", i), at(textsDue), seed.Accounts["threads"])
	}
	if time.Now().After(textsDue) {
		t.Fatal("the texts were due before all were created")
	}
	var late []time.Duration
	eventually(t, 3*time.Minute, "the texts are visible", func() bool {
		late = nil
		for _, p := range s.visiblePosts() {
			if p.Network == "threads" && p.FirstCallAt.After(textsDue) {
				late = append(late, p.FirstCallAt.Sub(textsDue))
			}
		}
		return len(late) == texts
	})
	during := s.uploadedVideoBytes() - before
	c.waitForStatus(video.ID, "live", time.Until(due)+time.Duration(breaks)*20*time.Second+2*time.Minute)

	slices.Sort(late)
	p99, peak, sent := late[texts*99/100], worker.peakMemory(t), s.uploadedVideoBytes()-before
	again := "no byte was received twice"
	if sent > size {
		again = fmt.Sprintf("%d bytes were received twice", sent-size)
	}
	t.Logf("a video of %d MiB, broken off %d times: %s", *videoMiB, s.countBreaks(), again)
	t.Logf("%d texts due when %d MiB had arrived: first call p50 %.2f s, p99 %.2f s late", texts, during>>20,
		late[texts/2].Seconds(), p99.Seconds())
	t.Logf("the worker took %d MiB of memory at most", peak>>10)
	if n := s.countBreaks(); n != breaks {
		t.Errorf("%d breaks, want %d", n, breaks)
	}
	if sent < size || sent > size+breaks*partBytes {
		t.Errorf("%d bytes were received of a video of %d", sent, size)
	}
	if peak >= limitKiB {
		t.Errorf("the worker took %d MiB of memory", peak>>10)
	}
	if *videoMiB > smallVideo && p99 >= 2*time.Second {
		t.Errorf("the first call of a text was %s late at p99", p99)
	}
	shown := slices.DeleteFunc(s.visiblePosts(), func(p visiblePost) bool { return p.Text != "A video in parts" })
	if len(shown) != 1 || len(shown[0].Media) != 1 || shown[0].Media[0].SHA256 != sum {
		t.Errorf("the network shows %+v, want one video with the sum %s", shown, sum)
	}
}

// at is a time as a post's when.
func at(due time.Time) fields {
	return fields{"publishAt": due.Format("2006-01-02T15:04"), "timezone": "UTC"}
}

// uploadVideo uploads an MP4 of the size, most of which is empty, and returns its id and its sum once it is ready.
func (c *client) uploadVideo(size int) (id, sum string) {
	c.t.Helper()
	head := mediatest.MP4(mediatest.Movie{Duration: 5 * time.Second, Audio: "mp4a"})
	free := append(mediatest.Words(size-len(head)), "free"...)
	content := io.MultiReader(
		bytes.NewReader(head), bytes.NewReader(free), io.LimitReader(zeros{}, int64(size-len(head)-len(free))),
	)
	u, hash := c.reserveUpload("large.mp4", size), sha256.New()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPut, u.UploadURL, io.TeeReader(content, hash))
	if err != nil {
		c.t.Fatal(err)
	}
	r.ContentLength = int64(size)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		c.t.Fatalf("the upload answers %d", answer.StatusCode)
	}
	if f := c.waitForFile(c.t, u.MediaID); f.Status != "ready" {
		c.t.Fatalf("the video is %+v", f)
	}
	return u.MediaID, hex.EncodeToString(hash.Sum(nil))
}

// zeros is an endless empty file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// uploadedVideoBytes is how many bytes of files the network of videos has received in calls.
func (s *service) uploadedVideoBytes() int {
	s.t.Helper()
	var out struct{ UploadedBytes map[string]int }
	if err := json.Unmarshal(s.callSandbox("GET", "calls?limit=1", nil), &out); err != nil {
		s.t.Fatal(err)
	}
	return out.UploadedBytes["youtube"]
}

// countBreaks counts how often faults have broken off a connection.
func (s *service) countBreaks() (n int) {
	s.t.Helper()
	type fault struct {
		Kind  string
		Fired int
	}
	var out struct{ Faults, Spent []fault }
	if err := json.Unmarshal(s.callSandbox("GET", "faults", nil), &out); err != nil {
		s.t.Fatal(err)
	}
	for _, f := range append(out.Faults, out.Spent...) {
		if f.Kind == "break_off" {
			n += f.Fired
		}
	}
	return n
}
