package config

import (
	"fmt"
	"reflect"
)

// field is one variable, as described by the struct's tags, with its value if there is a Config.
type field struct {
	goName  string
	name    string // without the prefix
	initial string // what .env.example shows after the sign
	example string // what an error tells to write
	help    string
	url     bool // a secret of which the place may be shown
	value   reflect.Value
}

// listFields lists the struct's variables in order.
func listFields(cfg *Config) []field {
	v := reflect.ValueOf(cfg).Elem()
	var list []field
	for sf, value := range v.Fields() {
		name, ok := sf.Tag.Lookup("env")
		if !ok {
			continue
		}
		f := field{
			goName: sf.Name, name: name, help: sf.Tag.Get("help"), example: sf.Tag.Get("eg"),
			initial: sf.Tag.Get("envDefault"), url: sf.Tag.Get("shape") == "url", value: value,
		}
		if shown, ok := sf.Tag.Lookup("shown"); ok {
			f.initial = shown
		}
		if f.example == "" {
			f.example = f.initial
		}
		list = append(list, f)
	}
	return list
}

// displayValue returns the value for output. Values in a special format are shown as they were given.
func (f field) displayValue(given map[string]string) string {
	switch v := f.value.Interface().(type) {
	case Secret:
		if f.url {
			return v.cutURL()
		}
		return v.String()
	case string:
		return v
	}
	if text, ok := given[f.name]; ok {
		return text
	}
	return f.initial
}

// errorf returns an error for a variable: its name, what is wrong, and an example.
func (f field) errorf(format string, args ...any) error {
	return fmt.Errorf("%s%s %s (for example, %s%s=%s)", Prefix, f.name, fmt.Sprintf(format, args...), Prefix, f.name,
		f.example)
}
