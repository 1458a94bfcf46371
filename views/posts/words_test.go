package posts

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestTheButtonSaysWhatHappens(t *testing.T) {
	t.Parallel()
	tests := []struct {
		when    string
		rows    int
		editing bool
		want    string
	}{
		{WhenNow, 1, false, "Send 1 post now"},
		{WhenNow, 3, false, "Send 3 posts now"},
		{WhenAt, 1, false, "Schedule 1 post"},
		{WhenAt, 2, false, "Schedule 2 posts"},
		{WhenDraft, 1, false, "Save draft"},
		{WhenDraft, 2, false, "Save 2 drafts"},
		{WhenNow, 1, true, "Send now"},
		{WhenAt, 1, true, "Schedule"},
		{WhenDraft, 1, true, "Save draft"},
	}
	for _, test := range tests {
		m := PlanModel{When: test.when, Rows: make([]PlanRow, test.rows), Editing: test.editing}
		if got := m.submitLabel(); got != test.want {
			t.Errorf("%s of %d: want %q, got %q", test.when, test.rows, test.want, got)
		}
	}
}

func TestTheContentOfANetworkIsNamed(t *testing.T) {
	t.Parallel()
	for want, own := range map[string]Override{
		"": {}, "own text": {Text: "a"}, "own title and tags": {Title: "a", Tags: "b"},
		"own text, title and tags": {Text: "a", Title: "b", Tags: "c"}, "no text": {NoText: true, Text: "a"},
		"no text, own tags": {NoText: true, Tags: "a"},
	} {
		if got := own.ownContentText(); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

func TestTheTitleNamesTheNetworksThatShowIt(t *testing.T) {
	t.Parallel()
	with, without := Network{ID: "a", Name: "Alpha", Title: &core.Count{Max: 100}}, Network{ID: "b", Name: "Beta"}
	for want, networks := range map[string][]Network{"Title": {with}, "Title (only on Alpha)": {with, without}} {
		if got := (ComposeModel{Networks: networks}).titleLabel(); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

func TestAPlanIsReadyWhenNothingStandsInTheWay(t *testing.T) {
	t.Parallel()
	row := make([]PlanRow, 1)
	for want, models := range map[bool][]PlanModel{
		true:  {{Plan: &contract.Plan{OK: true}, Rows: row}},
		false: {{}, {Plan: &contract.Plan{}, Rows: row}, {Plan: &contract.Plan{OK: true}}},
	} {
		for _, m := range models {
			if m.canSubmit() != want {
				t.Errorf("%+v: want %t", m, want)
			}
		}
	}
}

func TestAway(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		-time.Hour: "in the past", -30 * time.Second: "now", 30 * time.Second: "now", time.Minute: "in 1 minute",
		59 * time.Minute: "in 59 minutes",
		time.Hour:        "in 1 hour", 47 * time.Hour: "in 47 hours", 72 * time.Hour: "in 3 days",
	} {
		if got := timeUntilText(now.Add(d), now); got != want {
			t.Errorf("%s: want %q, got %q", d, want, got)
		}
	}
}

// A blocked row said "Goes out at once" beside its red cross, and a draft's row was read out as going out.
func TestARowOfThePlanSaysOneThing(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]PlanModel{
		"Immediately will be published": {
			When: WhenNow,
			Rows: []PlanRow{{PlanRow: contract.PlanRow{OK: true}}},
		},
		"Needs a fix will not be published": {When: WhenNow, Rows: []PlanRow{{}}},
		"As a draft with no time will be saved": {
			When: WhenDraft,
			Rows: []PlanRow{{PlanRow: contract.PlanRow{OK: true}}},
		},
		"As a draft with no time will not be saved": {When: WhenDraft, Rows: []PlanRow{{}}},
	} {
		var out strings.Builder
		if err := planRow(ComposeModel{Plan: m}, m.Rows[0]).Render(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(regexp.MustCompile("<[^>]*>").ReplaceAllString(out.String(), " ")), " ")
		if !strings.Contains(got, want) {
			t.Errorf("the row reads %q, want %q in it", got, want)
		}
	}
}

func TestAVersionChangesWithWhatIsShown(t *testing.T) {
	t.Parallel()
	m := ShowModel{Post: contract.Post{Status: "queued", UpdatedAt: contract.Time{Time: time.UnixMilli(1000)}}}
	seen := map[string]bool{m.ContentHash(): true}
	for _, change := range []func(*ShowModel){
		func(m *ShowModel) { m.Post.StatusLine = "Live" },
		func(m *ShowModel) { m.Acts = []core.Act{core.ActDelete} },
		func(m *ShowModel) { m.Sending = true },
		func(m *ShowModel) { m.Post.UpdatedAt = contract.Time{Time: time.UnixMilli(1001)} },
		func(m *ShowModel) { m.Events = []contract.Event{{Kind: "publishing"}} },
	} {
		changed := m
		change(&changed)
		if seen[changed.ContentHash()] {
			t.Errorf("%s is not new", changed.ContentHash())
		}
		seen[changed.ContentHash()] = true
	}
}

// A search found posts by words of their text, but the list showed only their titles.
func TestARowShowsTheTitleAndTheText(t *testing.T) {
	t.Parallel()
	title := "From the counter"
	row := Row{Post: contract.Post{Title: &title, Text: "Cinnamon\nbuns"}}
	if got, want := row.rowText(rowExcerpt), "From the counter · Cinnamon buns"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

func TestTitleOrText(t *testing.T) {
	t.Parallel()
	title := "A title"
	for want, post := range map[string]contract.Post{
		"No text":     {},
		"One two":     {Text: " One\n\n two "},
		"A title":     {Text: "text", Title: &title},
		"63,206 רב 🔔": {Text: "63,206 רב 🔔"},
	} {
		if got := TitleOrText(post, 160); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
	for longest, want := range map[int]string{4: "One…", 5: "One…", 6: "One…", 12: "One two…", 13: "One two three"} {
		if got := TitleOrText(contract.Post{Text: "One two three"}, longest); got != want {
			t.Errorf("at most %d characters: want %q, got %q", longest, want, got)
		}
	}
}
