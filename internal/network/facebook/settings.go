package facebook

import (
	"encoding/json"

	"belfry/internal/network"
)

// Settings is the network's settings block.
type Settings struct {
	ContentType string `json:"contentType,omitempty"`
	Link        string `json:"link,omitempty"`
}

// NormalizeSettings decodes a settings block strictly and returns its normal form.
func (Rules) NormalizeSettings(block json.RawMessage) (json.RawMessage, error) {
	return network.NormalizeSettings[Settings](description, block)
}
