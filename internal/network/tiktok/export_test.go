package tiktok

import "belfry/internal/core"

// Failures are the verdicts on the reasons for which TikTok gives a post up.
var Failures = func() map[string]core.Verdict {
	verdicts := map[string]core.Verdict{}
	for reason, f := range failures {
		verdicts[reason] = f.verdict
	}
	return verdicts
}()

// Parts is how large the parts of a file are, but the last, and how many.
func Parts(size int64) (part, count int64) {
	h := newHandle(size)
	return h.Part, h.countParts()
}
