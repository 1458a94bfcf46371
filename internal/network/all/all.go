// Package all lists the networks. A new network needs one line here.
package all

import (
	"belfry/internal/network"
	"belfry/internal/network/facebook"
	"belfry/internal/network/instagram"
	"belfry/internal/network/threads"
	"belfry/internal/network/tiktok"
	"belfry/internal/network/youtube"
)

// Drivers returns the networks in the order in which people see them.
func Drivers() []network.Driver {
	return []network.Driver{
		youtube.NewDriver(),
		instagram.NewDriver(),
		facebook.NewDriver(),
		threads.NewDriver(),
		tiktok.NewDriver(),
	}
}
