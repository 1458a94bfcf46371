package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// proof is a proof in the list at the beginning of tools/prove.
type proof struct{ Name, Shows string }

// variable matches the name of a setting of tools/prove, such as STOPS.
var variable = regexp.MustCompile(`\b[A-Z][A-Z_]{3,}\b`)

// fillIn replaces the names of variables with their values.
func fillIn(text string, value func(name string) string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string { return cmp.Or(formatValue(value(name)), name) })
}

// formatValue returns a setting's value as prose writes it: several whole minutes as words, a number of at least five
// digits with commas, and any other value unchanged.
func formatValue(value string) string {
	if n, err := strconv.Atoi(value); err == nil && n >= 10_000 {
		for i := len(value) - 3; i > 0; i -= 3 {
			value = value[:i] + "," + value[i:]
		}
		return value
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= time.Minute || d%time.Minute != 0 {
		return value
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}

var proofLine = regexp.MustCompile(`^#\t([a-z]+) +(.+)$`)

// listProofs reads the list of proofs. A line has "#", a tab, the name and what the proof covers; lines without a name
// continue the one before.
func listProofs(script string) (all []proof) {
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		if m := proofLine.FindStringSubmatch(line); m != nil {
			all = append(all, proof{m[1], m[2]})
		} else if more, ok := strings.CutPrefix(line, "#\t "); ok && len(all) > 0 {
			all[len(all)-1].Shows += " " + strings.TrimSpace(more)
		} else if len(all) > 0 {
			break
		}
	}
	return all
}

// ran is the result of a proof.
type ran struct {
	Name, Result    string // the result is proved, measured or failed
	At              time.Time
	Took            time.Duration
	Commit, Machine string
	Figures         []string
}

const head = `# Proofs

` + "`make prove` generates this file: do not edit it. Each section shows the latest run of one proof. `tools/prove` shows how\n" +
	"each proof runs." + `

| The README says | Shown by |
|---|---|
| A plan before every post | ` + "`make test`" + ` |
| Never twice | protocol, kills, faults, zombies, cuts, deliveries, errors, video, replicas, stops |
| A first live post within a minute of setup | bare |
| Text, links, photos and videos on five networks | kinds |
| Each network in its own folder | sixth, lines |

The other proofs measure speed (size, bench), check every page and time the main ones (pages), run concurrent operations
(operations), check that the tests find planted bugs (bugs), and look for bugs that appear only rarely (repeat, fuzz). A
proof without a section has not been run yet.
`

// replaceSection returns the document with a new section for the proof that ran. The sections are in the order of the
// list. It removes sections of proofs that are no longer listed.
func replaceSection(document string, proofs []proof, r ran) (string, error) {
	sections := map[string]string{}
	for _, section := range strings.Split(document, "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		sections[name] = text
	}
	var out strings.Builder
	out.WriteString(head)
	known := false
	for _, p := range proofs {
		text := sections[p.Name]
		if p.Name == r.Name {
			known, text = true, r.formatSection(p.Shows)
		}
		if text != "" {
			fmt.Fprintf(&out, "\n## %s\n%s\n", p.Name, strings.TrimRight(text, "\n"))
		}
	}
	if !known {
		return "", fmt.Errorf("%s does not list a proof named %s", script, r.Name)
	}
	return out.String(), nil
}

func (r ran) formatSection(shows string) string {
	result := r.Result
	if result == "failed" {
		result = "**" + result + "**"
	}
	text := fmt.Sprintf(`
Covers %s.

| | |
|---|---|
| Result | %s |
| Date | %s |
| Took | %s |
| Commit | %s |
| Machine | %s |
`, strings.TrimSuffix(shows, "."), result, r.At.Format("2006-01-02 15:04 UTC"), r.Took, r.Commit, r.Machine)
	if len(r.Figures) > 0 {
		text += "\n```text\n" + strings.Join(r.Figures, "\n") + "\n```\n"
	}
	return text
}

var (
	logged = regexp.MustCompile(`^ {4,}[a-zA-Z_0-9]+_test\.go:[0-9]+: (.+)$`)
	traced = regexp.MustCompile(`^[0-9]+ (?:[A-Z]|world)[ :]`)
	ended  = regexp.MustCompile(`^(?:ok +\t?|\./|make (?:run|test): |caught|MISSED: )`)
)

const tableHead = "measured "

// readFigures returns the figures in a proof's output: what tests log, packages that passed, fuzzed targets, successful
// commands, planted bugs, and the table of a bench.
func readFigures(output string) (figures []string) {
	inLog, inTable := false, false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, " \r\n")
		m := logged.FindStringSubmatch(line)
		switch {
		case inTable && line != "", strings.HasPrefix(line, tableHead):
			inTable = true
			figures = append(figures, line)
		case m != nil && strings.HasPrefix(m[1], "log of "): // the program's own log
			inLog = false
		case m != nil:
			inLog = true
			figures = append(figures, m[1])
		case inLog && strings.HasPrefix(line, "        "):
			// The program's own log and the moves that lead to a planted bug are not figures.
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "time=") && !traced.MatchString(line) {
				figures = append(figures, "  "+line)
			}
		case ended.MatchString(line):
			inLog = false
			figures = append(figures, strings.Join(strings.Fields(line), " "))
		default:
			inLog, inTable = false, false
		}
	}
	return figures
}
