package api

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"belfry/internal/contract"
)

// schemaPrefix begins the references to records in the document.
const schemaPrefix = "#/components/schemas/"

// NewSchemaRegistry returns an empty registry. Its schemas also describe what Go types cannot express: fields of the
// contract's records that may be null or absent, and the two forms of a time. All references to schemas begin with
// refPrefix.
func NewSchemaRegistry(refPrefix string) huma.Registry {
	r := huma.NewMapRegistry(refPrefix, huma.DefaultSchemaNamer)
	// The contract does not import a framework, so other types provide the schemas of these types.
	r.RegisterTypeAlias(reflect.TypeFor[contract.When](), reflect.TypeFor[whenSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[contract.Opt[string]](), reflect.TypeFor[optSchema[string]]())
	r.RegisterTypeAlias(reflect.TypeFor[contract.Opt[[]string]](), reflect.TypeFor[optSchema[[]string]]())
	return r
}

// optSchema describes contract.Opt[T]: a T or null.
type optSchema[T any] struct{}

// Schema returns the schema of T or null.
func (optSchema[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), false, "")
	s.Nullable = true
	return &s
}

// whenSchema describes contract.When.
type whenSchema struct{}

// Schema returns the schema of a keyword, or of a local time with its time zone.
func (whenSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "When to publish: `now`, at a local time, or not until you queue the post (`draft`).",
		OneOf: []*huma.Schema{
			{Type: huma.TypeString, Enum: []any{"now", "draft"}},
			{
				Type: huma.TypeObject,
				Properties: map[string]*huma.Schema{
					"publishAt": {
						Type: huma.TypeString, Description: "Local date and time without an offset: `YYYY-MM-DDTHH:mm`.",
						Examples: []any{"2026-03-02T18:00"},
					},
					"timezone": {
						Type: huma.TypeString, MinLength: new(1),
						Description: "IANA time zone. Default: the workspace's time zone.", Examples: []any{"Europe/Berlin"},
					},
				},
				Required: []string{"publishAt"}, AdditionalProperties: false,
			},
		},
	}
}

// addTimeFormatsAndNulls adds to the schemas what huma cannot derive from Go types: the format of times, and that a
// pointer to a record may be null.
func addTimeFormatsAndNulls(r huma.Registry) {
	for name, s := range r.Map() {
		t := r.TypeFromRef(schemaPrefix + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			property := s.Properties[jsonName(f)]
			switch {
			case property == nil || f.Anonymous:
			case withoutPointer(f.Type) == reflect.TypeFor[contract.Time]():
				property.Format = "date-time"
			case f.Type.Kind() == reflect.Pointer && property.Ref != "" && !strings.Contains(f.Tag.Get("json"), "omitempty"):
				s.Properties[jsonName(f)] = nullableRef(property)
			}
		}
	}
}

func nullableRef(s *huma.Schema) *huma.Schema {
	return &huma.Schema{Description: s.Description, AnyOf: []*huma.Schema{{Ref: s.Ref}, {Type: "null"}}}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func withoutPointer(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// getRecordSchema returns the schema of a record, or an error if there is none, which is a bug in this program.
func getRecordSchema(r huma.Registry, name string) (*huma.Schema, error) {
	if s, ok := r.Map()[name]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("the OpenAPI description has no schema for the record %s", name)
}
