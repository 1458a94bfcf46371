package core

import "time"

// Schedule contains the delays of the publishing protocol.
type Schedule struct {
	// Retry contains the pause before each automatic retry (Spec §3). Its length is the number of retries.
	Retry []time.Duration
	// Lease is how long a worker owns a publication without renewing the lease (config.Config.Lease).
	Lease time.Duration
}

// CallTimeout returns the maximum duration of one call to a network: half a lease.
func (s Schedule) CallTimeout() time.Duration { return s.Lease / 2 }

// LeaseMargin returns how long before the end of a lease no more calls may start.
func (s Schedule) LeaseMargin() time.Duration { return s.Lease / 12 }

// Limits on waiting for a network that does not respond.
const (
	// staleAfter is how long the network is asked about an armed publication, or one whose account is lost, before its
	// outcome counts as unknown.
	staleAfter = 7 * 24 * time.Hour
	// processingFor is how long a handle may be processed: networks drop it after 24 hours.
	processingFor = 24 * time.Hour
)

// HasRetriesLeft reports whether the worker has retried the publication less often than the schedule allows. It checks
// nothing else.
func (s Schedule) HasRetriesLeft(p Publication) bool { return p.Tries < len(s.Retry) }

// NextRetryAt returns when the worker tries again after a failure. failures is the number of failures so far, including
// this one.
func (s Schedule) NextRetryAt(failures int, now time.Time) time.Time {
	return now.Add(s.Retry[min(failures, len(s.Retry))-1])
}

// QuietAfterArm returns how long after the arm a call can still take effect: its time limit plus the network's settle
// time.
func (s Schedule) QuietAfterArm(settle time.Duration) time.Duration { return s.CallTimeout() + settle }

// StaleAt returns when it becomes pointless to ask the network about a publication. askingSince is the result of
// store.Publication.AskingNetworkSince.
func StaleAt(p Publication, askingSince time.Time) time.Time {
	if p.Armed {
		return askingSince.Add(staleAfter)
	}
	return askingSince.Add(processingFor)
}

// PollBackoff returns the pause before the next poll. It doubles with each of the earlier polls in a row, from first up
// to one minute, as Meta recommends.
func PollBackoff(first time.Duration, earlierPolls int) time.Duration {
	wait := first
	for range earlierPolls {
		if wait >= time.Minute {
			break
		}
		wait *= 2
	}
	return min(wait, time.Minute)
}

// FollowUpLifetime is how long a failing follow-up task is retried. No post waits for such a task.
const FollowUpLifetime = 24 * time.Hour

var followUpDelays = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}

// FollowUpRetryDelay returns the pause before the next retry of a follow-up task. taskAge is how long ago the task was
// first due; the pause is at least minimum.
func FollowUpRetryDelay(taskAge, minimum time.Duration) time.Duration {
	wait := followUpDelays[len(followUpDelays)-1]
	for total, i := time.Duration(0), 0; i < len(followUpDelays); i++ {
		if total += followUpDelays[i]; taskAge < total {
			wait = followUpDelays[i]
			break
		}
	}
	return max(wait, minimum)
}
