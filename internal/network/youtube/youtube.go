// Package youtube holds what YouTube takes: one video with a title, and an image to show for it.
package youtube

import (
	"belfry/internal/core"
	"belfry/internal/network"
)

// ID is the network's platform value.
const ID core.Platform = "youtube"

// Driver is the network's entry in network/all.
func Driver() network.Driver { return network.Driver{ID: ID, Rules: Rules{}} }

// Rules are what YouTube takes.
type Rules struct{}

// Describe says what is fixed about the network.
func (Rules) Describe() network.Description { return description }
