package youtube

import "time"

// Google counts quota by days of this zone.
const quotaZone = "America/Los_Angeles"

// timeUntilQuotaResets is how long the current day of quota lasts.
func timeUntilQuotaResets(now time.Time) time.Duration {
	zone, err := time.LoadLocation(quotaZone)
	if err != nil {
		return time.Hour
	}
	local := now.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone).Sub(now)
}
