package network

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"belfry/internal/core"
	"belfry/internal/schema"
)

// DecodeSettings decodes a settings block strictly into T, whose JSON names are the names of the network's fields.
// Unknown keys, null, and values that a field does not allow are refused: the error joins an invalid_request error for
// each, with a path relative to the block. A nil block is empty.
func DecodeSettings[T any](d Description, block json.RawMessage) (T, error) {
	var t, none T
	if len(block) == 0 {
		return t, nil
	}
	if err := d.settingsSchema().Decode(block, &t); err != nil {
		return none, err
	}
	return t, nil
}

// NormalizeSettings decodes a settings block strictly into T and returns it in normal form, see EncodeSettings.
func NormalizeSettings[T any](d Description, block json.RawMessage) (json.RawMessage, error) {
	t, err := DecodeSettings[T](d, block)
	if err != nil {
		return nil, err
	}
	return EncodeSettings(d, t)
}

// EncodeSettings encodes settings in normal form: only known keys, without empty values.
func EncodeSettings[T any](d Description, t T) (json.RawMessage, error) {
	normal, err := jsonv2.Marshal(t, jsonv2.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the settings of %s: %w", d.ID, err)
	}
	return normal, nil
}

// SettingNames returns the JSON names of the fields of a settings struct.
func SettingNames(settingsStruct reflect.Type) []string {
	names := make([]string, 0, settingsStruct.NumField())
	for f := range settingsStruct.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// settingsSchema returns the schema of the network's settings block.
func (d Description) settingsSchema() *schema.Type {
	block := &schema.Object{Fields: make(map[string]*schema.Type, len(d.Fields))}
	for _, f := range d.Fields {
		block.Fields[f.Name] = f.valueSchema()
	}
	return &schema.Type{Name: "The settings block of " + d.Name, Object: block}
}

// valueSchema returns the schema of the field's value.
func (f Field) valueSchema() *schema.Type {
	text := &schema.Text{Max: f.Max}
	if f.Pattern != nil {
		text.Form, text.Like = f.Pattern.MatchString, "written like "+f.Example
	}
	switch f.Kind {
	case FieldSwitch:
		return &schema.Type{Bool: true, Any: f.Ignored}
	case FieldNumber:
		number := &schema.Number{Integer: true, Min: new(0.0)}
		if f.Max > 0 {
			number.Max = new(float64(f.Max))
		}
		return &schema.Type{Number: number, Any: f.Ignored}
	case FieldList:
		text.Max = 0
		return &schema.Type{List: &schema.List{Max: f.Max, Items: &schema.Type{Text: text}}, Any: f.Ignored}
	case FieldChoice:
		if f.Pattern != nil {
			break
		}
		for _, c := range f.Choices {
			text.Choices = append(text.Choices, c.Value)
		}
	case FieldURL:
		text.Form, text.Like = core.IsLink, "a complete address that begins with https:// or http://"
	case FieldDate:
		text.Form, text.Like = isISODate, "a date such as 2026-01-31"
	}
	return &schema.Type{Text: text, Any: f.Ignored}
}

func isISODate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
