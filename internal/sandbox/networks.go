package sandbox

import (
	"belfry/internal/network/facebook/facebooksim"
	"belfry/internal/network/sim"
	"belfry/internal/network/threads/threadssim"
)

// newNetworks is the whole list: one line mounts one more.
func newNetworks(kit *sim.Kit) []func() (sim.Network, error) {
	return []func() (sim.Network, error){
		func() (sim.Network, error) { return threadssim.New(kit) },
		func() (sim.Network, error) { return facebooksim.New(kit) },
	}
}
