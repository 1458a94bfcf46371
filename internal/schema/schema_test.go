package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/schema"
)

// post is a type with a field of each kind.
func post() *schema.Type {
	least, most := 1.0, 100.0
	return &schema.Type{Object: &schema.Object{
		Fields: map[string]*schema.Type{
			"text":  {Text: &schema.Text{Max: 5}},
			"tags":  {List: &schema.List{Max: 2, Items: &schema.Type{Text: &schema.Text{}}}},
			"order": {Text: &schema.Text{Choices: []string{"asc", "desc"}}},
			"limit": {Number: &schema.Number{Integer: true, Min: &least, Max: &most}},
			"block": {Any: true},
			"when": {
				Text:   &schema.Text{Choices: []string{"now"}},
				Object: &schema.Object{Fields: map[string]*schema.Type{"at": {Text: &schema.Text{}}}, Required: []string{"at"}},
			},
		},
		Required: []string{"text"},
	}}
}

func pathsOf(err error) (paths []string) {
	for _, e := range core.Errors(err) {
		paths = append(paths, e.Path)
	}
	return paths
}

func TestCheckReportsAllMistakesInTheirOrder(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"text":"hello","tags":["a","b"],"order":"asc","limit":1,"block":[{"a":null}],"when":{"at":"x"}}`: nil,
		`{"text":5,"tags":["a",1],"limit":0,"order":"up","txet":[1,{}],"when":{}}`: {
			"text",
			"tags[1]", "limit", "order", "txet", "when.at",
		},
		`{"text":{"deep":[1,2]},"tags":{"a":[1]},"limit":[[]],"when":[{"at":1}]}`: {
			"text", "tags",
			"limit", "when",
		},
		`{"tags":["a","b","c",4],"when":{"at":null,"zone":1}}`: {
			"tags",
			"when.at", "when.zone", "text",
		},
		`{"text":"toolong","limit":1.5,"text":"twice"}`: {
			"text", "limit",
			"text",
		},
		`{"text":5,"order":`:      {"text", ""},
		`{"text":5} {"text":"a"}`: {"text", ""},
		`[{"text":5}]`:            {""},
	} {
		if got := pathsOf(post().Check([]byte(body))); !slices.Equal(got, want) {
			t.Errorf("%s: mistakes at %q, want %q", body, got, want)
		}
	}
}

func TestCheckBoundsTheMistakesThatItReports(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&body, `"unknown%d":1,`, i)
	}
	err := post().Check([]byte("{" + body.String() + `"text":""}`))
	if got := len(core.Errors(err)); got != 50 {
		t.Errorf("%d mistakes are reported", got)
	}
}

func TestCheckQueryReportsAllMistakes(t *testing.T) {
	t.Parallel()
	query := post().Object
	for raw, want := range map[string][]string{
		"text=a&order=desc&limit=100":    nil,
		"text=&limit=":                   nil,
		"limit=0&order=up&x=1&text=a%00": {"query.limit", "query.order", "query.text", "query.x"},
		"text=a&text=b":                  {"query.text"},
		"text=%zz":                       {"query"},
	} {
		if _, err := query.ParseAndCheckQuery(raw); !slices.Equal(pathsOf(err), want) {
			t.Errorf("%s: mistakes at %q, want %q", raw, pathsOf(err), want)
		}
	}
}
