package core

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Zone is an IANA time zone that exists.
type Zone struct{ location *time.Location }

// notZones are names that time.LoadLocation accepts but that are not time zones. On some systems, posix and right are
// folders with copies of all zones; those in right count leap seconds.
var notZones = map[string]bool{
	"Local": true, "posixrules": true, "Factory": true, "localtime": true, "posix": true, "right": true,
}

// hasZoneNameSyntax reports whether the name is spelled as IANA spells zones, whether the zone exists or not.
// LoadLocation opens a file with this name, and would also accept Europe//Berlin and ./UTC.
func hasZoneNameSyntax(name string) bool {
	folder, _, _ := strings.Cut(name, "/")
	if notZones[folder] {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || !isASCIILetter(rune(part[0])) || strings.ContainsFunc(part, isForbiddenInZoneName) {
			return false
		}
	}
	return true
}

func isASCIILetter(r rune) bool { return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' }

func isForbiddenInZoneName(r rune) bool {
	return !(isASCIILetter(r) || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '+')
}

// zones caches parsed zones, because each is read from a file.
var zones sync.Map // by name: Zone

// ParseZone parses an IANA zone name such as Europe/Berlin. The error is invalid_request.
func ParseZone(name string) (Zone, error) {
	if known, ok := zones.Load(name); ok {
		return known.(Zone), nil //nolint:errcheck,forcetypeassert // nothing else is stored there
	}
	if hasZoneNameSyntax(name) {
		if location, err := time.LoadLocation(name); err == nil {
			zones.Store(name, Zone{location})
			return Zone{location}, nil
		}
	}
	return Zone{}, Fail(CodeInvalidRequest, "%q is not a time zone.", name).
		WithHint("Use a name such as Europe/Berlin, America/New_York or UTC.")
}

// Name returns the IANA name.
func (z Zone) Name() string { return z.Location().String() }

// Value returns the zone's name for a text column.
func (z Zone) Value() (driver.Value, error) { return z.Name(), nil }

// Scan reads a zone from a text column.
func (z *Zone) Scan(src any) (err error) {
	name, _ := src.(string)
	*z, err = ParseZone(name)
	return err
}

// Location returns the zone for package time; UTC for the zero Zone.
func (z Zone) Location() *time.Location {
	if z.location == nil {
		return time.UTC
	}
	return z.location
}

// QuotaPeriod returns the quota period of an instant, YYYY-MM in this zone.
func (z Zone) QuotaPeriod(t time.Time) string { return t.In(z.Location()).Format("2006-01") }

// DayStart returns when a day begins. wall is as for HourBounds. If midnight occurs twice, the day begins at the first
// one; if a clock change skips midnight, the day begins at the change.
func (z Zone) DayStart(wall time.Time) time.Time {
	return z.firstInstantAtOrAfter(wallMidnightOf(wall))
}

// firstInstantAtOrAfter returns the first instant with a wall time or, if a clock change skips the wall time, the
// instant of the change.
func (z Zone) firstInstantAtOrAfter(wall time.Time) time.Time {
	if at := z.instantsOf(wall); len(at) > 0 {
		return at[0]
	}
	_, after := z.clockGap(wall)
	return z.instantsOf(after)[0]
}

// FormatTime formats an instant for people, as date and time in this zone with the zone's abbreviation and name.
func (z Zone) FormatTime(t time.Time) string {
	local := t.In(z.Location())
	abbreviation, _ := local.Zone()
	if strings.HasPrefix(abbreviation, "+") || strings.HasPrefix(abbreviation, "-") {
		abbreviation = "UTC" + abbreviation
	}
	if abbreviation == z.Name() {
		return local.Format("Mon 2 Jan 2006, 15:04") + " " + abbreviation
	}
	return fmt.Sprintf("%s %s (%s)", local.Format("Mon 2 Jan 2006, 15:04"), abbreviation, z.Name())
}

// instantsOf returns every instant with this wall time, earliest first: none if a clock change skips it, and two if
// it occurs twice.
func (z Zone) instantsOf(wall time.Time) []time.Time {
	var found []time.Time
	// No offset is further than 26 hours from UTC, so the instant lies within this window.
	at, end := wall.Add(-26*time.Hour), wall.Add(26*time.Hour)
	for !at.After(end) {
		local := at.In(z.Location())
		_, offset := local.Zone()
		start, next := local.ZoneBounds()
		candidate := wall.Add(-time.Duration(offset) * time.Second)
		if (start.IsZero() || !candidate.Before(start)) && (next.IsZero() || candidate.Before(next)) {
			found = append(found, candidate)
		}
		if next.IsZero() {
			break
		}
		at = next
	}
	return found
}

// clockGap returns, for a wall time that a clock change skips, the last wall time before the change and the first one
// after it.
func (z Zone) clockGap(skippedWall time.Time) (lastBefore, firstAfter time.Time) {
	at := skippedWall.Add(-26 * time.Hour)
	for {
		_, next := at.In(z.Location()).ZoneBounds()
		if next.IsZero() {
			return skippedWall, skippedWall
		}
		_, old := next.Add(-time.Second).In(z.Location()).Zone()
		from := next.UTC().Add(time.Duration(old) * time.Second)
		to := wallOf(next.In(z.Location()))
		if !skippedWall.Before(from) && skippedWall.Before(to) {
			return from.Add(-time.Minute), to
		}
		at = next
	}
}

// wallOf returns the wall clock reading of a time, written as UTC.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}
