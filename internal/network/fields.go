package network

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"belfry/internal/core"
)

// SettingAltText is the name of the setting for an image description, on every network that has one.
const SettingAltText = "altText"

// FormFieldsFor returns the settings that a form offers for a draft. The draft's settings are the form's current
// values. Settings and choices that do not apply to the draft's files or content type are left out, unless the form
// has a value for them. A value of a choice that has no name gets one.
func FormFieldsFor(rules Rules, draft Draft) []Field {
	var list []Field
	d, held := rules.Describe(), decodeSettingsMapOrEmpty(draft.Settings)
	for _, f := range d.Fields {
		value, kept := held[f.Name]
		if f.Ignored || !kept && (f.Files && len(draft.Media) == 0 || refusesOrIgnoresSetting(rules, draft, held, f)) {
			continue
		}
		if f.Kind == FieldChoice {
			f.Choices = slices.DeleteFunc(slices.Clone(f.Choices), func(c Choice) bool {
				content, names := d.Limits.ContentTypes[c.Value]
				return names && c.Value != value && !acceptsFileKinds(content, draft.Media)
			})
			if len(f.Choices) < 2 && !kept { // nothing to choose
				continue
			}
			if text, ok := value.(string); ok && f.acceptsUnnamed(text) {
				f.Choices = append(f.Choices, Choice{text, f.Label + " " + text})
			}
		}
		list = append(list, f)
	}
	return list
}

// acceptsUnnamed reports whether a choice accepts a value that is not among its Choices.
func (f Field) acceptsUnnamed(value string) bool {
	isNamed := slices.ContainsFunc(f.Choices, func(c Choice) bool { return c.Value == value })
	return !isNamed && f.Pattern != nil && f.Pattern.MatchString(value)
}

// refusesOrIgnoresSetting reports whether the network's check refuses or ignores the setting for the draft, whatever
// its value.
func refusesOrIgnoresSetting(rules Rules, draft Draft, values map[string]any, f Field) bool {
	if f.Kind == FieldChoice { // each of its values is checked separately
		return false
	}
	tried := maps.Clone(values)
	tried[f.Name] = f.exampleValue()
	block, err := json.Marshal(tried)
	if err != nil {
		return false
	}
	if draft.Settings, err = rules.NormalizeSettings(block); err != nil {
		return false
	}
	issues, warnings := rules.CheckDraft(draft)
	return slices.ContainsFunc(slices.Concat(issues, warnings), func(i core.Issue) bool {
		return i.Setting == f.Name &&
			(i.Code == core.IssueSettingConflict.Code || i.Code == core.WarnSettingIgnored.Code)
	})
}

// acceptsFileKinds reports whether a content type allows files of these kinds, or no files if there are none.
func acceptsFileKinds(content core.ContentType, media []core.Media) bool {
	if len(media) == 0 {
		return content.Min == 0
	}
	return !slices.ContainsFunc(media, func(m core.Media) bool { return fileLimitsOrNil(content, m.Kind) == nil })
}

// decodeSettingsMapOrEmpty returns the values of a settings block by name, and an empty map for an unreadable block.
func decodeSettingsMapOrEmpty(block json.RawMessage) map[string]any {
	values := map[string]any{}
	if len(block) == 0 || json.Unmarshal(block, &values) != nil {
		return map[string]any{}
	}
	return values
}

// exampleValue returns a valid value of a field that is not a choice. For a switch, it differs from the default.
func (f Field) exampleValue() any {
	switch f.Kind {
	case FieldSwitch:
		return f.Default != "true"
	case FieldNumber:
		return 0
	case FieldList:
		return []string{cmp.Or(f.Example, "x")}
	case FieldURL:
		return "https://example.org/"
	case FieldDate:
		return "2026-01-31"
	}
	return cmp.Or(f.Example, "x")
}
