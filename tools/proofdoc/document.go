package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// proof is a proof as the first lines of tools/prove list it.
type proof struct{ Name, Shows string }

// variable is a setting of tools/prove, such as STOPS.
var variable = regexp.MustCompile(`\b[A-Z][A-Z_]{3,}\b`)

// fillIn puts the values of variables in the place of their names.
func fillIn(text string, value func(name string) string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string { return cmp.Or(value(name), name) })
}

var proofLine = regexp.MustCompile(`^#\t([a-z]+) +(.+)$`)

// listProofs reads the list: "#", a tab, the name and what the proof shows, which goes on in lines without a name.
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

// ran is a proof that has just run.
type ran struct {
	Name, Result    string // the result is proved, measured or failed
	At              time.Time
	Took            time.Duration
	Commit, Machine string
	Figures         []string
}

const head = `# Proofs

` + "`make prove` generates this file: do not edit it. Each section shows the last run of one proof, and `tools/prove` says how\n" +
	"each one runs." + `

| The README says | Shown by |
|---|---|
| A plan before every post | ` + "`make test`" + ` |
| Exactly once | protocol, kills, faults, zombies, cuts, deliveries, errors, video, replicas, stops |
| A first live post within a minute | bare |
| Text, links, photos and videos on five networks | kinds |
| Each network in its own folder | sixth, lines |

The others show that Belfry is fast (size, bench), that its operations agree with each other (operations), and that its
tests find mistakes (bugs, repeat, fuzz). A section that is missing has not been run yet.
`

// replaceSection returns the document with a new section for the proof that ran. Sections come in the order of the
// list, and those of proofs that are no longer listed are left out.
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
Shows %s.

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

// readFigures returns what a proof's output says in numbers: what tests log, packages that passed, targets that were
// fuzzed, commands that ended well, planted bugs, and the table of a bench, to its end.
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
			// The program's own log and the moves that lead to a planted bug are no figures.
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
