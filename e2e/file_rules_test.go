package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// Files in posts (Spec §1.9, §4; decisions.md, Posts): what each network and kind of post takes. Every request is
// planned, which leaves nothing, and then sent.
func TestPostsAcceptOnlyFittingFiles(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	movie := func(width, height int, length time.Duration) []byte {
		return mediatest.MP4(mediatest.Movie{Width: width, Height: height, Duration: length, FPS: 30, Audio: "mp4a"})
	}
	for name, content := range map[string][]byte{
		"picture": mediatest.PNG(640, 480), "moving": mediatest.GIF(64, 48, 2), "banner": mediatest.PNG(1300, 100),
		"clip": movie(1280, 720, 10*time.Second), "tall": movie(1080, 1920, 10*time.Second),
		"long":  movie(1080, 1920, 301*time.Second),
		"short": movie(1080, 1920, time.Second), "small": movie(270, 480, 10*time.Second),
		"wide": movie(3840, 2160, 10*time.Second),
	} {
		id := g.owner.uploadFile(name, content).MediaID
		if f := g.owner.waitForFile(t, id); f.Status != "ready" {
			t.Fatalf("%s is %+v", name, f)
		}
		g.savedIDs = append(g.savedIDs, "<"+name+">", id)
	}
	var steps []step
	on := func(network, kind string, files ...string) string {
		body := `{"targets":{"accountIds":["<` + network + `>"]},"text":"With files","mediaIds":["<` + strings.Join(
			files, `>","<`,
		) + `>"]`
		if kind == "stories" {
			body = strings.Replace(body, "With files", "", 1)
		}
		if kind != "" {
			body += `,"perPlatform":{"` + network + `":{"contentType":"` + kind + `"}}`
		}
		return body
	}
	issue := func(code, name, body string) {
		steps = append(steps,
			step{
				name: name + ", planned", caller: "reader", call: "POST /posts/plan", body: body + "}", status: 200,
				contains: `{"ok":false, … "issues":[ … "code":"` + code + `","message":" … "hint":"`,
			},
			step{
				name: name, call: "POST /posts", body: body + `,"confirm":true}`, status: 409, code: "plan_has_issues",
				contains: `"rows":[ … "issues":[ … "code":"` + code + `"`,
			})
	}
	ok := func(name, body string) {
		steps = append(steps,
			step{
				name: name + ", planned", caller: "reader", call: "POST /posts/plan", body: body + "}", status: 200,
				contains: `{"ok":true, … "issues":[]`,
			},
			step{
				name: name, call: "POST /posts", body: body + `,"confirm":true}`, status: 201, contains: `"status":"draft"`,
				rows: rowCounts{posts: 1},
			})
	}
	many := func(n int) []string { return strings.Fields(strings.Repeat("picture ", n)) }
	ok("a carousel of twenty", on("threads", "", many(20)...))
	issue("media_count_unsupported", "a carousel of twenty-one", on("threads", "", many(21)...))
	ok("a carousel of both kinds", on("threads", "", "picture", "clip"))
	issue("format_unsupported", "a picture of a format that is not taken", on("threads", "", "moving"))
	issue("aspect_unsupported", "a picture that is too wide", on("threads", "", "banner"))
	issue("resolution_unsupported", "a video of too many pixels", on("threads", "", "wide"))
	issue("duration_too_long", "a video that is too long", on("threads", "", "long"))
	issue("duration_too_long", "one of two that is too long", on("threads", "", "picture", "long"))
	ok("ten photos", on("facebook", "photo", many(10)...))
	issue("media_count_unsupported", "eleven photos", on("facebook", "photo", many(11)...))
	issue("media_mixed_unsupported", "a photo and a video", on("facebook", "", "picture", "clip"))
	issue("media_kind_unsupported", "a Reel of a photo", on("facebook", "reels", "picture"))
	issue("aspect_unsupported", "a Reel that is not upright", on("facebook", "reels", "clip"))
	issue("duration_too_short", "a Reel that is too short", on("facebook", "reels", "short"))
	issue("duration_too_long", "a Reel that is too long", on("facebook", "reels", "long"))
	issue("resolution_unsupported", "a Reel of too few pixels", on("facebook", "reels", "small"))
	ok("a Reel", on("facebook", "reels", "tall"))
	ok("a Story", on("facebook", "stories", "picture"))
	issue("media_count_unsupported", "a Story of two", on("facebook", "stories", "picture", "picture"))
	g.runSteps(t, steps)
}

// The storage of a plan (Spec §8; decisions.md, Plans): what is reserved is taken at once, and given back.
func TestStorageQuotaOfEachPlan(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	const most = 500_000_000
	reserve := func(size int64) string {
		return fmt.Sprintf(`{"filename":"bell.mp4","mime":"video/mp4","size":%d}`, size)
	}
	full := func(name string, size, limit, used int64) step {
		return step{
			name: name, caller: "session", call: "POST /media/uploads", body: reserve(size), status: 402, code: "quota_exceeded",
			contains: fmt.Sprintf(`"limit":%d,"used":%d`, limit, used),
		}
	}
	taken := g.countFiles(g.owner).used
	steps := []step{
		{
			name: "the plan is free now", plan: "free", caller: "session", call: "GET /whoami", status: 200,
			contains: fmt.Sprintf(`"storage":{"usedBytes":%d,"limitBytes":2000000000}`, taken),
		},
	}
	room := 2_000_000_000 - taken
	for i := 1; room >= most; i++ {
		room -= most
		steps = append(steps, step{
			name: fmt.Sprintf("file %d", i), caller: "session", call: "POST /media/uploads", body: reserve(most), status: 201,
			saveAs: fmt.Sprintf("file%d", i), files: fileCounts{files: 1, used: most},
		})
	}
	steps = append(steps, full("a byte too many", room+1, 2_000_000_000, 2_000_000_000-room))
	if room > 0 {
		steps = append(
			steps,
			step{
				name: "the last byte", caller: "session", call: "POST /media/uploads", body: reserve(room), status: 201,
				files: fileCounts{files: 1, used: room},
			},
		)
	}
	g.runSteps(t, append(steps,
		full("no room", 1, 2_000_000_000, 2_000_000_000),
		step{
			name: "no room for what is fetched", caller: "session", call: "POST /media/from-url",
			body: `{"url":"https://localhost/bell.png"}`, status: 402, code: "quota_exceeded",
		},
		step{
			name: "a file goes", caller: "session", call: "DELETE /media/<file1>", status: 204,
			files: fileCounts{files: -1, used: -most},
		},
		step{
			name: "a file is too large by itself", caller: "session", call: "POST /media/uploads", body: reserve(most + 1),
			status: 402, code: "quota_exceeded", contains: fmt.Sprintf(`"limit":%d`, most),
		},
		step{
			name: "its room is free", caller: "session", call: "POST /media/uploads", body: reserve(most), status: 201,
			files: fileCounts{files: 1, used: most},
		},
	))
}
