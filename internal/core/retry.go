package core

import "time"

// Schedule contains the delays of the publishing protocol.
type Schedule struct {
	// Retry is how long after each failure the worker tries again (Spec §3). Its length is the number of retries.
	Retry []time.Duration
	// Lease is how long a worker owns a publication without renewing the lease.
	Lease time.Duration
}

// CallTimeout returns the maximum duration of one call to a network: half a lease.
func (s Schedule) CallTimeout() time.Duration { return s.Lease / 2 }

// LeaseMargin returns the part of a lease at its end in which no call may start.
func (s Schedule) LeaseMargin() time.Duration { return s.Lease / 12 }

// Limits of patience with a network that does not answer.
const (
	// staleAfter is how long an armed publication, or one whose account is lost, is asked about before nobody
	// can know.
	staleAfter = 7 * 24 * time.Hour
	// processingFor is how long a handle may be processed: networks drop it after 24 hours.
	processingFor = 24 * time.Hour
)

// CanRetry reports whether the worker has attempts left.
func (s Schedule) CanRetry(p Publication) bool { return p.Tries < len(s.Retry) }

// NextRetryAt returns when the worker tries again after the failure that Next has just counted.
func (s Schedule) NextRetryAt(p Publication, now time.Time) time.Time {
	return now.Add(s.Retry[min(p.Tries, len(s.Retry))-1])
}

// QuietAfterArm is how long after an arm a call still on the wire must have arrived: the call's own
// deadline and the network's settle time.
func (s Schedule) QuietAfterArm(settle time.Duration) time.Duration { return s.CallTimeout() + settle }

// StaleAt is until when there is use in asking. since is when the step began, with a retry at the latest, or
// when the call of the last arm must have arrived, if that is later.
func StaleAt(p Publication, since time.Time) time.Time {
	if p.Armed {
		return since.Add(staleAfter)
	}
	return since.Add(processingFor)
}

// Backoff grows from first to a minute with every poll in a row, as Meta advises.
func Backoff(first time.Duration, polls int) time.Duration {
	wait := first
	for range polls {
		if wait >= time.Minute {
			break
		}
		wait *= 2
	}
	return min(wait, time.Minute)
}

// FollowUpLifetime is how long something that follows, and that no post waits for, is tried again after failures.
const FollowUpLifetime = 24 * time.Hour

var followUpDelays = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}

// FollowUpDelay is the pause before the next try, by how long ago the first was due. It is at least as long as the
// network has asked for.
func FollowUpDelay(age, minimum time.Duration) time.Duration {
	wait := followUpDelays[len(followUpDelays)-1]
	for total, i := time.Duration(0), 0; i < len(followUpDelays); i++ {
		if total += followUpDelays[i]; age < total {
			wait = followUpDelays[i]
			break
		}
	}
	return max(wait, minimum)
}
