package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// table contains the figures, which are printed at the end.
type table struct{ rows [][4]string }

func newTable() *table { return &table{} }

// section adds a heading.
func (t *table) section(title string) { t.rows = append(t.rows, [4]string{title, "", "", ""}) }

// row adds a figure; goal and verdict may be empty.
func (t *table) row(what, figure, goal string, met *bool) {
	verdict := ""
	if met != nil {
		verdict = map[bool]string{true: "met", false: "MISSED"}[*met]
	}
	t.rows = append(t.rows, [4]string{"  " + what, figure, goal, verdict})
}

func (t *table) print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "measured\tfigure\tgoal\t")
	for _, r := range t.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r[0], r[1], r[2], r[3])
	}
	return w.Flush()
}

// quantile returns the q-quantile of values in any order. It does not change their order.
func quantile[T float64 | time.Duration](values []T, q float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func median[T float64 | time.Duration](values []T) T { return quantile(values, 0.5) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
