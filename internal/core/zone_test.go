package core_test

import (
	_ "embed"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the test's zones must not depend on the machine's

	"belfry/internal/core"
)

// Every zone of Go 1.26's time zone database but Factory, which is nowhere.
//
//go:embed zones.txt
var zoneNames string

func zone(t *testing.T, name string) core.Zone {
	t.Helper()
	z, err := core.ParseZone(name)
	if err != nil {
		t.Fatalf("zone %q: %v", name, err)
	}
	return z
}

func TestEveryZoneIsTaken(t *testing.T) {
	t.Parallel()
	names := strings.Fields(zoneNames)
	if len(names) < 590 {
		t.Fatalf("only %d zones listed", len(names))
	}
	for _, name := range names {
		if got := zone(t, name).Name(); got != name {
			t.Errorf("zone %s is called %s", name, got)
		}
	}
}

func TestAZoneIsFoundByItsCity(t *testing.T) {
	t.Parallel()
	for entered, want := range map[string]string{
		"Berlin": "Europe/Berlin", " new york ": "America/New_York", "europe/berlin": "Europe/Berlin", "utc": "UTC",
		"Istanbul": "Asia/Istanbul", "Buenos Aires": "America/Argentina/Buenos_Aires",
		"Indianapolis": "America/Indiana/Indianapolis", "West": "Australia/West Brazil/West",
		"port-au-prince": "America/Port-au-Prince", "singapore": "Singapore",
		"Knox": "America/Indiana/Knox", "": "", " ": "", "Ber": "", "Atlantis": "", "Europe": "", "Europe/": "",
	} {
		found := core.FindZoneNames(entered)
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%q finds %q, want %q", entered, got, want)
		}
		for _, name := range found {
			zone(t, name)
		}
	}
}

func TestWhatIsNoZoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", " ", "Local", "local", "localtime", "posixrules", "Factory", "right/UTC", "posix/Europe/Berlin", "leapseconds",
		"tzdata.zi", "zone.tab", "zone1970.tab", "iso3166.tab", "../etc/passwd", "../etc", "/etc/localtime",
		"/usr/share/zoneinfo/UTC",
		"Europe", "Europe/", "/Europe/Berlin", "Europe//Berlin", "Europe/./Berlin", "Europe/../UTC", "./UTC", "UTC/",
		"UTC\x00",
		"UTC ", " UTC", "Europe/Berlin\n", "europe/berlin", "EUROPE/BERLIN", "Europe\\Berlin", "Europe/Atlantis", "+02:00",
		"GMT+2",
		"UTC+2", "CEST", "Zürich", "Europe/Zürich", "１２", strings.Repeat("A", 10_000),
	} {
		z, err := core.ParseZone(name)
		if core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%.40q is taken as %s: %v", name, z.Name(), err)
		}
	}
}

func TestZeroZoneIsUTC(t *testing.T) {
	t.Parallel()
	var z core.Zone
	if z.Name() != "UTC" || z.Location() != time.UTC {
		t.Errorf("the zero zone is %s", z.Name())
	}
}

func TestMonthIsTheZones(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 10, 31, 23, 30, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"UTC": "2026-10", "Europe/Berlin": "2026-11", "America/New_York": "2026-10", "Pacific/Kiritimati": "2026-11",
	} {
		if got := zone(t, name).QuotaPeriod(at); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestLabelsOfTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 5, 9, 7, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"UTC":                 "Sun 5 Jul 2026, 09:07 UTC",
		"Etc/UTC":             "Sun 5 Jul 2026, 09:07 UTC (Etc/UTC)",
		"Europe/Berlin":       "Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin)",
		"America/Sao_Paulo":   "Sun 5 Jul 2026, 06:07 UTC-03 (America/Sao_Paulo)",
		"Asia/Kathmandu":      "Sun 5 Jul 2026, 14:52 UTC+0545 (Asia/Kathmandu)",
		"Asia/Tokyo":          "Sun 5 Jul 2026, 18:07 JST (Asia/Tokyo)",
		"Pacific/Kiritimati":  "Sun 5 Jul 2026, 23:07 UTC+14 (Pacific/Kiritimati)",
		"America/Los_Angeles": "Sun 5 Jul 2026, 02:07 PDT (America/Los_Angeles)",
	} {
		if got := zone(t, name).FormatTime(at); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestADayBeginsOnceInEveryZone(t *testing.T) {
	t.Parallel()
	const year = 2026
	for name := range strings.FieldsSeq(zoneNames) {
		z := zone(t, name)
		day := func(at time.Time) int { return at.In(z.Location()).YearDay() }
		for midnight := time.Date(year, 1, 2, 0, 0, 0, 0, time.UTC); midnight.Year() == year; midnight = midnight.AddDate(0,
			0, 1) {
			at := z.DayStart(midnight)
			if want := midnight.YearDay(); day(at) != want || day(at.Add(-time.Second)) != want-1 {
				t.Errorf("%s: %s begins at %s", name, midnight.Format(time.DateOnly), at)
			}
		}
	}
}

func TestADayWithoutItsMidnightBegins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ day, want string }{
		"America/Santiago": {"2026-09-06", "2026-09-06T04:00:00Z"}, // skipped
		"America/Havana":   {"2026-11-01", "2026-11-01T04:00:00Z"}, // twice
		"Pacific/Apia":     {"2011-12-30", "2011-12-30T10:00:00Z"}, // a whole day skipped
	} {
		midnight, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := zone(t, name).DayStart(midnight).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s: %s begins at %s, want %s", name, c.day, got, c.want)
		}
	}
}
