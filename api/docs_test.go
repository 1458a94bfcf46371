package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// Tables in docs/api that repeat what the program knows are written by the program, between a pair of
// comments that name them.
func TestTablesInTheDocsMatchTheProgram(t *testing.T) {
	t.Parallel()
	tables := map[string]string{
		"codes": formatErrorCodeTable(), "issues": formatIssueTable(), "warnings": formatWarningTable(),
		"networks": networkTables(t),
	}
	for _, file := range []string{"../docs/api/errors.md", "../docs/api/limits.md"} {
		old, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		made := table.ReplaceAllFunc(old, func(found []byte) []byte {
			name := string(table.FindSubmatch(found)[1])
			if tables[name] == "" {
				t.Errorf("%s wants a table %s, which nobody makes", file, name)
			}
			return fmt.Appendf(nil, "<!-- made: %s -->\n\n%s\n<!-- end -->", name, tables[name])
		})
		switch {
		case bytes.Equal(old, made):
		case *update:
			if err := os.WriteFile(file, made, 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is out of date; run `go generate ./api`:\n%s", file, cmp.Diff(string(old), string(made)))
		}
	}
}

var table = regexp.MustCompile(`(?s)<!-- made: (\w+) -->.*?<!-- end -->`)

// networkTables writes the answer of GET /limits as one table for each network.
func networkTables(t *testing.T) string {
	t.Helper()
	d := described(t)
	var b strings.Builder
	for _, rules := range d.cfg.Networks.Rules() {
		about := rules.Describe()
		l := contract.LimitsOf(about.Limits)
		fmt.Fprintf(&b, "### %s\n\n%s.\n\n", about.Name, textWords(l))
		b.WriteString("| `contentType` | Files | Images | Videos |\n|---|---|---|---|\n")
		for _, name := range slices.Sorted(maps.Keys(l.ContentTypes)) {
			kind := l.ContentTypes[name]
			files := fmt.Sprint(kind.Min)
			if kind.Max != kind.Min {
				files += fmt.Sprintf(" to %d", kind.Max)
			}
			if kind.Text != nil {
				files += "; text " + count(kind.Text)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, files, fileWords(kind.Image), fileWords(kind.Video))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func textWords(l contract.NetworkLimits) string {
	words := []string{"Text: " + count(&l.Text)}
	for name, c := range map[string]*contract.TextLimit{"title": l.Title, "all tags together": l.Tags} {
		if c != nil {
			words = append(words, name+": "+count(c))
		}
	}
	for name, n := range map[string]*int{"hashtags": l.Hashtags, "mentions": l.Mentions, "links": l.Links} {
		if n != nil {
			words = append(words, fmt.Sprintf("%s: at most %d", name, *n))
		}
	}
	slices.Sort(words[1:])
	return strings.Join(words, "; ")
}

func count(c *contract.TextLimit) string {
	return fmt.Sprintf("at most %s %s", core.FormatThousands(int64(c.Max)), units[c.Unit])
}

var units = map[string]string{
	string(core.UnitBytes): "bytes of UTF-8", string(core.UnitCharacters): "characters",
	string(core.UnitUTF16): "UTF-16 code units",
}

// fileWords are a file's bounds in the order in which the check looks at them.
func fileWords(f *contract.FileLimit) string {
	if f == nil {
		return "none"
	}
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	var formats []string
	for _, format := range f.Formats {
		_, name, _ := strings.Cut(format, "/")
		formats = append(formats, name)
	}
	add("%s", strings.Join(formats, ", "))
	if f.Count != nil {
		add("at most %d per post", *f.Count)
	}
	if f.Bytes != nil {
		add("at most %s", size(*f.Bytes))
	}
	p := f.Pixels
	span(add, "width %s px", p.MinWidth, p.MaxWidth)
	span(add, "height %s px", p.MinHeight, p.MaxHeight)
	span(add, "shorter side %s px", nil, p.MaxShortSide)
	span(add, "aspect ratio %s", f.Ratio.Min, f.Ratio.Max)
	span(add, "%s s", seconds(f.Duration.MinMs), seconds(f.Duration.MaxMs))
	if list := append(slices.Clone(f.VideoCodecs), f.AudioCodecs...); len(list) > 0 {
		add("codecs %s", strings.Join(list, ", "))
	}
	span(add, "audio %s Hz", nil, f.AudioRate)
	span(add, "%s channels", nil, f.Channels)
	span(add, "%s frames per second", f.FrameRate.Min, f.FrameRate.Max)
	if f.BitRate != nil {
		add("at most %d Mbit/s", *f.BitRate/1_000_000)
	}
	return strings.Join(words, "; ")
}

// span adds bounds where there are any.
func span[N int | float64](add func(string, ...any), format string, low, high *N) {
	switch {
	case low != nil && high != nil:
		add(format, bound(*low)+" to "+bound(*high))
	case low != nil:
		add(format, "at least "+bound(*low))
	case high != nil:
		add(format, "at most "+bound(*high))
	}
}

// bound writes a number with a comma between thousands, except four digits: pixels are written without.
func bound[N int | float64](n N) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return core.FormatThousands(int64(n))
}

func seconds(ms *int64) *float64 {
	if ms == nil {
		return nil
	}
	return new(float64(*ms) / 1000)
}

// size writes bytes in the unit in which they are a round number.
func size(n int64) string {
	for _, unit := range []struct {
		is   int64
		name string
	}{{1 << 30, "GiB"}, {1_000_000_000, "GB"}, {1 << 20, "MiB"}, {1_000_000, "MB"}} {
		if n%unit.is == 0 {
			return fmt.Sprintf("%d %s", n/unit.is, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Examples that say nothing are none, and one that the schema would refuse misleads; the latter are found
// by reading the description, which checks each.
func TestEveryBodyHasAnExample(t *testing.T) {
	t.Parallel()
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody body
			Responses   map[string]body
		}
		Components struct{ Responses map[string]body }
	}
	if err := json.Unmarshal(described(t).Document(), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			op.RequestBody.check(t, method+" "+path)
			for status, answer := range op.Responses {
				answer.check(t, method+" "+path+" "+status)
			}
		}
	}
	for name, answer := range doc.Components.Responses {
		answer.check(t, name)
	}
}

type body struct {
	Content map[string]struct {
		Examples map[string]any
	}
}

func (b body) check(t *testing.T, place string) {
	t.Helper()
	if c, ok := b.Content[jsonType]; ok && len(c.Examples) == 0 {
		t.Errorf("%s has no example; examples.json holds one for each record", place)
	}
}
