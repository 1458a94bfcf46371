package instagramsim

import (
	"slices"
	"strings"
	"time"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

const (
	day         = 24 * time.Hour
	maxSpan     = 30 * day
	fewFollower = 100 // with fewer followers, the network returns no metrics about them
)

// Metrics of an account: one value for each day, or one for the whole span.
var (
	seriesMetrics = []string{"reach", "follower_count"}
	totalMetrics  = []string{
		"views", "likes", "comments", "shares", "saves", "reposts", "replies", "total_interactions", "accounts_engaged",
		"follows_and_unfollows", "profile_links_taps", "reach",
	}
)

// metricValue returns the value of a metric.
func metricValue(f sim.Figures, metric string) int {
	return map[string]int{
		"views": f.Views, "reach": f.Reach, "likes": f.Likes, "comments": f.Comments, "shares": f.Shares, "saves": f.Saves,
		"saved": f.Saves, "total_interactions": f.Likes + f.Comments + f.Shares + f.Saves, "accounts_engaged": f.Likes,
	}[metric]
}

// addMetricFields adds the name, the period and the id of a metric to the node with its values, and returns the node.
func addMetricFields(owner, metric, period string, node map[string]any) map[string]any {
	node["name"], node["period"], node["title"], node["description"] = metric, period, metric, metric
	node["id"] = owner + "/insights/" + metric + "/" + period
	return node
}

// readMetrics returns the metrics that a call requests. If one is unknown, the whole call fails.
func readMetrics(q *sim.Request, known []string) ([]string, error) {
	metrics := strings.Split(q.Params.Get("metric"), ",")
	for _, m := range metrics {
		if !slices.Contains(known, m) {
			return nil, metasim.Bad("metric[0] must be one of the following values: %s", strings.Join(known, ", "))
		}
	}
	return metrics, nil
}

// accountInsights serves the figures of an account.
func (s *Sim) accountInsights(q *sim.Request) (any, error) {
	if q.Params.Get("metric") == "follower_demographics" {
		return s.listDemographics(q)
	}
	series := q.Params.Get("metric_type") != "total_value"
	known := totalMetrics
	if series {
		known = seriesMetrics
	}
	metrics, err := readMetrics(q, known)
	if err != nil {
		return nil, err
	}
	if q.Params.Get("period") != "day" {
		return nil, metasim.Bad("Param period must be day")
	}
	since, until, err := s.readSpan(q)
	if err != nil {
		return nil, err
	}
	data := []any{}
	for _, m := range metrics {
		if m == "follower_count" && s.kit.CountFollowers(q.Account, s.kit.Now()) < fewFollower {
			continue
		}
		var days []any
		total := 0
		for at := since.Truncate(day); at.Before(until); at = at.Add(day) {
			value := metricValue(s.kit.DayFigures(q.Account, at), m)
			if m == "follower_count" {
				value = s.kit.CountFollowers(q.Account, at.Add(day)) - s.kit.CountFollowers(q.Account, at)
			}
			total += value
			days = append(days, map[string]any{"value": value, "end_time": metasim.FormatTime(at.Add(day))})
		}
		if series {
			data = append(data, addMetricFields(q.Account, m, "day", map[string]any{"values": days}))
			continue
		}
		data = append(data, addMetricFields(q.Account, m, "day", map[string]any{
			"total_value": map[string]any{"value": total},
		}))
	}
	return map[string]any{"data": data}, nil
}

// readSpan returns the parameters since and until, which are at most 30 days apart. The default is the last day.
func (s *Sim) readSpan(q *sim.Request) (since, until time.Time, err error) {
	if since, err = metasim.ReadTime(q.Params, "since"); err != nil {
		return since, until, err
	}
	if until, err = metasim.ReadTime(q.Params, "until"); err != nil {
		return since, until, err
	}
	if until.IsZero() {
		until = s.kit.Now()
	}
	if since.IsZero() {
		since = until.Add(-day)
	}
	switch {
	case until.Sub(since) > maxSpan:
		err = metasim.Bad("There cannot be more than 30 days (2592000 s) between since and until")
	case !since.Before(until):
		err = metasim.Bad("Param since must be before until")
	}
	return since, until, err
}

// listDemographics serves the followers by country.
func (s *Sim) listDemographics(q *sim.Request) (any, error) {
	timeframe := q.Params.Get("timeframe")
	switch {
	case q.Params.Get("period") != "lifetime" || q.Params.Get("metric_type") != "total_value":
		return nil, metasim.Bad("follower_demographics requires period=lifetime and metric_type=total_value")
	case q.Params.Get("breakdown") != "country" || !slices.Contains([]string{"this_week", "this_month"}, timeframe):
		return nil, metasim.Bad("follower_demographics requires breakdown=country and timeframe this_week or this_month")
	}
	followers := s.kit.CountFollowers(q.Account, s.kit.Now())
	if followers < fewFollower {
		return map[string]any{"data": []any{}}, nil
	}
	var results []any
	parts := sim.SplitByCountry(followers)
	for _, country := range sim.Countries {
		results = append(results, map[string]any{
			"dimension_values": []string{strings.ToUpper(timeframe), country}, "value": parts[country],
		})
	}
	return map[string]any{"data": []any{addMetricFields(q.Account, "follower_demographics", "lifetime", map[string]any{
		"total_value": map[string]any{"breakdowns": []any{map[string]any{
			"dimension_keys": []string{"timeframe", "country"}, "results": results,
		}}},
	})}}, nil
}

// postInsightsRoute returns the route that serves the figures of a post.
func (s *Sim) postInsightsRoute(v variant, p sim.Post) sim.Route {
	return sim.Route{
		Names: []string{"insights"}, Params: []string{"metric", "period"}, Scopes: v.figures,
		Serve: func(q *sim.Request) (any, error) {
			known := []string{"views", "reach", "likes", "comments", "saved", "shares", "total_interactions"}
			if p.Extra["product"] == productStory {
				known = []string{"views", "reach", "shares", "replies", "navigation", "total_interactions"}
			}
			metrics, err := readMetrics(q, known)
			if err != nil {
				return nil, err
			}
			figures := s.kit.PostFigures(p)
			if p.Extra["product"] == productStory && figures.Views < 5 {
				return nil, &metasim.Error{Code: 10, Message: "(#10) Not enough viewers for the media to show insights"}
			}
			data := []any{}
			for _, m := range metrics {
				values := []any{map[string]any{"value": metricValue(figures, m)}}
				data = append(data, addMetricFields(p.ID, m, "lifetime", map[string]any{"values": values}))
			}
			return map[string]any{"data": data}, nil
		},
	}
}
