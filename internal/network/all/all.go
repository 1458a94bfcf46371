// Package all is the list of networks: a new one is one line here.
package all

import (
	"belfry/internal/network"
	"belfry/internal/network/facebook"
	"belfry/internal/network/instagram"
	"belfry/internal/network/threads"
	"belfry/internal/network/tiktok"
	"belfry/internal/network/youtube"
)

// Drivers lists the networks in the order in which people see them.
func Drivers() []network.Driver {
	return []network.Driver{
		youtube.NewDriver(),
		instagram.NewDriver(),
		facebook.NewDriver(),
		threads.NewDriver(),
		tiktok.NewDriver(),
	}
}
