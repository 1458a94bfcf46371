package network

import (
	"cmp"
	"fmt"
	"slices"

	"belfry/internal/core"
)

// Set holds the networks of this server, in the order of network/all. Accounts can be connected, and posts published,
// only on networks with a connector.
type Set struct {
	rules     []Rules
	rulesByID map[core.Platform]Rules
	networks  []Network
	byID      map[core.Platform]Network
}

// NewSet creates the connectors of the drivers. A driver without a connector contributes only its rules.
func NewSet(drivers []Driver, env Environment) (*Set, error) {
	s := &Set{rulesByID: map[core.Platform]Rules{}, byID: map[core.Platform]Network{}}
	for _, d := range drivers {
		rules := d.Rules
		if d.New != nil {
			n, err := d.New(env)
			if err != nil {
				return nil, fmt.Errorf("set up %s: %w", d.ID, err)
			}
			rules = n
			s.networks = append(s.networks, n)
			s.byID[d.ID] = n
		}
		s.rules = append(s.rules, rules)
		s.rulesByID[d.ID] = rules
	}
	return s, nil
}

// Rules returns the rules of all networks, in order.
func (s *Set) Rules() []Rules { return s.rules }

// CompareOrder returns a negative number if network a comes before b in the order of network/all, and a positive number
// if it comes after b. Unknown networks come first, in the order of their ids.
func (s *Set) CompareOrder(a, b core.Platform) int {
	place := func(id core.Platform) int {
		return slices.IndexFunc(s.rules, func(r Rules) bool { return r.Describe().ID == id })
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// FindRules returns the rules of a network, or false if there is no such network.
func (s *Set) FindRules(id core.Platform) (Rules, bool) {
	r, ok := s.rulesByID[id]
	return r, ok
}

// Connectors returns the networks that have a connector, in order.
func (s *Set) Connectors() []Network { return s.networks }

// FindConnector returns the connector of a network, or false if it has none.
func (s *Set) FindConnector(id core.Platform) (Network, bool) {
	n, ok := s.byID[id]
	return n, ok
}

// DisplayName returns the network's name as people write it, or the id if the network is unknown.
func (s *Set) DisplayName(id core.Platform) string {
	if r, ok := s.FindRules(id); ok {
		return r.Describe().Name
	}
	return string(id)
}

// JoinConnectorNames returns the names of the networks that have a connector as a list for a sentence: A, B and C.
func (s *Set) JoinConnectorNames() string {
	var names []string
	for _, n := range s.networks {
		names = append(names, n.Describe().Name)
	}
	return core.JoinNames(names, "and")
}
