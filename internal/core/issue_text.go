package core

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// IssueText is a row of the table of issues: a code, and formats of its message and hint. Besides the verbs of fmt, the
// formats can contain these marks:
//
//	{network}       the name of the network, or of several: "A and B"
//	{any network}   the same names as alternatives: "A or B"
//	[one|several]   words for one network, and words for several
//	{each: words}   in a hint, what can differ between networks: "words", or "words on A and other words on B"
type IssueText struct {
	Code    IssueCode
	Warning bool
	one     wording // for one network, or none
	several wording // for several networks
	limit   string  // format of the words in {each: …}
	setting bool    // the first argument is the name of a setting
}

// wording has the formats of a message and a hint. The hint contains eachMark in place of {each: …}.
type wording struct{ message, hint string }

const (
	networkMark    = "{network}"
	anyNetworkMark = "{any network}"
	eachMark       = "{each}"
)

var (
	choiceMark  = regexp.MustCompile(`\[([^|\]]*)\|([^\]]*)\]`)
	eachPattern = regexp.MustCompile(`\{each: ([^}]*)\}`)
)

func newIssue(code IssueCode, messageFormat, hintFormat string) IssueText {
	t := IssueText{Code: code}
	if each := eachPattern.FindStringSubmatch(hintFormat); each != nil {
		t.limit = each[1]
		hintFormat = strings.Replace(hintFormat, each[0], eachMark, 1)
	}
	t.one = wording{choiceMark.ReplaceAllString(messageFormat, "$1"), choiceMark.ReplaceAllString(hintFormat, "$1")}
	t.several = wording{choiceMark.ReplaceAllString(messageFormat, "$2"), choiceMark.ReplaceAllString(hintFormat, "$2")}
	return t
}

func newWarning(code IssueCode, messageFormat, hintFormat string) IssueText {
	t := newIssue(code, messageFormat, hintFormat)
	t.Warning = true
	return t
}

// takingSettingFromFirstArg returns an issue whose Setting is the first argument of OnNetwork.
func (t IssueText) takingSettingFromFirstArg() IssueText {
	t.setting = true
	return t
}

// WithoutNetwork returns the issue with its arguments filled in: first the message's, then the hint's. It is for issues
// that name no network.
func (t IssueText) WithoutNetwork(args ...any) Issue { return t.OnNetwork("", args...) }

// OnNetwork returns the issue of a post on a network, with its arguments filled in: first the message's, then the
// hint's. Numbers get a comma between thousands.
func (t IssueText) OnNetwork(network string, args ...any) Issue {
	args = slices.Clone(args)
	for i, arg := range args {
		if n, ok := arg.(int); ok {
			args[i] = countWithCommas(n)
		}
	}
	issue := Issue{Code: t.Code, text: t, args: args}
	if t.setting {
		issue.Setting = fmt.Sprint(args[0])
	}
	if t.namesNetwork() {
		beforeEach, _, _ := strings.Cut(t.one.hint, eachMark)
		from := countVerbs(t.one.message) + countVerbs(beforeEach)
		to := from + countVerbs(t.limit)
		issue.networks, issue.limits = []string{network}, []string{fmt.Sprintf(t.limit, args[from:to]...)}
		issue.args = slices.Concat(args[:from], args[to:])
		issue.reason.message, issue.reason.hint = t.fillWording(t.several, nil, nil, issue.args)
	}
	issue.Message, issue.Hint = t.fillWording(t.one, issue.networks, issue.limits, issue.args)
	return issue
}

// countWithCommas is a number that fmt prints with a comma between thousands.
type countWithCommas int64

// Format implements fmt.Formatter for every verb.
func (c countWithCommas) Format(out fmt.State, _ rune) {
	_, _ = io.WriteString(out, FormatThousands(int64(c)))
}

// AppendTo appends the issue that OnNetwork returns: a warning to warnings, and any other issue to issues.
// networkOrEmpty is "" for an issue that names no network.
func (t IssueText) AppendTo(issues, warnings *[]Issue, networkOrEmpty string, args ...any) {
	if t.Warning {
		issues = warnings
	}
	*issues = append(*issues, t.OnNetwork(networkOrEmpty, args...))
}

// WithEllipses returns the message and the hint with an ellipsis for each argument, or for a number and its unit.
func (t IssueText) WithEllipses() (message, hint string) {
	fill := strings.NewReplacer(networkMark, "…", anyNetworkMark, "…", eachMark, t.limit)
	verbs := strings.NewReplacer("%d %s", "…", "%s", "…", "%d", "…")
	return verbs.Replace(fill.Replace(t.one.message)), verbs.Replace(fill.Replace(t.one.hint))
}

func (t IssueText) namesNetwork() bool { return strings.Contains(t.one.message, "network}") }

// fillWording fills in the networks, their limits and the arguments.
func (t IssueText) fillWording(w wording, networks, limits []string, args []any) (message, hint string) {
	used, first := countVerbs(w.message), countVerbs(t.one.message)
	message = strings.ReplaceAll(w.message, networkMark, escapeVerbs(JoinNames(networks, "and")))
	message = strings.ReplaceAll(message, anyNetworkMark, escapeVerbs(JoinNames(networks, "or")))
	hint = strings.ReplaceAll(w.hint, eachMark, escapeVerbs(joinLimits(networks, limits)))
	return fmt.Sprintf(message, args[:used]...), fmt.Sprintf(hint, args[first:]...)
}

func countVerbs(format string) int { return strings.Count(format, "%") }

func escapeVerbs(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// JoinNames returns names as "A", "A and B" or "A, B and C", with "and" or another conjunction.
func JoinNames(names []string, conjunction string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + conjunction + " " + names[last]
}

// joinLimits returns the limits of networks, each with the networks that have it, or alone if all are the same: "500 on
// A, and 2,200 on B and C".
func joinLimits(networks, limits []string) string {
	var different []string
	having := map[string][]string{} // the networks with a limit
	for n, limit := range limits {
		if having[limit] == nil {
			different = append(different, limit)
		}
		having[limit] = append(having[limit], networks[n])
	}
	if len(different) < 2 {
		return strings.Join(different, "")
	}
	list := make([]string, len(different))
	for n, limit := range different {
		list[n] = limit + " on " + JoinNames(having[limit], "and")
	}
	if len(different) < len(limits) {
		return strings.Join(list[:len(list)-1], ", ") + ", and " + list[len(list)-1]
	}
	return JoinNames(list, "and")
}

// NamesNetwork reports whether the message names networks.
func (i Issue) NamesNetwork() bool { return len(i.networks) > 0 }

// Join returns one issue for a reason that posts on several networks share, with each network and its limit. ok is
// false if the issues have different reasons.
func (i Issue) Join(other Issue) (joined Issue, ok bool) {
	if i.Code != other.Code || i.reason != other.reason || !i.NamesNetwork() && !i.hasSameWording(other) {
		return i, false
	}
	joined = i
	for n, network := range other.networks {
		switch at := slices.Index(joined.networks, network); {
		case at < 0:
			joined.networks = append(slices.Clone(joined.networks), network)
			joined.limits = append(slices.Clone(joined.limits), other.limits[n])
		case joined.limits[at] != other.limits[n]:
			return i, false
		}
	}
	if len(joined.networks) > len(i.networks) {
		joined.Message, joined.Hint = i.text.fillWording(i.text.several, joined.networks, joined.limits, i.args)
	}
	return joined, true
}

func (i Issue) hasSameWording(other Issue) bool {
	return i.Message == other.Message && i.Hint == other.Hint
}
