package threadssim

import (
	"net/http"
	"time"

	"belfry/internal/network/sim"
)

const (
	quotaWindow  = 24 * time.Hour
	quotaReplies = 1000
	quotaDeletes = 100
)

// quotaUsage counts posts of the moving window. The caller holds the lock.
func (s *Sim) quotaUsage(a *account, now time.Time) int {
	a.published = dropOlder(a.published, now)
	return len(a.published)
}

func dropOlder(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) >= quotaWindow {
		times = times[1:]
	}
	return times
}

// quotaUsed borrows the code a sister network documents; this one documents none.
func quotaUsed() sim.Answer {
	return sim.GraphError{
		Status: http.StatusForbidden, Code: 9, Subcode: 2207042, Type: apiError, Message: "Application request limit reached",
		Title: "Publishing limit reached", Detail: "You have reached the maximum number of posts for the last 24 hours.",
	}.Answer()
}

// readQuota serves how much of the publishing quota is used.
func (s *Sim) readQuota(q *apiCall) {
	s.runCall(q, callLimit, "", func(bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "fields"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		if !q.token.hasScope(scopePublish) {
			return noPermission(scopePublish)
		}
		s.mu.Lock()
		used := s.quotaUsage(q.owner, s.kit.Now())
		s.mu.Unlock()
		day := int(quotaWindow.Seconds())
		node := map[string]any{
			"quota_usage": used, "config": map[string]any{"quota_total": s.kit.Number(OptQuota), "quota_duration": day},
			"reply_quota_usage": 0, "reply_config": map[string]any{"quota_total": quotaReplies, "quota_duration": day},
		}
		known := sim.Known("quota_usage", "config", "reply_quota_usage", "reply_config")
		picked, refusal := pickFields(q.params.Get("fields"), node, known, "quota_usage")
		if refusal != nil {
			return *refusal
		}
		return sim.OK(map[string]any{"data": []any{picked}})
	})
}
