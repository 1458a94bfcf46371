package youtubesim

import (
	"time"

	"belfry/internal/network/sim"
)

// units are the costs of calls. Any other call costs one.
var units = map[string]int{callUpload: 0, callStatus: 0, callPublish: 0, "playlist": 50, "thumbnail": 50}

// spendUnitsOrRefuse adds the cost of a call to the project's daily use, whatever the call's outcome, or returns an
// error if that would exceed the quota.
func (s *Sim) spendUnitsOrRefuse(_ *sim.Request, call string) error {
	cost, special := units[call]
	if !special {
		cost = 1
	}
	return s.spendQuotaOrRefuse("units", cost, OptUnits, newDocumentedError("quotaExceeded"))
}

// spendQuotaOrRefuse adds a cost to the project's daily use of a bucket, or returns refusal if that would exceed its
// quota. Days end at midnight in Los Angeles.
func (s *Sim) spendQuotaOrRefuse(bucket string, cost int, option string, refusal *apiError) error {
	place, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		return err
	}
	if cost == 0 {
		return nil
	}
	key := s.kit.Now().In(place).Format(time.DateOnly) + " " + bucket
	used := s.used.Get(key)
	if used+cost > s.kit.NumberOption(option) {
		return refusal
	}
	return s.used.Put(key, used+cost)
}
