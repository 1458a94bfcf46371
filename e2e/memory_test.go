package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// A picture of 10,000 × 9,900 pixels fits into 289 KB. What one, or several of the largest that are decoded, take
// together stays under 300 MiB.
func TestPixelBombKeepsMemoryUnder300MiB(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.process = startBinary(t, buildForMeasuring(t), s.env, "serve")
	s.waitUntilReady()
	requireCommand(t, s.env, "a password of some length\n", "workspace", "create",
		"--name", "Library", "--slug", "library",
		"--owner-email", "ada@example.com", "--password-stdin", "--plan", "owner")
	c := s.newClient(s.createKey("library", "write"))
	atRest := s.process.peakMemory(t)
	const limit = 300 << 10
	for name, picture := range map[string][]byte{
		"the largest of three bytes": mediatest.BlackPNG(10_000, 9_900, 2),
		"the largest of four bytes":  mediatest.BlackPNG(10_000, 10_000, 6),
		"the largest of one byte":    mediatest.BlackPNG(10_000, 10_000, 0),
		"the largest decoded":        mediatest.BlackPNG(7_000, 6_900, 6),
		"the largest decoded, again": mediatest.BlackPNG(6_900, 7_000, 2),
	} {
		if f := c.waitForFile(t, c.uploadFile("bomb.png", picture).MediaID); f.Status != "ready" || f.ThumbnailURL == nil {
			t.Errorf("%s: %+v", name, f)
		}
		peak := s.process.peakMemory(t)
		t.Logf("%s, %d KB: %d MiB at most, %d MiB before the first", name, len(picture)>>10, peak>>10, atRest>>10)
		if peak >= limit {
			t.Errorf("%s: the program took %d MiB", name, peak>>10)
		}
	}
}

// A picture is also decoded when it is sent as a JPEG.
func TestConvertingTheLargestPictureKeepsMemoryUnder300MiB(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.process = startBinary(t, buildForMeasuring(t), s.env, "serve")
	s.waitUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	picture := c.uploadFile("large.png", mediatest.BlackPNG(7_000, 6_900, 6)).MediaID
	c.waitForFile(t, picture)
	body := newPostBodyWithFile("large", "now", seed.Accounts["instagram"], picture)
	made := c.do("POST", "/posts", body).requireStatus(t, 201).Posts[0]
	c.waitForStatus(made.ID, "live", time.Minute)
	peak := s.process.peakMemory(t)
	t.Logf("%d MiB at most", peak>>10)
	if peak >= 300<<10 {
		t.Errorf("the program took %d MiB", peak>>10)
	}
}

// buildForMeasuring builds the program without the race detector, which takes memory and time too.
func buildForMeasuring(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "belfry")
	if out, err := exec.Command("go", "build", "-o", program, "belfry/cmd/belfry").CombinedOutput(); err != nil {
		t.Fatalf("build belfry: %v\n%s", err, out)
	}
	return program
}

// peakMemory is the most memory that the process has had so far, in KiB.
func (p *process) peakMemory(t testing.TB) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatalf("read VmHWM: %v", err)
	}
	return kib
}
