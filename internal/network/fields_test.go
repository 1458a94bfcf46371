package network_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
)

// rulesOfBells are those of a network that refuses a cover without a video, and ignores a note on several files.
type rulesOfBells struct{ d network.Description }

func (r rulesOfBells) Describe() network.Description { return r.d }

func (r rulesOfBells) NormalizeSettings(block json.RawMessage) (json.RawMessage, error) {
	return block, nil
}

func (rulesOfBells) PostContentType(network.Draft) string { return "photo" }

func (r rulesOfBells) CheckDraft(d network.Draft) (issues, warnings []core.Issue) {
	if strings.Contains(string(d.Settings), `"cover"`) && network.CountFiles(d.Media, core.FileVideo) == 0 {
		issues = append(issues, core.IssueSettingConflict.OnNetwork("Bells", "cover", "Only for videos."))
	}
	if strings.Contains(string(d.Settings), `"note"`) && len(d.Media) > 1 {
		warnings = append(warnings, core.WarnSettingIgnored.OnNetwork("Bells", "note", "Each file has its own."))
	}
	return issues, warnings
}

func TestFieldsThatAFormOffers(t *testing.T) {
	t.Parallel()
	some := &core.FileLimits{}
	rules := rulesOfBells{network.Description{
		Limits: core.Limits{ContentTypes: map[string]core.ContentType{
			"text": {}, "link": {}, "photo": {Min: 1, Max: 10, Image: some}, "film": {Min: 1, Max: 1, Video: some},
		}},
		Fields: []network.Field{
			{
				Name: "kind", Kind: network.FieldChoice,
				Choices: []network.Choice{{Value: "text"}, {Value: "link"}, {Value: "photo"}, {Value: "film"}},
			},
			{Name: "look", Kind: network.FieldChoice, Choices: []network.Choice{{Value: "text"}, {Value: "photo"}}},
			{Name: "audience", Kind: network.FieldChoice, Choices: []network.Choice{{Value: "all"}, {Value: "some"}}},
			{Name: "description", Files: true},
			{Name: "cover", Kind: network.FieldNumber},
			{Name: "topic"},
			{Name: "note", Files: true},
			{Name: "nothing", Ignored: true},
		},
	}}
	image, video := core.Media{FileFacts: core.FileFacts{Kind: core.FileImage}},
		core.Media{FileFacts: core.FileFacts{Kind: core.FileVideo}}
	for _, test := range []struct {
		name  string
		files []core.Media
		held  string
		want  string
	}{
		{"a text", nil, `{}`, "kind:text,link audience:all,some topic"},
		{"a picture", []core.Media{image}, `{}`, "audience:all,some description topic note"},
		{"a film", []core.Media{video}, `{}`, "audience:all,some description cover topic note"},
		{"two pictures", []core.Media{image, image}, `{}`, "audience:all,some description topic"},
		{
			"two pictures with a note", []core.Media{image, image}, `{"note":"x"}`, "audience:all,some description topic note",
		},
		{
			"a text with settings for files", nil, `{"kind":"photo","look":"photo","description":"x","cover":7}`,
			"kind:text,link,photo look:text,photo audience:all,some description cover topic",
		},
	} {
		var got []string
		draft := network.Draft{Media: test.files, Settings: json.RawMessage(test.held)}
		for _, f := range network.FormFieldsFor(rules, draft) {
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
