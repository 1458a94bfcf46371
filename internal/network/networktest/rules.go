package networktest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/network"
)

// Rules runs the part of the suite that also applies to a network without a connector. settings is the zero value of
// its settings struct.
func Rules(t *testing.T, r network.Rules, settings any) {
	for name, test := range map[string]func(*testing.T, network.Rules, any){
		"the rules are complete":                   testRulesAreComplete,
		"the settings struct and the fields agree": testSettingsMatchFields,
		"settings are read strictly":               testStrictSettings,
		"unknown settings cause an issue":          testForeignSettings,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, r, settings)
		})
	}
}

func testRulesAreComplete(t *testing.T, r network.Rules, _ any) {
	d := r.Describe()
	for what, ok := range map[string]bool{
		"ID":                  d.ID != "",
		"Name":                d.Name != "",
		"Needs is a sentence": strings.HasSuffix(d.Needs, "."),
		"Profile":             d.Profile != "",
		"the text limit":      d.Limits.Text.Max > 0,
		"content types":       len(d.Limits.ContentTypes) > 0,
		"fields":              len(d.Fields) > 0,
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
}

// testForeignSettings tests settings that another version stored.
func testForeignSettings(t *testing.T, r network.Rules, _ any) {
	issues, _ := r.CheckDraft(network.Draft{Settings: json.RawMessage(`{"ofAnotherVersion": true}`)})
	if len(issues) != 1 || issues[0].Code != core.IssueSettingUnavailable.Code {
		t.Errorf("got %+v", issues)
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
		if len(l.Formats) == 0 || (l.MaxRatio > 0 && l.MinRatio > l.MaxRatio) ||
			(l.MaxDurationMs > 0 && l.MinDurationMs > l.MaxDurationMs) {
			t.Errorf("content type %s: %+v", name, *l)
		}
		for _, format := range l.Formats {
			if !slices.Contains(media.Formats, format) {
				t.Errorf("content type %s offers %s, which Belfry refuses to store", name, format)
			}
		}
	}
}

func checkField(t *testing.T, f network.Field) {
	t.Helper()
	if f.Name == "" || f.Label == "" || f.Help == "" || f.Kind == "" {
		t.Errorf("a field without a name, label, help text or kind: %+v", f)
	}
	if strings.Contains(f.Help, "API") {
		t.Errorf("field %s: forms show its help, which is about the API: %q", f.Name, f.Help)
	}
	if (f.Kind == network.FieldChoice) != (len(f.Choices) > 0) {
		t.Errorf("field %s: kind %s with %d choices", f.Name, f.Kind, len(f.Choices))
	}
	if f.Pattern != nil && !f.Pattern.MatchString(f.Example) {
		t.Errorf("field %s: its example %q does not match its pattern", f.Name, f.Example)
	}
	if f.Kind == network.FieldChoice && f.Default != "" &&
		!slices.ContainsFunc(f.Choices, func(c network.Choice) bool { return c.Value == f.Default }) {
		t.Errorf("field %s: its default %q is not a choice", f.Name, f.Default)
	}
	for _, c := range f.Choices {
		if c.Value == "" || c.Label == "" {
			t.Errorf("field %s has an incomplete choice: %+v", f.Name, c)
		}
		if f.Pattern != nil && !f.Pattern.MatchString(c.Value) {
			t.Errorf("field %s: its choice %q does not match its pattern", f.Name, c.Value)
		}
	}
}

func testSettingsMatchFields(t *testing.T, r network.Rules, settings any) {
	names := network.SettingNames(reflect.TypeOf(settings))
	var fields []string
	for _, f := range r.Describe().Fields {
		fields = append(fields, f.Name)
		block := fmt.Sprintf(`{%q: %s}`, f.Name, sampleValueJSON(f))
		if _, err := r.NormalizeSettings(json.RawMessage(block)); err != nil {
			t.Errorf("the field %s is not accepted: %v", f.Name, err)
		}
	}
	if slices.Sort(names); !slices.Equal(names, slices.Sorted(slices.Values(fields))) {
		t.Errorf("the struct has %v, but the fields are %v", names, fields)
	}
}

// sampleValueJSON returns a valid JSON value of a field.
func sampleValueJSON(f network.Field) string {
	samples := map[network.FieldKind]string{
		network.FieldSwitch: "true", network.FieldText: `"abc"`, network.FieldURL: `"https://example.org/a"`,
		network.FieldList: `["abc"]`, network.FieldDate: `"2026-01-31"`, network.FieldNumber: "1",
	}
	if f.Example != "" && f.Kind == network.FieldText {
		return fmt.Sprintf("%q", f.Example)
	}
	if f.Kind == network.FieldChoice {
		return fmt.Sprintf("%q", f.Choices[0].Value)
	}
	return samples[f.Kind]
}

func testStrictSettings(t *testing.T, r network.Rules, _ any) {
	d := r.Describe()
	for _, empty := range []string{"", "{}", " {} "} {
		normal, err := r.NormalizeSettings(json.RawMessage(empty))
		if err != nil || string(normal) != "{}" {
			t.Errorf("%q: want {}, got %s, %v", empty, normal, err)
		}
	}
	first := d.Fields[0].Name
	refused := map[string]string{
		`{"` + first + `x": "abc"}`:                    first + "x",
		`{"` + strings.ToUpper(first) + `": "abc"}`:    strings.ToUpper(first),
		`{"` + first + `": 5}`:                         first,
		`{"` + first + `": "a", "` + first + `": "b"}`: first,
		`{"` + first + `": "` + "\xff" + `"}`:          first,
		`null`:                                         "",
		`[]`:                                           "",
		`"text"`:                                       "",
		`{"` + first + `": "a"} trailing`:              "",
		`{"` + first + `": {"toString": 1, "deep": []}}`: first,
	}
	for block, key := range refused {
		_, err := r.NormalizeSettings(json.RawMessage(block))
		named := slices.ContainsFunc(core.Errors(err), func(e *core.Error) bool { return e.Path == key })
		if core.CodeOf(err) != core.CodeInvalidRequest || !named {
			t.Errorf("%s: want invalid_request at %q, got %v", block, key, err)
		}
	}
	_, err := r.NormalizeSettings(json.RawMessage(`{"` + first + `x": "abc"}`))
	if e := core.ErrorOrInternal(err); !strings.Contains(e.Hint, "Did you mean "+first+"?") {
		t.Errorf("the hint does not name the closest key: %q", e.Hint)
	}
	for _, f := range d.Fields {
		checkStrictField(t, r, f)
	}
}

func checkStrictField(t *testing.T, r network.Rules, f network.Field) {
	t.Helper()
	give := func(value string) error {
		_, err := r.NormalizeSettings(json.RawMessage(fmt.Sprintf(`{%q: %s}`, f.Name, value)))
		return err
	}
	if f.Ignored {
		for _, anything := range []string{`"nobody"`, `5`, `{"a": [1]}`, `null`, `true`} {
			if err := give(anything); err != nil {
				t.Errorf("%s is ignored, but refuses %s: %v", f.Name, anything, err)
			}
		}
		return
	}
	wrong := map[network.FieldKind]string{
		network.FieldChoice: `"none of them"`, network.FieldURL: `"example.org"`, network.FieldDate: `"31.1.2026"`,
		network.FieldSwitch: `"true"`, network.FieldNumber: `-1`, network.FieldList: `"abc"`, network.FieldText: `5`,
	}
	for _, none := range []string{`null`, `""`} {
		free := none == `""` && f.Kind == network.FieldText && f.Pattern == nil
		if err := give(none); (err == nil) != free {
			t.Errorf("%s may be empty: %t; for %s, the error is %v", f.Name, free, none, err)
		}
	}
	if err := give(wrong[f.Kind]); core.CodeOf(err) != core.CodeInvalidRequest {
		t.Errorf("%s accepts %s: %v", f.Name, wrong[f.Kind], err)
	}
	if f.Pattern != nil {
		checkPattern(t, f, give)
	}
	if f.Kind == network.FieldNumber || f.Kind == network.FieldList {
		checkMaximum(t, f, give)
	}
	if f.Kind == network.FieldText && f.Max > 0 {
		if err := give(`"` + strings.Repeat("é", f.Max) + `"`); err != nil {
			t.Errorf("%s refuses its longest value: %v", f.Name, err)
		}
		if err := give(`"` + strings.Repeat("é", f.Max+1) + `"`); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s accepts more than %d characters: %v", f.Name, f.Max, err)
		}
	}
}

// checkPattern tests a text, or a list of one text, that does not match the field's pattern.
func checkPattern(t *testing.T, f network.Field, give func(valueJSON string) error) {
	t.Helper()
	const nothingLike = "no & such. <thing>"
	text := fmt.Sprintf("%q", nothingLike)
	if f.Kind == network.FieldList {
		text = "[" + text + "]"
	}
	err := give(text)
	if e := core.ErrorOrInternal(err); e.Code != core.CodeInvalidRequest || !strings.Contains(e.Message, f.Example) ||
		strings.Contains(e.Message, nothingLike) {
		t.Errorf("%s accepts %s, or its error does not describe what is expected: %v", f.Name, text, err)
	}
}

func checkMaximum(t *testing.T, f network.Field, give func(valueJSON string) error) {
	t.Helper()
	if f.Max == 0 {
		return
	}
	write := func(n int) string {
		if f.Kind == network.FieldNumber {
			return fmt.Sprint(n)
		}
		return "[" + strings.TrimSuffix(strings.Repeat(`"abc",`, n), ",") + "]"
	}
	if err := give(write(f.Max)); err != nil {
		t.Errorf("%s refuses %d: %v", f.Name, f.Max, err)
	}
	if err := give(write(f.Max + 1)); core.CodeOf(err) != core.CodeInvalidRequest {
		t.Errorf("%s accepts %d: %v", f.Name, f.Max+1, err)
	}
}
