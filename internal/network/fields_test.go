package network_test

import (
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
)

func TestFieldsThatAFormOffers(t *testing.T) {
	t.Parallel()
	d := network.Description{
		Limits: core.Limits{ContentTypes: map[string]core.ContentType{"text": {}, "link": {}, "photo": {Min: 1, Max: 10}}},
		Fields: []network.Field{
			{
				Name: "kind", Kind: network.FieldChoice,
				Choices: []network.Choice{{Value: "text"}, {Value: "link"}, {Value: "photo"}},
			},
			{Name: "look", Kind: network.FieldChoice, Choices: []network.Choice{{Value: "text"}, {Value: "photo"}}},
			{Name: "description", Files: true},
			{Name: "topic"},
			{Name: "nothing", Ignored: true},
		},
	}
	for _, test := range []struct {
		name  string
		files bool
		held  string
		want  string
	}{
		{"a text", false, "", "kind:text,link topic"},
		{"a post with files", true, "", "kind:text,link,photo look:text,photo description topic"},
		{"a text with settings for files", false, "photo", "kind:text,link,photo look:text,photo description topic"},
	} {
		var got []string
		for _, f := range d.FieldsFor(test.files, func(string) string { return test.held }) {
			var values []string
			for _, c := range f.Choices {
				values = append(values, c.Value)
			}
			got = append(got, strings.TrimSuffix(f.Name+":"+strings.Join(values, ","), ":"))
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s is offered %v, want %s", test.name, got, test.want)
		}
	}
}
