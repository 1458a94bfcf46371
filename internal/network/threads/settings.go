package threads

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"belfry/internal/network"
)

// Settings is the network's settings block.
type Settings struct {
	TopicTag       string `json:"topicTag,omitempty"`
	LinkAttachment string `json:"linkAttachment,omitempty"`
	AltText        string `json:"altText,omitempty"`
	// ReplyControl can have any value. It is accepted but not used (Spec §9).
	ReplyControl jsontext.Value `json:"replyControl,omitempty"`
}

// NormalizeSettings decodes a settings block strictly and returns its normal form, without the unused setting.
func (Rules) NormalizeSettings(block json.RawMessage) (json.RawMessage, error) {
	s, err := network.DecodeSettings[Settings](description, block)
	if err != nil {
		return nil, err
	}
	s.ReplyControl = nil
	return network.EncodeSettings(description, s)
}
