package network

import (
	"fmt"
	"time"

	"belfry/internal/core"
)

// Budget is a network's published limit on calls of one kind within a period. A post whose call would exceed the
// limit waits. If the network throttles a call anyway, that throttle applies as usual.
type Budget struct {
	Call  core.Action // DoCreate, DoPublish, or DoStatus for status queries after the arm
	Scope Scope       // ScopeAccount or ScopeApp
	Name  string      // what the network counts, as a plural: uploads
	Count int         // the maximum within one period
	// Cost is how much of Count one call uses; 0 means 1.
	Cost int
	// Window is the length of the moving period. If Day is set, the period is a calendar day in that zone instead.
	Window time.Duration
	Day    *time.Location
}

// PeriodAt returns the start and the end of the period that contains now. The end of a moving period is zero.
func (b Budget) PeriodAt(now time.Time) (start, endIfCalendarDay time.Time) {
	if b.Day == nil {
		return now.Add(-b.Window), time.Time{}
	}
	year, month, day := now.In(b.Day).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, b.Day), time.Date(year, month, day+1, 0, 0, 0, 0, b.Day)
}

// String returns the limit in words, such as "6 uploads a minute for each account".
func (b Budget) String() string {
	within, of := fmt.Sprintf("in %.0f minutes", b.Window.Minutes()), "each account"
	switch {
	case b.Day != nil:
		within = "a day"
	case b.Window == time.Minute:
		within = "a minute"
	case b.Window == 24*time.Hour:
		within = "in 24 hours"
	}
	if b.Scope == ScopeApp {
		of = "this server"
	}
	return fmt.Sprintf("%d %s %s for %s", b.Count, b.Name, within, of)
}

// FindBudget returns the budget for a call, or false if the network publishes no limit for it.
func (d Delivery) FindBudget(call core.Action) (Budget, bool) {
	for _, b := range d.Budgets {
		if b.Call == call && b.Count > 0 {
			return b, true
		}
	}
	return Budget{}, false
}
