package networktest

import (
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
)

func describes(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	d := w.Net.Describe()
	for what, ok := range map[string]bool{
		"ID is the driver's":          d.ID == h.Driver.ID,
		"Settle":                      d.Settle > 0,
		"FirstPoll of a handle":       d.FirstPoll > 0 || !w.Net.Delivery(network.Draft{}).Flow.MakesHandle(),
		"Configured with credentials": w.Net.Configured(),
	} {
		if !ok {
			t.Errorf("not described: %s in %+v", what, d)
		}
	}
	checkVariables(t, h)
	if w.Net.Delivery(network.Draft{}).Flow == core.FlowOneCall {
		if _, err := w.Net.Create(t.Context(), network.Item{}); err == nil {
			t.Error("a flow without a handle made one")
		}
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
				return "no value for this"
			}
			return h.variable(name)
		}}
		if _, err := h.Driver.New(broken); err == nil || !strings.Contains(err.Error(), v.Name) {
			t.Errorf("a broken %s is not refused by name: %v", v.Name, err)
		}
	}
	client := network.NewClient(network.ClientConfig{})
	bare, err := h.Driver.New(network.Environment{Client: client, Get: func(name string) string {
		if strings.Contains(name, "_CLIENT_") {
			return ""
		}
		return h.variable(name)
	}})
	if err != nil || bare.Configured() {
		t.Errorf("configured without credentials (%v)", err)
	}
}
