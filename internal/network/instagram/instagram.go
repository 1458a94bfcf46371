// Package instagram holds what Instagram accepts from a Business or Creator account.
package instagram

import (
	"belfry/internal/core"
	"belfry/internal/network"
)

// ID is the network's platform value.
const ID core.Platform = "instagram"

// Driver is the network's entry in network/all.
func Driver() network.Driver { return network.Driver{ID: ID, Rules: Rules{}} }

// Rules are what Instagram takes.
type Rules struct{}

// Describe says what is fixed about the network.
func (Rules) Describe() network.Description { return description }
