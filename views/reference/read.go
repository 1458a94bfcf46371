package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

type document struct {
	Info  struct{ Title, Version, Description string }
	Tags  []struct{ Name, Description string }
	Paths map[string]map[string]json.RawMessage
	// Components contains the definitions to which the rest refers.
	Components struct {
		Schemas   map[string]*schema
		Responses map[string]*response
		Examples  map[string]example
	}
}

type operation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []struct {
		Name, In, Description string
		Required              bool
		Schema                *schema
	}
	RequestBody *struct {
		Required bool
		Content  map[string]content
	}
	Responses map[string]*response
	Servers   []struct{ URL string } // replace the address of the API; optional
	Security  []map[string][]string  // alternatives; an empty map among them means that no credential is needed
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Headers     map[string]json.RawMessage
	Content     map[string]content
}

type content struct {
	Schema   *schema
	Examples map[string]struct {
		Ref   string `json:"$ref"`
		Value json.RawMessage
	}
}

type example struct{ Value json.RawMessage }

// methods is the order in which the routes of a path are shown.
var methods = []string{"get", "post", "put", "patch", "delete"}

// ParseOpenAPI converts an OpenAPI document to the page. apiURL is the address of the API in the commands.
func ParseOpenAPI(openAPIJSON []byte, apiURL string) (Model, error) {
	var d document
	if err := json.Unmarshal(openAPIJSON, &d); err != nil {
		return Model{}, fmt.Errorf("read the description of the API: %w", err)
	}
	m := Model{Title: d.Info.Title, Version: d.Info.Version, BaseURL: apiURL, Chapters: splitChapters(d.Info.Description)}
	for _, tag := range d.Tags {
		m.Sections = append(m.Sections,
			Section{
				ID: "routes-" + tag.Name, Title: strings.ToUpper(tag.Name[:1]) + tag.Name[1:],
				About: parseSpans(tag.Description),
			})
	}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range methods {
			raw, ok := d.Paths[path][method]
			if !ok {
				continue
			}
			var op operation
			if err := json.Unmarshal(raw, &op); err != nil {
				return Model{}, fmt.Errorf("read %s %s: %w", method, path, err)
			}
			at := slices.IndexFunc(d.Tags,
				func(t struct{ Name, Description string }) bool { return slices.Contains(op.Tags, t.Name) })
			if at < 0 {
				return Model{}, fmt.Errorf("%s %s has no section", method, path)
			}
			m.Sections[at].Operations = append(m.Sections[at].Operations, d.convertOperation(op, method, path, apiURL))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		m.Records = append(m.Records,
			Record{ID: "record-" + name, Name: name, About: parseSpans(s.Description), Fields: s.listFields()})
	}
	return m, nil
}

func (d document) convertOperation(op operation, method, path, apiURL string) Operation {
	out := Operation{
		ID: op.OperationID, Method: strings.ToUpper(method), Path: path, Summary: op.Summary,
		About: parseBlocks(op.Description),
	}
	for _, p := range op.Parameters {
		p.Schema.Description = p.Description
		out.Fields = append(out.Fields,
			Field{
				Name: p.Name, In: p.In, Required: p.Required, Type: p.Schema.typeSpans(),
				About: p.Schema.descriptionAndLimitsSpans(),
			})
	}
	for _, s := range op.Servers {
		apiURL = resolveServerURL(apiURL, s.URL)
	}
	sent := ""
	if op.RequestBody != nil {
		for kind, c := range op.RequestBody.Content {
			out.Body = &Body{Type: c.Schema.typeSpans(), Required: op.RequestBody.Required}
			sent = fmt.Sprintf(" \\\n  -H 'Content-Type: %s' \\\n  -d '%s'", kind,
				strings.ReplaceAll(d.firstExample(c), "'", `'\''`))
			if c.Schema == nil {
				sent = " \\\n  --upload-file FILE"
			}
		}
	}
	out.Command = "curl" + curlMethodFlag(method) + " " + doubleQuoteUnescaped(apiURL+path) +
		curlAuthorizationFlag(op.Security) + sent
	for _, status := range slices.SortedFunc(maps.Keys(op.Responses), cmp.Compare[string]) {
		out.Responses = append(out.Responses, d.convertResponse(status, op.Responses[status]))
	}
	return out
}

// curlMethodFlag returns curl's -X flag for a method, or "" if curl does not need it.
func curlMethodFlag(lowerMethod string) (flagOrEmpty string) {
	switch lowerMethod {
	case "get", "put":
		return "" // curl's default, without and with a file
	}
	return " -X " + strings.ToUpper(lowerMethod)
}

func doubleQuoteUnescaped(text string) string { return `"` + text + `"` }

// resolveServerURL resolves a server's address, which may be relative, against the address of the API.
func resolveServerURL(apiURL, serverURL string) string {
	base, err := url.Parse(apiURL)
	if err != nil {
		return serverURL
	}
	at, err := base.Parse(serverURL)
	if err != nil {
		return serverURL
	}
	return strings.TrimSuffix(at.String(), "/")
}

// curlAuthorizationFlag returns curl's -H flag with an API key, or "" if the route needs no credential.
func curlAuthorizationFlag(security []map[string][]string) (flagOrEmpty string) {
	if slices.ContainsFunc(security, func(required map[string][]string) bool { return len(required) == 0 }) {
		return ""
	}
	return " \\\n  -H \"Authorization: Bearer $KEY\""
}

// convertResponse returns a response as the page shows it. It follows a reference to a shared response. Only successful
// responses have examples.
func (d document) convertResponse(status string, r *response) Response {
	a := Response{Status: status}
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		r = d.Components.Responses[name]
	}
	if status < "300" {
		a.Words = r.Description
	} else {
		a.About = parseBlocks(r.Description)
	}
	a.Headers = slices.Sorted(maps.Keys(r.Headers))
	for _, c := range r.Content {
		a.Type = c.Schema.typeSpans()
		if status < "300" {
			a.Example = d.firstExample(c)
		}
	}
	return a
}

// firstExample returns the first example of a body, indented, or "" if it has none.
func (d document) firstExample(c content) (exampleOrEmpty string) {
	for _, name := range slices.Sorted(maps.Keys(c.Examples)) {
		raw := c.Examples[name].Value
		if raw == nil {
			raw = d.Components.Examples[name].Value
		}
		var out bytes.Buffer
		if json.Indent(&out, raw, "", "  ") == nil {
			return out.String()
		}
	}
	return ""
}
