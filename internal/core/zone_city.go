package core

import (
	_ "embed"
	"slices"
	"strings"
	"time"
)

// zoneNames are the names of all time zones of Go's database, one per line.
//
//go:embed zones.txt
var zoneNames string

// FindZoneNames returns the names of the time zones with a city, such as Europe/Berlin for "berlin", in alphabetical
// order. If the text is the name of a zone, ignoring case, it returns only this name. If one zone has several names
// with the city, it returns the first of them.
func FindZoneNames(cityOrName string) (found []string) {
	wanted := strings.ReplaceAll(strings.TrimSpace(cityOrName), " ", "_")
	for name := range strings.FieldsSeq(zoneNames) {
		if strings.EqualFold(name, wanted) {
			return []string{name}
		}
		city := name[strings.LastIndex(name, "/")+1:]
		isSame := func(other string) bool { return haveSameOffsets(name, other) }
		if strings.EqualFold(city, wanted) && !slices.ContainsFunc(found, isSame) {
			found = append(found, name)
		}
	}
	return found
}

// haveSameOffsets reports whether two names stand for one zone: their clocks show the same in every week from 1970 to
// 2040.
func haveSameOffsets(zoneName, otherName string) bool {
	zone, err := ParseZone(zoneName)
	otherZone, otherErr := ParseZone(otherName)
	if err != nil || otherErr != nil {
		return false
	}
	for at := time.Unix(0, 0); at.Year() < 2040; at = at.AddDate(0, 0, 7) {
		_, offset := at.In(zone.Location()).Zone()
		_, otherOffset := at.In(otherZone.Location()).Zone()
		if offset != otherOffset {
			return false
		}
	}
	return true
}
