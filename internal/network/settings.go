package network

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"belfry/internal/core"
)

// DecodeSettings reads a settings block strictly into T, whose JSON names are those of the fields: an
// unknown key, a wrong type and a value that a field does not allow are an invalid_request that names the
// JSON path, as is null. Nil is the empty block.
func DecodeSettings[T any](d Description, block json.RawMessage) (T, error) {
	var t T
	if len(block) == 0 {
		return t, nil
	}
	var given map[string]jsontext.Value
	err := jsonv2.Unmarshal(block, &t, jsonv2.RejectUnknownMembers(true))
	if err == nil {
		err = jsonv2.Unmarshal(block, &given)
	}
	if err != nil {
		var none T
		return none, settingsError(d, err)
	}
	if err := checkFields(d, given, reflect.ValueOf(t)); err != nil {
		var none T
		return none, err
	}
	return t, nil
}

// NormalSettings reads a settings block strictly into T and returns it in normal form.
func NormalSettings[T any](d Description, block json.RawMessage) (json.RawMessage, error) {
	t, err := DecodeSettings[T](d, block)
	if err != nil {
		return nil, err
	}
	return EncodeSettings(d, t)
}

// EncodeSettings writes decoded settings in normal form: known keys only, defaults left out.
func EncodeSettings[T any](d Description, t T) (json.RawMessage, error) {
	normal, err := jsonv2.Marshal(t, jsonv2.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write settings of %s: %w", d.ID, err)
	}
	return normal, nil
}

// SettingNames are the JSON names of a settings struct.
func SettingNames(t reflect.Type) []string {
	names := make([]string, 0, t.NumField())
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func settingsError(d Description, err error) error {
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return core.Invalid(strings.Join(tokens(syntactic.JSONPointer), "."), "The settings of %s are not sound JSON: a key stands twice, or a text is not UTF-8.", d.Name).Because(err)
	}
	semantic, ok := errors.AsType[*jsonv2.SemanticError](err)
	if !ok {
		return fmt.Errorf("read settings of %s: %w", d.ID, err)
	}
	at := tokens(semantic.JSONPointer)
	path := strings.Join(at, ".")
	switch {
	case errors.Is(semantic.Err, jsonv2.ErrUnknownName):
		return unknownSetting(d, path, at[len(at)-1])
	case len(at) == 0:
		return notAnObject(d).Because(err)
	}
	if f, ok := d.field(at[0]); ok {
		return wrongKind(path, f).Because(err)
	}
	return core.InvalidField(path, at[0], "has a value of the wrong type.").Because(err)
}

func notAnObject(d Description) *core.Error {
	return core.Invalid("", "The settings of %s must be an object.", d.Name)
}

func wrongKind(path string, f Field) *core.Error {
	return core.InvalidField(path, f.Name, "must be %s.", kindWords[f.Kind])
}

func tokens(p jsontext.Pointer) []string { return slices.Collect(p.Tokens()) }

func unknownSetting(d Description, path, name string) error {
	e := core.Invalid(path, "%s has no setting %q.", d.Name, name)
	names := make([]string, 0, len(d.Fields))
	for _, f := range d.Fields {
		names = append(names, f.Name)
	}
	if near := core.Nearest(name, names); near != "" {
		return e.WithHint("Did you mean %s?", near)
	}
	return e.WithHint("Known there: %s.", strings.Join(names, ", "))
}

func (d Description) field(name string) (Field, bool) {
	for _, f := range d.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

var kindWords = map[FieldKind]string{
	FieldChoice: "a string", FieldSwitch: "true or false", FieldText: "a string", FieldURL: "an address in a string",
	FieldList: "a list of strings", FieldDate: "a date like 2026-01-31 in a string", FieldNumber: "a whole number",
}

// checkFields holds what was given, and how it was decoded, against the table of fields.
func checkFields(d Description, given map[string]jsontext.Value, v reflect.Value) error {
	if given == nil {
		return notAnObject(d)
	}
	for i, name := range SettingNames(v.Type()) {
		f, ok := d.field(name)
		raw, there := given[name]
		if !ok || f.Ignored || !there {
			continue
		}
		if raw.Kind() == jsontext.KindNull {
			return wrongKind(name, f)
		}
		value := v.Field(i)
		for value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if err := checkValue(d, f, value); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(d Description, f Field, v reflect.Value) error {
	path := f.Name
	switch v.Kind() {
	case reflect.String:
		return checkWord(path, f, v.String())
	case reflect.Slice:
		if f.Max > 0 && v.Len() > f.Max {
			return core.InvalidField(path, f.Name, "takes at most %d entries.", f.Max)
		}
		for i := range v.Len() {
			if err := checkText(fmt.Sprintf("%s[%d]", path, i), f, v.Index(i).String()); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int64:
		switch n := v.Int(); {
		case n < 0:
			return core.InvalidField(path, f.Name, "cannot be less than 0.")
		case f.Max > 0 && n > int64(f.Max):
			return core.InvalidField(path, f.Name, "must be a whole number from 0 to %d.", f.Max)
		}
	}
	return nil
}

func checkWord(path string, f Field, s string) error {
	if f.Max > 0 && utf8.RuneCountInString(s) > f.Max {
		return core.InvalidField(path, f.Name, "is longer than %d characters.", f.Max)
	}
	switch f.Kind {
	case FieldChoice:
		if !slices.ContainsFunc(f.Choices, func(c Choice) bool { return c.Value == s }) {
			return core.InvalidField(path, f.Name, "cannot be %q.", s).WithHint("It is one of: %s.", choices(f))
		}
	case FieldURL:
		if !core.IsLink(s) {
			return core.InvalidField(path, f.Name, "must be a whole address that begins with https:// or http://.")
		}
	case FieldDate:
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return core.InvalidField(path, f.Name, "must be a date like 2026-01-31.")
		}
	}
	return checkText(path, f, s)
}

// checkText is for every text, also for each entry of a list.
func checkText(path string, f Field, s string) error {
	if err := core.CheckText(path, s, len(s)); err != nil {
		return err
	}
	if f.Pattern == nil || f.Pattern.MatchString(s) {
		return nil
	}
	return core.InvalidField(path, f.Name, "cannot be %q.", s).WithHint("It is written like %s.", f.Example)
}

func choices(f Field) string {
	values := make([]string, 0, len(f.Choices))
	for _, c := range f.Choices {
		values = append(values, c.Value)
	}
	return strings.Join(values, ", ")
}
