package network

import (
	"fmt"
	"time"

	"belfry/internal/core"
)

// Budget is how many calls of a kind a network takes within a time, as it publishes it. A post whose call would be one
// too many waits until it is not. A throttle that the network sends nevertheless counts as always.
type Budget struct {
	Call  core.Do // DoCreate, DoPublish, or DoStatus for the questions after the arm
	Scope Scope   // ScopeAccount or ScopeApp
	Name  string  // what the network counts, in a sentence: uploads
	Count int     // how many it takes
	// Cost is how many of them the call counts as; 0 is one.
	Cost int
	// Window is the time, which moves along. With Day, it is a day of that zone instead.
	Window time.Duration
	Day    *time.Location
}

// PeriodAt returns since when calls count at a time, and for a day, when none of them counts any more.
func (b Budget) PeriodAt(now time.Time) (since, ends time.Time) {
	if b.Day == nil {
		return now.Add(-b.Window), time.Time{}
	}
	year, month, day := now.In(b.Day).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, b.Day), time.Date(year, month, day+1, 0, 0, 0, 0, b.Day)
}

// String is the rule in words: 6 uploads in a minute for each account.
func (b Budget) String() string {
	within, of := fmt.Sprintf("in %.0f minutes", b.Window.Minutes()), "each account"
	switch {
	case b.Day != nil:
		within = "a day"
	case b.Window == time.Minute:
		within = "in a minute"
	case b.Window == 24*time.Hour:
		within = "in 24 hours"
	}
	if b.Scope == ScopeApp {
		of = "this server"
	}
	return fmt.Sprintf("%d %s %s for %s", b.Count, b.Name, within, of)
}

// FindBudget returns the budget of a call, or false if the network publishes none.
func (d Delivery) FindBudget(call core.Do) (Budget, bool) {
	for _, b := range d.Budgets {
		if b.Call == call && b.Count > 0 {
			return b, true
		}
	}
	return Budget{}, false
}
