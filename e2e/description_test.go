package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// schema is what the description says of a value.
type schema struct {
	Ref                  string `json:"$ref"`
	Properties           map[string]schema
	Items                *schema
	AnyOf, OneOf         []schema
	AdditionalProperties json.RawMessage
}

// description is the program's own, of /v1.
type description struct {
	Paths map[string]map[string]struct {
		Parameters  []struct{ Name, In string }
		RequestBody struct {
			Content map[string]struct{ Schema schema }
		}
	}
	Components struct{ Schemas map[string]schema }
}

// describedRoutes reads the description: each route as "METHOD /path", and each place for an id in a query or a body.
func (s *service) describedRoutes() (routes, places []string) {
	s.t.Helper()
	status, _, raw := sendRequest(s.t, "GET", s.url+"/v1/openapi.json", nil, nil)
	if status != http.StatusOK {
		s.t.Fatalf("openapi.json answers %d", status)
	}
	var doc description
	if err := json.Unmarshal(raw, &doc); err != nil {
		s.t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			route := strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/v1")
			routes = append(routes, route)
			for _, p := range operation.Parameters {
				if p.In == "query" && isID(p.Name) {
					places = append(places, route+"?"+p.Name)
				}
			}
			for _, content := range operation.RequestBody.Content {
				for _, place := range doc.idPaths("", content.Schema) {
					places = append(places, route+" "+place)
				}
			}
		}
	}
	slices.Sort(routes)
	slices.Sort(places)
	return routes, slices.Compact(places)
}

// isID reports whether a field of this name holds ids.
func isID(name string) bool { return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Ids") }

// idPaths returns the paths of all fields of a value that hold an id.
func (d description) idPaths(path string, s schema) (found []string) {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.idPaths(path, d.Components.Schemas[name])
	}
	for name, property := range s.Properties {
		if at := strings.TrimPrefix(path+"."+name, "."); isID(name) {
			found = append(found, at)
		} else {
			found = append(found, d.idPaths(at, property)...)
		}
	}
	inner := append(slices.Clone(s.AnyOf), s.OneOf...)
	if s.Items != nil {
		inner = append(inner, *s.Items)
	}
	var more schema // of the values of a map; it may also be true or false
	if json.Unmarshal(s.AdditionalProperties, &more) == nil {
		inner = append(inner, more)
	}
	for _, one := range inner {
		found = append(found, d.idPaths(path, one)...)
	}
	return found
}
