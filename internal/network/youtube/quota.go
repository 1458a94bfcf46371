package youtube

import "time"

// quotaZone is the zone of the days by which Google counts quota.
const quotaZone = "America/Los_Angeles"

// timeUntilQuotaResets returns the time until the quota's day ends.
func timeUntilQuotaResets(now time.Time) time.Duration {
	zone, err := time.LoadLocation(quotaZone)
	if err != nil {
		return time.Hour
	}
	local := now.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone).Sub(now)
}
