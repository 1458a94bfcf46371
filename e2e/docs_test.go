package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// What the pages of docs/api show of a server, and what it is at the one that the test starts. Their dates are moved to
// the week after this one, and a wait is a short one.
const (
	docsAddress  = "http://localhost:8080"
	docsSandbox  = docsAddress + "/sandbox"
	docsKey      = "belfry_live_JE8GEAxhddpjCs9gfhAWSL7KrsTMHrbi0MOcMs"
	docsThreads  = "acc_01m7zbv262e9sr6wggzz5c1nt8"
	docsFacebook = "acc_01m7zbv25ve02vw1neqcxen6pw"
	docsDay      = "2026-12-02"
)

// The goal: "Every example in it is run by a test." Blocks of sh are run one after the other in one shell; a block of
// json or text after one is what it must answer.
func TestDocumentedExamplesRun(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	files, err := filepath.Glob("../docs/api/*.md")
	if err != nil || len(files) < 9 {
		t.Fatalf("the pages are %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seed := s.seedWorkspace()
			r := newDocsReader(t, map[string]string{
				docsAddress: s.url, docsSandbox: s.networks, docsKey: seed.Key, docsThreads: seed.Accounts["threads"],
				docsFacebook: seed.Accounts["facebook"], "sleep 60": "sleep 1",
			})
			answer := r.runBlock("export BELFRY=" + docsAddress + "/v1 KEY=" + docsKey)
			for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
				switch language, body := block[1], block[2]; language {
				case "sh":
					r.checkNotRefused(answer)
					answer = r.runBlock(body)
				case "json":
					r.checkJSON(body, answer)
					answer = ""
				case "text":
					r.checkHeaders(body, answer)
					answer = ""
				default:
					t.Errorf("nobody runs a block of %q", language)
				}
			}
			r.checkNotRefused(answer)
		})
	}
}

var (
	fence    = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```")
	docsTime = regexp.MustCompile(`"(20\d\d-\d\d-\d\d)T\d\d:\d\d"`)
	learnt   = regexp.MustCompile(`^(post|acc|med|grp|fld|key|ws|usr)_|^http://localhost:8080/`)
	lasting  = []string{"code", "message", "hint", "status", "kind", "platform", "ok", "scope", "createdVia", "text"}
)

const unitEnd = "\x1e\n"

// docsReader runs a page's examples in a shell, with the page's ids and addresses replaced by the test's.
type docsReader struct {
	t     *testing.T
	here  map[string]string
	shell io.Writer
	out   *bufio.Reader
	errs  *lockedBuffer
	kill  func() // ends the shell
}

func newDocsReader(t *testing.T, here map[string]string) *docsReader {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("The examples of docs/api need curl: run `make test`, which installs it, or tools/need-curl.")
	}
	r := &docsReader{t: t, here: here, errs: &lockedBuffer{}}
	ctx, kill := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "bash", "-eu", "-o", "pipefail")
	r.kill = kill
	cmd.Dir, cmd.Stderr = t.TempDir(), r.errs
	picture, err := os.Create(filepath.Join(cmd.Dir, "rye.jpg"))
	if err == nil {
		err = jpeg.Encode(picture, image.NewGray(image.Rect(0, 0, 1080, 1350)), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	r.shell, r.out = in, bufio.NewReader(out)
	return r
}

// blockTime is how long one example may take.
const blockTime = 2 * time.Minute

// runBlock runs an example and returns its output.
func (r *docsReader) runBlock(block string) string {
	r.t.Helper()
	late := time.AfterFunc(blockTime, r.kill)
	defer late.Stop()
	for _, there := range slices.SortedFunc(maps.Keys(r.here), func(a, b string) int { return len(b) - len(a) }) {
		block = strings.ReplaceAll(block, there, r.here[there])
	}
	block = docsTime.ReplaceAllStringFunc(block, shiftDate)
	if _, err := fmt.Fprintf(r.shell, "%s\nprintf '\\036\\n'\n", block); err != nil {
		r.t.Fatalf("the shell has gone: %v: %s", err, r.errs)
	}
	var all strings.Builder
	for !strings.HasSuffix(all.String(), unitEnd) {
		line, err := r.out.ReadString('\n')
		all.WriteString(line)
		if err != nil {
			r.t.Fatalf("the shell stops at\n%s\nwith %q: %s", block, all.String(), r.errs)
		}
	}
	return strings.TrimSuffix(all.String(), unitEnd)
}

// shiftDate moves a date of the pages so that their first day is a week from today. An earlier date stays.
func shiftDate(quoted string) string {
	day, err := time.Parse(time.DateOnly, quoted[1:11])
	first, errFirst := time.Parse(time.DateOnly, docsDay)
	if err != nil || errFirst != nil || day.Before(first) {
		return quoted
	}
	return `"` + time.Now().Add(day.Sub(first)).AddDate(0, 0, 7).Format(time.DateOnly) + quoted[11:]
}

// checkNotRefused fails the test if an answer that the page does not show is an error.
func (r *docsReader) checkNotRefused(answer string) {
	r.t.Helper()
	var body struct{ Code, Message string }
	if json.Unmarshal([]byte(answer), &body) == nil && body.Code != "" {
		r.t.Errorf("an example is refused: %s", answer)
	}
}

// checkJSON compares an answer with the page's and notes the ids and addresses that replace the page's.
func (r *docsReader) checkJSON(page, answer string) {
	r.t.Helper()
	var want, got any
	if err := json.Unmarshal([]byte(page), &want); err != nil {
		r.t.Fatalf("the page shows no JSON: %v\n%s", err, page)
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		r.t.Fatalf("the answer is no JSON: %v\n%s", err, answer)
	}
	before := r.t.Failed()
	r.compareValues("", want, got)
	if r.t.Failed() && !before {
		r.t.Logf("the page shows\n%s\nthe answer is\n%s", page, answer)
	}
}

// compareValues wants the same names and types, and the same value where it is no matter of chance. A null on the page
// leaves open what stands there.
func (r *docsReader) compareValues(at string, want, got any) {
	r.t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		if w, g := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(w, g) {
			r.t.Errorf("%s has %v, the page shows %v", at, g, w)
			return
		}
		for name := range want {
			r.compareValues(at+"."+name, want[name], got[name])
		}
	case []any:
		got, _ := got.([]any)
		if len(want) != len(got) {
			r.t.Errorf("%s has %d entries, the page shows %d", at, len(got), len(want))
			return
		}
		for i := range want {
			r.compareValues(fmt.Sprintf("%s.%d", at, i), want[i], got[i])
		}
	case string:
		text, ok := got.(string)
		if name := at[strings.LastIndex(at, ".")+1:]; !ok || slices.Contains(lasting, name) && text != want {
			r.t.Errorf("%s is %v, the page shows %q", at, got, want)
		}
		if learnt.MatchString(want) {
			r.here[want] = text
		}
	case nil:
	default:
		if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
			r.t.Errorf("%s is %v, the page shows %v", at, got, want)
		}
	}
}

// checkHeaders fails the test if a header of the page is missing from an answer.
func (r *docsReader) checkHeaders(page, answer string) {
	r.t.Helper()
	for line := range strings.Lines(page) {
		name, _, _ := strings.Cut(line, ":")
		if !strings.Contains(strings.ToLower(answer), strings.ToLower(name)+":") {
			r.t.Errorf("the answer lacks %s:\n%s", name, answer)
		}
	}
}
