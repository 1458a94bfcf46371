package web

import (
	"belfry/internal/core"
)

// expandUniqueCityToZoneName returns the name of the time zone with the city that a person entered. If no zone or
// several zones have the city, it returns the text unchanged. explainInvalidZone then says what to enter.
func expandUniqueCityToZoneName(entered string) string {
	if found := core.FindZoneNames(entered); len(found) == 1 {
		return found[0]
	}
	return entered
}

// explainInvalidZone says why a text is not a time zone, and what to enter instead.
func explainInvalidZone(entered string) string {
	found := core.FindZoneNames(entered)
	if len(found) == 0 {
		return "Belfry does not recognize this time zone. Enter a large city in your time zone, such as Berlin or New York."
	}
	return "Several time zones have this name. Enter " + core.JoinNames(found, "or") + "."
}
