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
	for _, test := range []struct {
		when string
		rows int
		want string
	}{
		{WhenNow, 1, "Send now"},
		{WhenNow, 3, "Send 3 posts now"},
		{WhenAt, 1, "Schedule"},
		{WhenAt, 2, "Schedule 2 posts"},
		{WhenDraft, 1, "Save draft"},
		{WhenDraft, 2, "Save 2 drafts"},
	} {
		m := PlanModel{When: test.when, Rows: make([]PlanRow, test.rows)}
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

func TestTheConfirmationShowsTheSharedTextOnlyIfItIsUsed(t *testing.T) {
	t.Parallel()
	rows := []PlanRow{{PlanRow: contract.PlanRow{Platform: "a"}}, {PlanRow: contract.PlanRow{Platform: "b"}}}
	for want, own := range map[string]map[string]Override{
		"shared": {"a": {Text: "own"}}, "": {"a": {Text: "own"}, "b": {NoText: true}},
	} {
		m := ComposeModel{Values: Values{Text: "shared", Overrides: own}, Plan: PlanModel{Rows: rows}}
		if got := m.dialogSharedTextStart(); got != want {
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

// On Monday evening, Thursday morning was "in 2 days", and 1 hour and 27 minutes were "in 1 hour".
func TestAway(t *testing.T) {
	t.Parallel()
	berlin, err := core.ParseZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ now, at, want string }{
		{"2026-11-23 21:33:00", "2026-11-23 20:33", "in the past"},
		{"2026-11-23 21:33:30", "2026-11-23 21:33", "now"},
		{"2026-11-23 21:33:30", "2026-11-23 21:34", "now"},
		{"2026-11-23 21:33:00", "2026-11-23 21:34", "in 1 minute"},
		{"2026-11-23 21:33:30", "2026-11-23 22:33", "in 59 minutes"},
		{"2026-11-23 21:33:00", "2026-11-23 22:33", "in 1 hour"},
		{"2026-11-23 21:33:00", "2026-11-23 23:00", "in 1 hour 27 minutes"},
		{"2026-11-23 21:30:00", "2026-11-24 09:00", "in 11 hours 30 minutes"},
		{"2026-11-23 21:30:00", "2026-11-24 21:29", "in 23 hours 59 minutes"},
		{"2026-11-23 21:30:00", "2026-11-24 21:30", "tomorrow"},
		{"2026-11-23 21:30:00", "2026-11-26 09:00", "in 3 days"},
		{"2026-11-23 21:30:00", "2026-11-30 09:00", "in 7 days"},
		{"2026-10-23 00:30:00", "2026-10-26 00:30", "in 3 days"},              // one of the days has 25 hours
		{"2026-10-25 00:00:00", "2026-10-25 23:30", "in 24 hours 30 minutes"}, // the same day
		{"2026-12-31 12:00:00", "2027-01-02 12:00", "in 2 days"},
	} {
		now, _ := time.ParseInLocation(time.DateTime, test.now, berlin.Location())
		at, _ := time.ParseInLocation("2006-01-02 15:04", test.at, berlin.Location())
		if got := timeUntilText(at.UTC(), now.UTC(), berlin); got != test.want {
			t.Errorf("%s at %s: want %q, got %q", test.at, test.now, test.want, got)
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
		func(m *ShowModel) { m.Beside = Beside{Total: 1, Posts: []OtherPost{{Account: "Harbour"}}} },
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
	if got, want := row.titleAndTextOrFileName(rowExcerpt), "From the counter · Cinnamon buns"; got != want {
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
