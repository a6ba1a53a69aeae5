package rest

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"earshot"
)

// A Shape describes the form of a JSON value.
type Shape struct {
	Kind    ShapeKind
	Lenient bool         // may also be a string that contains the value
	Values  []string     // all allowed values; nil for any
	Elem    *Shape       // shape of an array's elements or a map's values
	Members []Field      // members of an object
	Go      reflect.Type // the struct of an object; nil for other kinds
}

// A ShapeKind is a kind of JSON value, as named in descriptions.
type ShapeKind string

const (
	StringShape    ShapeKind = "string"
	BooleanShape   ShapeKind = "boolean"
	Int32Shape     ShapeKind = "int32"
	Int64Shape     ShapeKind = "int64"
	NumberShape    ShapeKind = "number"
	DateShape      ShapeKind = "date"
	TimestampShape ShapeKind = "timestamp"
	ArrayShape     ShapeKind = "array"
	ObjectShape    ShapeKind = "object" // with fixed member names
	MapShape       ShapeKind = "map"    // an object with arbitrary names
	AnyShape       ShapeKind = "any"    // unknown
)

// String returns the shape in words, for example "array of object".
func (s *Shape) String() string {
	switch s.Kind {
	case ArrayShape:
		return "array of " + s.Elem.String()
	case MapShape:
		return "object (map to " + s.Elem.String() + ")"
	}
	return string(s.Kind)
}

// Inner returns the members of an object, or of the objects inside an array or map.
func (s *Shape) Inner() []Field { return s.innermost().Members }

// innermost returns the shape of the elements inside nested arrays and maps.
func (s *Shape) innermost() *Shape {
	for s.Elem != nil {
		s = s.Elem
	}
	return s
}

// A JSONShaper is a type with its own JSON encoding. JSONShape returns a value whose JSON has the
// same shape.
type JSONShaper interface{ JSONShape() any }

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonShaper    = reflect.TypeFor[JSONShaper]()
)

// knownShapes contains the shapes of types with their own JSON encoding that do not implement
// [JSONShaper].
var knownShapes = map[reflect.Type]Shape{
	reflect.TypeFor[earshot.Count]():     {Kind: Int64Shape},
	reflect.TypeFor[earshot.Date]():      {Kind: DateShape},
	reflect.TypeFor[earshot.Timestamp](): {Kind: TimestampShape},
	reflect.TypeFor[Success]():           {Kind: StringShape, Values: []string{"success"}},
	reflect.TypeFor[Int]():               {Kind: Int64Shape, Lenient: true},
	reflect.TypeFor[Bool]():              {Kind: BooleanShape, Lenient: true},
	reflect.TypeFor[Float]():             {Kind: NumberShape, Lenient: true},
	reflect.TypeFor[Text]():              {Kind: StringShape},
}

var shapeKinds = map[reflect.Kind]ShapeKind{
	reflect.String:  StringShape,
	reflect.Bool:    BooleanShape,
	reflect.Int8:    Int32Shape,
	reflect.Int16:   Int32Shape,
	reflect.Int32:   Int32Shape,
	reflect.Uint8:   Int32Shape,
	reflect.Uint16:  Int32Shape,
	reflect.Int:     Int64Shape,
	reflect.Int64:   Int64Shape,
	reflect.Uint:    Int64Shape,
	reflect.Uint32:  Int64Shape,
	reflect.Uint64:  Int64Shape,
	reflect.Float32: NumberShape,
	reflect.Float64: NumberShape,
}

// A shaper derives shapes from types. In responses, members are required unless they can be
// omitted. In requests, a tag states which members are required.
type shaper struct {
	response bool
	within   []reflect.Type // the enclosing structs; a recursive struct is described without members
}

func shapeOf(t reflect.Type, response bool) *Shape {
	s := shaper{response: response}
	return s.shape(t)
}

func (s *shaper) shape(t reflect.Type) *Shape {
	pointer := reflect.PointerTo(t)
	known, isKnown := knownShapes[t]
	switch {
	case t.Kind() == reflect.Pointer:
		return s.shape(t.Elem())
	case isKnown:
		return &known
	case pointer.Implements(jsonShaper):
		like := reflect.New(t).Interface().(JSONShaper).JSONShape()
		return s.shape(reflect.TypeOf(like))
	case pointer.Implements(jsonMarshaler):
		return &Shape{Kind: AnyShape}
	case shapeKinds[t.Kind()] != "" && !pointer.Implements(textMarshaler):
		return &Shape{Kind: shapeKinds[t.Kind()], Lenient: !s.response && hasForms(t)}
	case pointer.Implements(textMarshaler), pointer.Implements(textUnmarshaler):
		return &Shape{Kind: StringShape}
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return &Shape{Kind: ArrayShape, Elem: s.shape(t.Elem())}
	case reflect.Map:
		return &Shape{Kind: MapShape, Elem: s.shape(t.Elem())}
	case reflect.Struct:
		return s.object(t)
	}
	return &Shape{Kind: AnyShape}
}

func (s *shaper) object(t reflect.Type) *Shape {
	object := &Shape{Kind: ObjectShape, Go: t}
	if !slices.Contains(s.within, t) {
		s.within = append(s.within, t)
		object.Members = s.members(t)
		s.within = s.within[:len(s.within)-1]
	}
	return object
}

// members returns the members of a struct's JSON object, in order.
func (s *shaper) members(t reflect.Type) []Field {
	var members []Field
	for i := range t.NumField() {
		f := t.Field(i)
		if name := jsonName(f); name != "" {
			member := newField(name, f, s.shape(f.Type))
			if s.response {
				_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				member.Required = !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")
			}
			members = append(members, member)
		} else if f.Anonymous && f.Type.Kind() == reflect.Struct && f.Tag.Get("json") == "" {
			members = append(members, s.members(f.Type)...)
		}
	}
	return members
}
