package api

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"belfry/internal/core"
)

// parameter is one query parameter: where it goes and what may stand in it.
type parameter struct {
	name    string
	index   int
	schema  *huma.Schema
	choices []string
}

// parametersOf reads the query tags of a struct of texts and whole numbers.
func parametersOf(r huma.Registry, t reflect.Type) ([]parameter, error) {
	var out []parameter
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("query")
		if k := f.Type.Kind(); name == "" || k != reflect.String && k != reflect.Int {
			return nil, fmt.Errorf("field %s of %s cannot be a query parameter", f.Name, t)
		}
		p := parameter{name: name, index: i, schema: huma.SchemaFromField(r, f, "")}
		for _, v := range p.schema.Enum {
			p.choices = append(p.choices, fmt.Sprint(v))
		}
		out = append(out, p)
	}
	return out, nil
}

// decodeQuery reads the query strictly into what in points to: no name unknown or twice, no value of
// another kind. A parameter left out or empty keeps its default.
func decodeQuery(raw string, parameters []parameter, in any) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return core.Invalid("query", "The query cannot be read.").Because(err)
	}
	if err := checkNames(values, parameters); err != nil {
		return err
	}
	v := reflect.ValueOf(in).Elem()
	for _, p := range parameters {
		if err := p.read(values.Get(p.name), v.Field(p.index)); err != nil {
			return err
		}
	}
	return nil
}

func checkNames(values url.Values, parameters []parameter) error {
	names := make([]string, 0, len(parameters))
	for _, p := range parameters {
		names = append(names, p.name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		path := join("query", name)
		if !slices.Contains(names, name) {
			return suggest(core.Invalid(path, "There is no parameter %s here.", shown(name)), name, names)
		}
		if len(values[name]) > 1 {
			return core.Invalid(path, "The parameter %s stands twice.", name)
		}
	}
	return nil
}

func (p parameter) read(value string, into reflect.Value) error {
	path := join("query", p.name)
	if value == "" {
		if n, ok := p.schema.Default.(int); ok {
			into.SetInt(int64(n))
		}
		return nil
	}
	if !utf8.ValidString(value) || strings.ContainsFunc(value, core.Control) {
		return core.Invalid(path, "The parameter %s is not plain UTF-8 text.", p.name)
	}
	if into.Kind() == reflect.String {
		if p.choices != nil && !slices.Contains(p.choices, value) {
			return core.Invalid(path, "The parameter %s has a value that it cannot have.", p.name).
				WithHint("It is one of: %s.", strings.Join(p.choices, ", "))
		}
		into.SetString(value)
		return nil
	}
	n, err := strconv.Atoi(value)
	if low, high := p.schema.Minimum, p.schema.Maximum; err != nil || low != nil && float64(n) < *low || high != nil && float64(n) > *high {
		return core.Invalid(path, "The parameter %s must be a whole number%s.", p.name, p.bounds())
	}
	into.SetInt(int64(n))
	return nil
}

func (p parameter) bounds() string {
	if p.schema.Minimum == nil || p.schema.Maximum == nil {
		return ""
	}
	return fmt.Sprintf(" from %g to %g", *p.schema.Minimum, *p.schema.Maximum)
}
