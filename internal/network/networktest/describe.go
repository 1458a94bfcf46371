package networktest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
)

func describes(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	d := w.Net.Describe()
	for what, ok := range map[string]bool{
		"ID is the driver's":          d.ID != "" && d.ID == h.Driver.ID,
		"Name":                        d.Name != "",
		"Needs is a sentence":         strings.HasSuffix(d.Needs, "."),
		"Profile":                     d.Profile != "",
		"Settle":                      d.Settle > 0,
		"Flow":                        d.Flow == core.FlowHandle || d.Flow == core.FlowOneCall,
		"FirstPoll of a handle":       (d.FirstPoll > 0) == (d.Flow == core.FlowHandle),
		"Configured with credentials": w.Net.Configured(),
		"a text's limit":              d.Limits.Text.Max > 0,
		"content types":               len(d.Limits.ContentTypes) > 0,
		"fields":                      len(d.Fields) > 0,
	} {
		if !ok {
			t.Errorf("not described: %s in %+v", what, d)
		}
	}
	for name, c := range d.Limits.ContentTypes {
		checkContentType(t, name, c)
	}
	for _, f := range d.Fields {
		checkField(t, f)
	}
	checkVariables(t, h)
	if d.Flow == core.FlowOneCall {
		if _, err := w.Net.Create(t.Context(), network.Item{}); err == nil {
			t.Error("a flow without a handle made one")
		}
	}
}

func checkContentType(t *testing.T, name string, c core.ContentType) {
	t.Helper()
	if c.Min < 0 || c.Min > c.Max || (c.Max > 0) != (c.Image != nil || c.Video != nil) {
		t.Errorf("content type %s: %d to %d files, image %v, video %v", name, c.Min, c.Max, c.Image, c.Video)
	}
	for _, l := range []*core.FileLimits{c.Image, c.Video} {
		if l == nil {
			continue
		}
		if len(l.Formats) == 0 || (l.MaxRatio > 0 && l.MinRatio > l.MaxRatio) || (l.MaxDurationMs > 0 && l.MinDurationMs > l.MaxDurationMs) {
			t.Errorf("content type %s: %+v", name, *l)
		}
	}
}

func checkField(t *testing.T, f network.Field) {
	t.Helper()
	if f.Name == "" || f.Label == "" || f.Help == "" || f.Kind == "" {
		t.Errorf("field without name, label, help or kind: %+v", f)
	}
	if (f.Kind == network.FieldChoice) != (len(f.Choices) > 0) {
		t.Errorf("field %s: kind %s with %d choices", f.Name, f.Kind, len(f.Choices))
	}
	for _, c := range f.Choices {
		if c.Value == "" || c.Label == "" {
			t.Errorf("field %s has the choice %+v", f.Name, c)
		}
	}
}

func checkVariables(t *testing.T, h Harness) {
	t.Helper()
	prefix := strings.ToUpper(string(h.Driver.ID)) + "_"
	for _, v := range h.Driver.Variables {
		if !strings.HasPrefix(v.Name, prefix) || v.Help == "" {
			t.Errorf("variable %+v lacks the prefix %s or a help text", v, prefix)
		}
		if v.Secret != strings.HasSuffix(v.Name, "SECRET") {
			t.Errorf("variable %s: secret is %v", v.Name, v.Secret)
		}
		if v.Default == "" {
			continue
		}
		broken := network.Environment{Get: func(name string) string {
			if name == v.Name {
				return "no value for this"
			}
			return h.variable(name)
		}}
		if _, err := h.Driver.New(broken); err == nil || !strings.Contains(err.Error(), v.Name) {
			t.Errorf("a broken %s is not refused by name: %v", v.Name, err)
		}
	}
	bare, err := h.Driver.New(network.Environment{Client: network.NewClient(network.ClientConfig{}), Get: func(name string) string {
		if strings.Contains(name, "_CLIENT_") {
			return ""
		}
		return h.variable(name)
	}})
	if err != nil || bare.Configured() {
		t.Errorf("configured without credentials (%v)", err)
	}
}

func settingsAgree(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	names := network.SettingNames(reflect.TypeOf(h.Settings))
	var fields []string
	for _, f := range w.Net.Describe().Fields {
		fields = append(fields, f.Name)
		if _, err := w.Net.Settings(json.RawMessage(fmt.Sprintf(`{%q: %s}`, f.Name, sample(f)))); err != nil {
			t.Errorf("the field %s is not taken: %v", f.Name, err)
		}
	}
	if slices.Sort(names); !slices.Equal(names, slices.Sorted(slices.Values(fields))) {
		t.Errorf("the struct has %v, the fields are %v", names, fields)
	}
}

// sample is a value that a field of this kind takes.
func sample(f network.Field) string {
	samples := map[network.FieldKind]string{
		network.FieldSwitch: "true", network.FieldText: `"abc"`, network.FieldURL: `"https://example.org/a"`,
		network.FieldList: `["abc"]`, network.FieldDate: `"2026-01-31"`, network.FieldNumber: "1",
	}
	if f.Kind == network.FieldChoice {
		return fmt.Sprintf("%q", f.Choices[0].Value)
	}
	return samples[f.Kind]
}

func settingsAreStrict(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	d := w.Net.Describe()
	for _, empty := range []string{"", "null", "{}", " {} "} {
		normal, err := w.Net.Settings(json.RawMessage(empty))
		if err != nil || string(normal) != "{}" {
			t.Errorf("%q: want {}, got %s, %v", empty, normal, err)
		}
	}
	first := d.Fields[0].Name
	refused := map[string]string{
		`{"` + first + `x": "abc"}`:                      first + "x",
		`{"` + strings.ToUpper(first) + `": "abc"}`:      strings.ToUpper(first),
		`{"` + first + `": 5}`:                           first,
		`{"` + first + `": "a", "` + first + `": "b"}`:   first,
		`{"` + first + `": "` + "\xff" + `"}`:            "",
		`[]`:                                             "",
		`"text"`:                                         "",
		`{"` + first + `": "a"} trailing`:                "",
		`{"` + first + `": {"toString": 1, "deep": []}}`: first,
	}
	for block, key := range refused {
		_, err := w.Net.Settings(json.RawMessage(block))
		e := core.AsError(err)
		path := "perPlatform." + string(d.ID)
		if key != "" {
			path += "." + key
		}
		if err == nil || e.Code != core.CodeInvalidRequest || !strings.Contains(e.Hint, path) {
			t.Errorf("%s: want invalid_request at %s, got %v (hint %q)", block, path, err, e.Hint)
		}
	}
	_, err := w.Net.Settings(json.RawMessage(`{"` + first + `x": "abc"}`))
	if e := core.AsError(err); !strings.Contains(e.Hint, "Did you mean "+first+"?") {
		t.Errorf("the nearest key is not named: %q", e.Hint)
	}
	for _, f := range d.Fields {
		strictField(t, w, f)
	}
}

func strictField(t *testing.T, w *World, f network.Field) {
	t.Helper()
	give := func(value string) error {
		_, err := w.Net.Settings(json.RawMessage(fmt.Sprintf(`{%q: %s}`, f.Name, value)))
		return err
	}
	if f.Ignored {
		for _, anything := range []string{`"nobody"`, `5`, `{"a": [1]}`, `null`, `true`} {
			if err := give(anything); err != nil {
				t.Errorf("%s is ignored and yet refuses %s: %v", f.Name, anything, err)
			}
		}
		return
	}
	wrong := map[network.FieldKind]string{
		network.FieldChoice: `"none of them"`, network.FieldURL: `"example.org"`, network.FieldDate: `"31.1.2026"`,
		network.FieldSwitch: `"true"`, network.FieldNumber: `-1`, network.FieldList: `"abc"`, network.FieldText: `5`,
	}
	if err := give(wrong[f.Kind]); core.CodeOf(err) != core.CodeInvalidRequest {
		t.Errorf("%s takes %s: %v", f.Name, wrong[f.Kind], err)
	}
	if f.Kind == network.FieldText && f.Max > 0 {
		if err := give(`"` + strings.Repeat("é", f.Max) + `"`); err != nil {
			t.Errorf("%s refuses its longest value: %v", f.Name, err)
		}
		if err := give(`"` + strings.Repeat("é", f.Max+1) + `"`); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s takes more than %d characters: %v", f.Name, f.Max, err)
		}
	}
}
