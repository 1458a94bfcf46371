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
func TestTheDocsTellTheTruth(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serve()
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
			seed := s.seed()
			r := newReader(t, map[string]string{
				docsAddress: s.url, docsSandbox: s.networks, docsKey: seed.Key, docsThreads: seed.Accounts["threads"], docsFacebook: seed.Accounts["facebook"], "sleep 60": "sleep 1",
			})
			answer := r.run("export BELFRY=" + docsAddress + "/v1 KEY=" + docsKey)
			for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
				switch language, body := block[1], block[2]; language {
				case "sh":
					r.unrefused(answer)
					answer = r.run(body)
				case "json":
					r.agrees(body, answer)
					answer = ""
				case "text":
					r.hasLines(body, answer)
					answer = ""
				default:
					t.Errorf("nobody runs a block of %q", language)
				}
			}
			r.unrefused(answer)
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

// reader does what a page says: in a shell, with what stands in the page replaced by what is so here.
type reader struct {
	t     *testing.T
	here  map[string]string
	shell io.Writer
	out   *bufio.Reader
	errs  *lockedBuffer
	kill  func() // ends the shell
}

func newReader(t *testing.T, here map[string]string) *reader {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("The examples of docs/api need curl: run `make test`, which installs it, or tools/need-curl.")
	}
	r := &reader{t: t, here: here, errs: &lockedBuffer{}}
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

// blockTime is how long a block of a page may take.
const blockTime = 2 * time.Minute

// run does a block and answers what it printed.
func (r *reader) run(block string) string {
	r.t.Helper()
	late := time.AfterFunc(blockTime, r.kill)
	defer late.Stop()
	for _, there := range slices.SortedFunc(maps.Keys(r.here), func(a, b string) int { return len(b) - len(a) }) {
		block = strings.ReplaceAll(block, there, r.here[there])
	}
	block = docsTime.ReplaceAllStringFunc(block, soon)
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

// soon moves a time of the pages as far as their first day is from a week after today. One that is long past stays so.
func soon(quoted string) string {
	day, err := time.Parse(time.DateOnly, quoted[1:11])
	first, errFirst := time.Parse(time.DateOnly, docsDay)
	if err != nil || errFirst != nil || day.Before(first) {
		return quoted
	}
	return `"` + time.Now().Add(day.Sub(first)).AddDate(0, 0, 7).Format(time.DateOnly) + quoted[11:]
}

// unrefused fails the test when an answer that the page does not show is a refusal.
func (r *reader) unrefused(answer string) {
	r.t.Helper()
	var body struct{ Code, Message string }
	if json.Unmarshal([]byte(answer), &body) == nil && body.Code != "" {
		r.t.Errorf("an example is refused: %s", answer)
	}
}

// agrees holds an answer against the one on the page and learns what ids and addresses are here.
func (r *reader) agrees(page, answer string) {
	r.t.Helper()
	var want, got any
	if err := json.Unmarshal([]byte(page), &want); err != nil {
		r.t.Fatalf("the page shows no JSON: %v\n%s", err, page)
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		r.t.Fatalf("the answer is no JSON: %v\n%s", err, answer)
	}
	before := r.t.Failed()
	r.compare("", want, got)
	if r.t.Failed() && !before {
		r.t.Logf("the page shows\n%s\nthe answer is\n%s", page, answer)
	}
}

// compare wants the same names and types, and the same value where it is no matter of chance. A null on the page
// leaves open what stands there.
func (r *reader) compare(at string, want, got any) {
	r.t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		if w, g := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(w, g) {
			r.t.Errorf("%s has %v, the page shows %v", at, g, w)
			return
		}
		for name := range want {
			r.compare(at+"."+name, want[name], got[name])
		}
	case []any:
		got, _ := got.([]any)
		if len(want) != len(got) {
			r.t.Errorf("%s has %d entries, the page shows %d", at, len(got), len(want))
			return
		}
		for i := range want {
			r.compare(fmt.Sprintf("%s.%d", at, i), want[i], got[i])
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

// hasLines wants every header of the page in an answer.
func (r *reader) hasLines(page, answer string) {
	r.t.Helper()
	for line := range strings.Lines(page) {
		name, _, _ := strings.Cut(line, ":")
		if !strings.Contains(strings.ToLower(answer), strings.ToLower(name)+":") {
			r.t.Errorf("the answer lacks %s:\n%s", name, answer)
		}
	}
}
