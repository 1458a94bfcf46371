package network

import "slices"

// FieldsFor lists the settings that a form offers for a post with or without files. What cannot apply to it
// is left out, unless the post holds a value of it; held gives that, "" for none. A choice that names one of
// the content types needs that type's files.
func (d Description) FieldsFor(files bool, held func(name string) string) []Field {
	var list []Field
	for _, f := range d.Fields {
		value := held(f.Name)
		if f.Ignored || f.Files && !files && value == "" {
			continue
		}
		if f.Kind == FieldChoice && !files {
			f.Choices = slices.DeleteFunc(slices.Clone(f.Choices), func(c Choice) bool {
				return c.Value != value && d.Limits.ContentTypes[c.Value].Min > 0
			})
			if len(f.Choices) < 2 && value == "" { // there is nothing to choose
				continue
			}
		}
		list = append(list, f)
	}
	return list
}
