package api

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/schema"
)

// parameter is a query parameter: its field in the input, and its schema.
type parameter struct {
	name   string
	index  int
	schema *huma.Schema
}

// compileParameters returns the query parameters that the tags of the struct type t declare, and the schema that the
// query is checked against. All fields of t must be strings or integers.
func compileParameters(r huma.Registry, t reflect.Type) (parameters []parameter, query *schema.Object, err error) {
	query = &schema.Object{Fields: map[string]*schema.Type{}}
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("query")
		if k := f.Type.Kind(); name == "" || k != reflect.String && k != reflect.Int {
			return nil, nil, fmt.Errorf("field %s of %s needs a `query` tag and the type string or int", f.Name, t)
		}
		p := parameter{name, i, huma.SchemaFromField(r, f, "")}
		if query.Fields[name], err = compileType(r, p.schema); err != nil {
			return nil, nil, err
		}
		parameters = append(parameters, p)
	}
	return parameters, query, nil
}

// decodeQuery decodes the query strictly, and stores the values in the struct to which into points. An absent or empty
// parameter keeps its default.
func (r *route) decodeQuery(rawQuery string, into any) error {
	values, err := r.query.ParseAndCheckQuery(rawQuery)
	if err != nil {
		return err
	}
	v := reflect.ValueOf(into).Elem()
	for _, p := range r.parameters {
		field, value := v.Field(p.index), values.Get(p.name)
		if field.Kind() == reflect.String {
			field.SetString(value)
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil { // the parameter is absent or empty
			n, _ = p.schema.Default.(int)
		}
		field.SetInt(int64(n))
	}
	return nil
}

// compileType compiles a schema of the document to the type that requests are checked against, so that the document and
// the checks agree. It returns an error for keywords that requests would not be checked for.
func compileType(r huma.Registry, s *huma.Schema) (*schema.Type, error) {
	for s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	if s.AnyOf != nil || s.AllOf != nil || s.Not != nil || s.Pattern != "" || s.MultipleOf != nil || s.UniqueItems ||
		s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || s.MinItems != nil || len(s.DependentRequired) > 0 {
		return nil, fmt.Errorf("schema %q uses a keyword that Belfry cannot check", s.Title)
	}
	if s.OneOf != nil {
		return compileAlternatives(r, s.OneOf)
	}
	out := &schema.Type{Null: s.Nullable}
	var err error
	switch s.Type {
	case "":
		out.Any = true
	case huma.TypeBoolean:
		out.Bool = true
	case huma.TypeInteger, huma.TypeNumber:
		out.Number = &schema.Number{Integer: s.Type == huma.TypeInteger, Min: s.Minimum, Max: s.Maximum}
	case huma.TypeString:
		out.Text, err = compileText(s)
	case huma.TypeArray:
		out.List = &schema.List{Max: valueOrZero(s.MaxItems)}
		out.List.Items, err = compileType(r, s.Items)
	case huma.TypeObject:
		out.Object, err = compileObject(r, s)
	default:
		err = fmt.Errorf("schema type %q is unknown", s.Type)
	}
	return out, err
}

// compileAlternatives compiles alternatives that differ in their JSON type, and returns an error for other
// alternatives.
func compileAlternatives(r huma.Registry, alternatives []*huma.Schema) (*schema.Type, error) {
	out := &schema.Type{}
	var forms []string
	for _, s := range alternatives {
		forms = append(forms, listJSONExamples(s)...)
		one, err := compileType(r, s)
		if err != nil {
			return nil, err
		}
		switch {
		case one.Text != nil && out.Text == nil:
			out.Text = one.Text
		case one.Object != nil && out.Object == nil:
			out.Object = one.Object
		default:
			return nil, fmt.Errorf("a schema's alternatives must be one string and one object, but another alternative has the type %q", s.Type)
		}
	}
	out.Forms = strings.Join(forms, ", ")
	return out, nil
}

// listJSONExamples returns examples of what a schema allows, as JSON: its choices, or an object with the example of
// each property.
func listJSONExamples(s *huma.Schema) (list []string) {
	for _, choice := range s.Enum {
		list = append(list, fmt.Sprintf("%q", choice))
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		for _, example := range s.Properties[name].Examples {
			parts = append(parts, fmt.Sprintf("%q: %q", name, example))
		}
	}
	if len(parts) > 0 {
		list = append(list, "{"+strings.Join(parts, ", ")+"}")
	}
	return list
}

func compileText(s *huma.Schema) (*schema.Text, error) {
	t := &schema.Text{Min: valueOrZero(s.MinLength), Max: valueOrZero(s.MaxLength)}
	for _, v := range s.Enum {
		word, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("the choice %v is not a string", v)
		}
		t.Choices = append(t.Choices, word)
	}
	return t, nil
}

func compileObject(r huma.Registry, s *huma.Schema) (*schema.Object, error) {
	o := &schema.Object{Fields: map[string]*schema.Type{}, Required: s.Required}
	for name, property := range s.Properties {
		field, err := compileType(r, property)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		o.Fields[name] = field
	}
	var err error
	if rest, ok := s.AdditionalProperties.(*huma.Schema); ok {
		o.Rest, err = compileType(r, rest)
	}
	return o, err
}

func valueOrZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

const jsonType = "application/json"

// newCachedBodyReader returns a function that reads the whole body, up to httpd.MaxJSONBytes bytes. Later calls of the
// function return the same body.
func newCachedBodyReader(c echo.Context) func() ([]byte, error) {
	return sync.OnceValues(func() (body []byte, err error) {
		err = httpd.LimitBody(httpd.MaxJSONBytes)(func(echo.Context) error {
			body, err = io.ReadAll(c.Request().Body)
			return err
		})(c)
		var known *core.Error
		var large *http.MaxBytesError
		if err == nil || errors.As(err, &known) || errors.As(err, &large) {
			return body, err
		}
		return nil, core.Invalid("", "The body is incomplete.").WithHint("Send the request again.").WithCause(fmt.Errorf("read the body: %w", err))
	})
}

// decodeBody decodes the body strictly, and stores the values in the struct to which into points.
func (r *route) decodeBody(contentType string, body []byte, into any) error {
	if len(body) == 0 {
		if r.optionalBody {
			return nil
		}
		return core.Invalid("",
			"This route requires a body.").WithHint("Send a JSON object with the header Content-Type: application/json.")
	}
	if err := checkJSONContentType(contentType); err != nil {
		return err
	}
	return r.body.Decode(body, into)
}

// checkJSONContentType returns unsupported_media_type unless the header is empty or declares JSON in UTF-8.
func checkJSONContentType(headerOrEmpty string) error {
	if headerOrEmpty == "" {
		return nil
	}
	kind, parameters, err := mime.ParseMediaType(headerOrEmpty)
	if err == nil && kind == jsonType {
		if charset, ok := parameters["charset"]; !ok || strings.EqualFold(charset, "utf-8") {
			return nil
		}
	}
	return core.Fail(core.CodeUnsupportedMediaType, "The Content-Type %s is not JSON in UTF-8.",
		schema.FormatUntrustedName(headerOrEmpty)).
		WithHint("Send JSON in UTF-8 with the header Content-Type: application/json.")
}
