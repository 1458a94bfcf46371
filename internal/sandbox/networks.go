package sandbox

import (
	"belfry/internal/network/facebook/facebooksim"
	"belfry/internal/network/instagram/instagramsim"
	"belfry/internal/network/sim"
	"belfry/internal/network/threads/threadssim"
	"belfry/internal/network/tiktok/tiktoksim"
	"belfry/internal/network/youtube/youtubesim"
)

// networkConstructors returns the constructors of all simulated networks. To add one, add a line.
func networkConstructors(kit *sim.Kit) []func() (sim.Network, error) {
	return []func() (sim.Network, error){
		func() (sim.Network, error) { return threadssim.New(kit) },
		func() (sim.Network, error) { return instagramsim.New(kit) },
		func() (sim.Network, error) { return facebooksim.New(kit) },
		func() (sim.Network, error) { return youtubesim.New(kit) },
		func() (sim.Network, error) { return tiktoksim.New(kit) },
	}
}
