package networktest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

func testDescription(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	d := w.Net.Describe()
	for what, ok := range map[string]bool{
		"the driver's ID":             d.ID == h.Driver.ID,
		"Settle":                      d.Settle > 0,
		"FirstPoll of a handle":       d.FirstPoll > 0 || !w.Net.DeliveryFor(network.Draft{}).Flow.MakesHandle(),
		"Configured with credentials": w.Net.IsConfigured(),
	} {
		if !ok {
			t.Errorf("not described: %s in %+v", what, d)
		}
	}
	checkVariables(t, h)
	var all []network.Budget
	for _, s := range listShapes(d) {
		if draft, ok := s.newPublishableDraft(w.Net, h); ok {
			budgets := w.Net.DeliveryFor(draft).Budgets
			checkBudgets(t, s.name, budgets)
			all = append(all, budgets...)
		}
	}
	for _, q := range d.Quotas {
		if !slices.Contains(all, q) || q.Call == core.DoStatus || q.Day == nil && q.Window < time.Hour {
			t.Errorf("the quota %+v is not a daily limit on posts", q)
		}
	}
	if w.Net.DeliveryFor(network.Draft{}).Flow == core.FlowOneCall {
		if _, err := w.Net.CreateHandle(t.Context(), network.Item{}); err == nil {
			t.Error("a flow without handles created one")
		}
	}
}

// checkBudgets checks that calls can meet the limits, and that the engine counts them.
func checkBudgets(t *testing.T, shape string, budgets []network.Budget) {
	t.Helper()
	counted := map[core.Action]bool{}
	for _, b := range budgets {
		counts := b.Call == core.DoCreate || b.Call == core.DoStatus || b.Call == core.DoPublish
		scope := b.Scope == network.ScopeAccount || b.Scope == network.ScopeApp
		window := (b.Window > 0) != (b.Day != nil) && b.Window <= 24*time.Hour
		if !counts || counted[b.Call] || !scope || !window || b.Name == "" || b.Count < 0 || b.Count > 0 && b.Cost > b.Count {
			t.Errorf("%s has an invalid budget: %+v", shape, b)
		}
		counted[b.Call] = true
	}
}

func checkVariables(t *testing.T, h Harness) {
	t.Helper()
	prefix := strings.ToUpper(string(h.Driver.ID)) + "_"
	for _, v := range h.Driver.Variables {
		if !strings.HasPrefix(v.Name, prefix) || v.Help == "" {
			t.Errorf("variable %+v lacks the prefix %s or a help text", v, prefix)
		}
		if v.Secret != strings.HasSuffix(v.Name, "SECRET") {
			t.Errorf("variable %s: secret is %v", v.Name, v.Secret)
		}
		if v.Default == "" {
			continue
		}
		broken := network.Environment{Get: func(name string) string {
			if name == v.Name {
				return "not a valid value"
			}
			return h.readVariable(name)
		}}
		if _, err := h.Driver.New(broken); err == nil || !strings.Contains(err.Error(), v.Name) {
			t.Errorf("the error for an invalid %s does not name the variable: %v", v.Name, err)
		}
	}
	client := network.NewClient(network.ClientConfig{})
	bare, err := h.Driver.New(network.Environment{Client: client, Get: func(name string) string {
		if strings.Contains(name, "_CLIENT_") {
			return ""
		}
		return h.readVariable(name)
	}})
	if err != nil || bare.IsConfigured() {
		t.Errorf("configured without credentials (%v)", err)
	}
}
