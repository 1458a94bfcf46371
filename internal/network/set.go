package network

import (
	"fmt"

	"belfry/internal/core"
)

// Set is the networks this server knows, in the order of network/all.
type Set struct {
	list []Network
	byID map[core.Platform]Network
}

// NewSet makes every network of the list.
func NewSet(drivers []Driver, env Environment) (*Set, error) {
	s := &Set{byID: map[core.Platform]Network{}}
	for _, d := range drivers {
		n, err := d.New(env)
		if err != nil {
			return nil, fmt.Errorf("make network %s: %w", d.ID, err)
		}
		s.list = append(s.list, n)
		s.byID[d.ID] = n
	}
	return s, nil
}

// List gives the networks in order.
func (s *Set) List() []Network { return s.list }

// Get finds a network by its platform value.
func (s *Set) Get(id core.Platform) (Network, bool) {
	n, ok := s.byID[id]
	return n, ok
}

// Name is the network's name as people write it; the platform value for one that is not known.
func (s *Set) Name(id core.Platform) string {
	if n, ok := s.byID[id]; ok {
		return n.Describe().Name
	}
	return string(id)
}
