package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// statuses are those of the accounts of a network, as the accounts page shows them.
func (p *person) accountStatuses(network string) (list []string) {
	p.t.Helper()
	p.openLink("/accounts").requireStatus(http.StatusOK)
	for _, n := range p.findAll(testid("network-"+network) + " " + testid("account")) {
		list = append(list, attrValue(n, "data-status"))
	}
	return list
}

// networksWithAccess are the simulated networks at which somebody has given the service access.
func (s *service) networksWithAccess() (list []string) {
	s.t.Helper()
	answer, err := http.Get(s.networks + "/_/people")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var out struct {
		People []struct {
			Network string `json:"network"`
		} `json:"people"`
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		s.t.Fatalf("%v: %s", err, raw)
	}
	for _, p := range out.People {
		list = append(list, p.Network)
	}
	return list
}

// What people do at a network reaches the dashboard, and what they do in the dashboard reaches the network.
func TestLeavingAtTheNetworkAndInTheDashboard(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	s.serveUntilReady()
	defer s.process.requireStop(t)
	p := newPerson(t, s.url).setUp(s.setUpLink())
	for _, network := range []string{"facebook", "tiktok", "youtube", "threads"} {
		p.connectAccount(network, nil).requireStatus(http.StatusOK)
	}
	shows := func(network string, want ...string) {
		t.Helper()
		eventually(t, 20*time.Second, network+" is "+strings.Join(want, " and "), func() bool {
			return slices.Equal(p.accountStatuses(network), want)
		})
	}
	for _, network := range []string{"facebook", "tiktok"} {
		p.openLink("/sandbox/_/").requireStatus(http.StatusOK)
		p.submitForm(`[data-network="`+network+`"] `+testid("remove-app"), nil).requireStatus(http.StatusOK)
		shows(network, "revoked")
		p.connectAccount(network, nil).requireStatus(http.StatusOK)
		shows(network, "ok")
	}
	p.openLink("/sandbox/_/").submitForm(`[data-network="threads"] `+testid("remove-data"), nil).
		requireStatus(http.StatusOK)
	shows("threads")

	p.openLink("/accounts")
	link := attrValue(p.findOne(testid("network-youtube")+" "+testid("disconnect")), "href")
	p.openLink(link).requireStatus(http.StatusOK)
	p.submitForm(testid("confirm"), nil).requireStatus(http.StatusOK)
	shows("youtube")
	eventually(t, 20*time.Second, "only two networks know the service", func() bool {
		list := s.networksWithAccess()
		slices.Sort(list)
		return slices.Equal(list, []string{"facebook", "tiktok"})
	})
}
