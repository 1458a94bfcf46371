// Package metrics counts what operators monitor. No label contains an id.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the service's metrics, in their own registry.
type Metrics struct {
	Registry  *prometheus.Registry
	lateness  *prometheus.HistogramVec
	outcomes  *prometheus.CounterVec
	calls     *prometheus.HistogramVec
	http      *prometheus.CounterVec
	takeovers prometheus.Counter
	fenced    prometheus.Counter
	refused   *prometheus.CounterVec
	overdue   prometheus.Gauge
	oldestDue prometheus.Gauge
	orphans   *prometheus.CounterVec
	refreshes *prometheus.CounterVec
	sealed    *prometheus.GaugeVec
}

var seconds = []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900}

// New returns the metrics, including those of the Go runtime and the process.
func New() *Metrics {
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		lateness: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "publish_lateness_seconds", Help: "Time from a post's scheduled time until Belfry's next call to the network for this post (until=\"first_call\"), or until the post is live (until=\"live\").",
			Buckets: seconds,
		}, []string{"platform", "until"}),
		outcomes: newCounterVec("publish_outcomes_total", "Number of publication claims, by outcome.", "platform", "outcome", "code"),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "step_seconds", Help: "Duration of each call for a publication.", Buckets: seconds,
		}, []string{"platform", "step"}),
		http:      newCounterVec("network_http_total", "Number of HTTP calls to networks.", "host", "status", "kind"),
		takeovers: newCounter("lease_takeovers_total", "Number of publications taken over from a worker that did not finish."),
		fenced:    newCounter("fenced_writes_total", "Number of writes refused because another worker had taken over the publication."),
		refused:   newCounterVec("rate_limited_total", "Number of requests refused by a rate limit.", "policy"),
		overdue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "publications_overdue",
			Help: "Number of publications that are at least a minute overdue, and either unclaimed or stuck because this server lacks a secret key or the network's credentials, or cannot read the post.",
		}),
		oldestDue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "oldest_due_seconds",
			Help: "Seconds since the oldest overdue publication was due.",
		}),
		orphans:   newCounterVec("orphan_handles_total", "Number of handles whose creation was interrupted.", "platform"),
		refreshes: newCounterVec("token_refreshes_total", "Number of attempts to renew an account's token, by outcome.", "platform", "outcome"),
		sealed: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "belfry_sealed_values",
			Help: "Number of values in the database that are encrypted with each secret key. You can remove a key other than the first one two days after its number reaches 0.",
		}, []string{"key"}),
	}
	m.Registry.MustRegister(m.lateness, m.outcomes, m.calls, m.http, m.takeovers, m.fenced, m.refused, m.overdue,
		m.oldestDue, m.orphans, m.refreshes, m.sealed, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func newCounter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func newCounterVec(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// ObserveFirstCallLateness records how late the first call for a post was.
func (m *Metrics) ObserveFirstCallLateness(platform string, late time.Duration) {
	m.lateness.WithLabelValues(platform, "first_call").Observe(late.Seconds())
}

// ObserveLiveLateness records how late a post went live.
func (m *Metrics) ObserveLiveLateness(platform string, late time.Duration) {
	m.lateness.WithLabelValues(platform, "live").Observe(late.Seconds())
}

// CountClaimOutcome counts a publication's claim by how it ended. errorKind is "" if no call to the network failed.
func (m *Metrics) CountClaimOutcome(platform, outcome, errorKind string) {
	m.outcomes.WithLabelValues(platform, outcome, errorKind).Inc()
}

// ObserveCallDuration records how long a call for a publication took.
func (m *Metrics) ObserveCallDuration(platform, call string, took time.Duration) {
	m.calls.WithLabelValues(platform, call).Observe(took.Seconds())
}

// CountNetworkCall counts an HTTP call to a network. errorKind says why no complete response arrived, and is "" if one
// did, even a refusal.
func (m *Metrics) CountNetworkCall(host, httpStatus, errorKind string) {
	m.http.WithLabelValues(host, httpStatus, errorKind).Inc()
}

// CountPublicationTakeover counts a publication that a worker has taken over from one that did not finish.
func (m *Metrics) CountPublicationTakeover() { m.takeovers.Inc() }

// CountWriteRefusedAfterTakeover counts a write that the database refused because another worker had taken over the
// publication.
func (m *Metrics) CountWriteRefusedAfterTakeover() { m.fenced.Inc() }

// CountInterruptedHandleCreation counts a handle whose creation was interrupted, so that the network may have a handle
// that Belfry does not know.
func (m *Metrics) CountInterruptedHandleCreation(platform string) {
	m.orphans.WithLabelValues(platform).Inc()
}

// CountRateLimited counts a request that a rate limit refused.
func (m *Metrics) CountRateLimited(policy string) { m.refused.WithLabelValues(policy).Inc() }

// SetSealedValues sets how many values are encrypted with each secret key, and removes all other keys.
func (m *Metrics) SetSealedValues(countByKeyID map[string]int64) {
	m.sealed.Reset()
	for id, n := range countByKeyID {
		m.sealed.WithLabelValues(id).Set(float64(n))
	}
}

// SetOverduePublications sets how many publications are overdue, and how long the oldest has been due.
func (m *Metrics) SetOverduePublications(count int, oldestLateness time.Duration) {
	m.overdue.Set(float64(count))
	m.oldestDue.Set(oldestLateness.Seconds())
}

// CountTokenRefresh counts a renewal of a token.
func (m *Metrics) CountTokenRefresh(platform, outcome string) {
	m.refreshes.WithLabelValues(platform, outcome).Inc()
}
