package reference

import (
	"reflect"
	"strings"

	"earshot/internal/http/rest"
)

// A schema is a JSON schema, limited to the features that are needed here.
type schema struct {
	Ref         string          `json:"$ref,omitempty"`
	Type        any             `json:"type,omitempty"` // a name or a list of names
	Format      string          `json:"format,omitempty"`
	Pattern     string          `json:"pattern,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Description string          `json:"description,omitempty"`
	Deprecated  bool            `json:"deprecated,omitempty"`
	Restricted  bool            `json:"x-restricted,omitempty"`
	Items       *schema         `json:"items,omitempty"`
	Properties  object[*schema] `json:"properties,omitempty"`
	Required    []string        `json:"required,omitempty"`
	Values      *schema         `json:"additionalProperties,omitempty"`
}

// plainSchemas contains the schemas of scalar values.
var plainSchemas = map[rest.ShapeKind]schema{
	rest.StringShape:    {Type: "string"},
	rest.BooleanShape:   {Type: "boolean"},
	rest.Int32Shape:     {Type: "integer", Format: "int32"},
	rest.Int64Shape:     {Type: "integer", Format: "int64"},
	rest.NumberShape:    {Type: "number"},
	rest.DateShape:      {Type: "string", Format: "date"},
	rest.TimestampShape: {Type: "string", Pattern: `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`}, // not format date-time, which requires an offset
	rest.AnyShape:       {},
}

// A schemaSet creates schemas and shares the ones that are used more than once.
type schemaSet struct {
	uses   map[reflect.Type]int
	names  map[string]reflect.Type // types of the shared schemas, by name
	shared object[*schema]
}

func newSchemaSet(shapes []*rest.Shape) *schemaSet {
	l := &schemaSet{uses: map[reflect.Type]int{}, names: map[string]reflect.Type{}}
	for _, s := range shapes {
		l.count(s)
	}
	return l
}

func (l *schemaSet) count(s *rest.Shape) {
	if s.Elem != nil {
		l.count(s.Elem)
	}
	if s.Go != nil {
		l.uses[s.Go]++
	}
	for _, m := range s.Members {
		l.count(m.Shape)
	}
}

// schema returns the schema of a shape, or a reference to a shared schema.
func (l *schemaSet) schema(s *rest.Shape) *schema {
	// The name of a generic type includes its type arguments, so it cannot name a schema.
	if s.Go == nil || s.Go.Name() == "" || strings.Contains(s.Go.Name(), "[") || l.uses[s.Go] < 2 {
		return l.define(s)
	}
	name := capitalize(s.Go.Name())
	switch l.names[name] {
	case nil:
		l.names[name] = s.Go
		l.shared.add(name, nil) // reserve its position before the schemas inside it
		at := len(l.shared) - 1
		l.shared[at].value = l.define(s)
	case s.Go:
	default: // two types have the same name
		return l.define(s)
	}
	return &schema{Ref: "#/components/schemas/" + name}
}

// define returns the schema of a shape, not a reference.
func (l *schemaSet) define(s *rest.Shape) *schema {
	switch s.Kind {
	case rest.ArrayShape:
		return &schema{Type: "array", Items: l.schema(s.Elem)}
	case rest.MapShape:
		return &schema{Type: "object", Values: l.schema(s.Elem)}
	case rest.ObjectShape:
		return l.object(s)
	}
	plain := plainSchemas[s.Kind]
	plain.Enum = s.Values
	if s.Lenient {
		plain.Type = []any{plain.Type, "string"}
	}
	return &plain
}

func (l *schemaSet) object(s *rest.Shape) *schema {
	o := &schema{Type: "object"}
	for _, m := range s.Members {
		o.Properties.add(m.Name, l.field(m))
		if m.Required {
			o.Required = append(o.Required, m.Name)
		}
	}
	return o
}

// field returns the schema of a parameter or member, with its description.
func (l *schemaSet) field(f rest.Field) *schema {
	s := l.schema(f.Shape)
	s.Description, s.Deprecated, s.Restricted = f.Meaning(), f.Deprecated, f.Restricted
	return s
}
