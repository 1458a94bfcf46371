package sim

import (
	"fmt"
	"hash/fnv"
	"math"
	"time"
)

// A simulated account reaches a few hundred people a day, and a post a few thousand in total.
const (
	viewsOfPost  = 4000
	viewsOfDay   = 600
	followersMin = 140
	followersDay = 6
	growthTime   = 36 * time.Hour // after which a post has two thirds of its views
)

// Countries are the countries of an account's followers, those with the most followers first.
var Countries = []string{"US", "DE", "GB", "PL", "BR", "IN"}

// Figures are the statistics of a post, or of an account on one day.
type Figures struct{ Views, Reach, Likes, Comments, Shares, Saves int }

func newFigures(views int) Figures {
	return Figures{
		Views: views, Reach: views * 7 / 10, Likes: views / 14, Comments: views / 110, Shares: views / 160,
		Saves: views / 130,
	}
}

// hashToFraction returns a number from 0 to 1 that depends only on the name.
func hashToFraction(name string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return float64(h.Sum64()%1000) / 1000
}

// PostFigures returns the figures of a post, which grow with its age and never shrink.
func (k *Kit) PostFigures(p Post) Figures {
	age := max(k.Now().Sub(p.CreatedAt), 0)
	most := viewsOfPost * (0.25 + hashToFraction(p.Network+p.ID))
	return newFigures(int(most * (1 - math.Exp(-float64(age)/float64(growthTime)))))
}

// DayFigures returns the figures of an account on a day, which grow until the day is over.
func (k *Kit) DayFigures(account string, day time.Time) Figures {
	day = day.UTC().Truncate(24 * time.Hour)
	part := min(max(k.Now().Sub(day).Hours()/24, 0), 1)
	return newFigures(int(part * viewsOfDay * (0.5 + hashToFraction(account+day.Format(time.DateOnly)))))
}

// CountFollowers returns the number of followers of an account at a time, which grows every day.
func (k *Kit) CountFollowers(account string, at time.Time) int {
	days := int(at.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Hours() / 24)
	few := int(hashToFraction(account) * followersMin)
	return followersMin + few + max(days, 0)*(followersDay+few/20)
}

// SplitByCountry divides a number among Countries. The first gets the most.
func SplitByCountry(total int) map[string]int {
	parts := map[string]int{}
	rest := total
	for _, country := range Countries[1:] {
		parts[country] = rest / 5
		rest -= parts[country]
	}
	parts[Countries[0]] = rest
	return parts
}

// formatCounts returns the counts that a page shows.
func (f Figures) formatCounts() []string {
	return []string{
		fmt.Sprintf("%d views", f.Views), fmt.Sprintf("%d likes", f.Likes), fmt.Sprintf("%d comments", f.Comments),
	}
}
