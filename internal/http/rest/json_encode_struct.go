package rest

import (
	"reflect"
	"slices"
	"strings"

	"earshot/internal/jsonvalue"
)

// A structField is a field of a struct that is part of its JSON.
type structField struct {
	key     []byte // including quotes and colon
	index   []int
	omit    func(v reflect.Value) bool // reports whether to omit the field; nil: never
	encoder func() encoder
}

// newStructEncoder returns the encoder of a struct. If the struct uses features of encoding/json
// that responses do not need, the encoder is encodeStd.
func newStructEncoder(t reflect.Type) encoder {
	fields, ok := structFields(t, nil)
	if !ok {
		return encodeStd
	}
	return func(b []byte, v reflect.Value) ([]byte, error) {
		return appendFields(b, v, fields, encodeField)
	}
}

func encodeField(b []byte, m *structField, v reflect.Value) ([]byte, error) { return m.encoder()(b, v) }

// appendFields appends an object with the fields of a struct. The function encode appends the value of
// a field.
func appendFields(b []byte, v reflect.Value, fields []structField, encode func([]byte, *structField, reflect.Value) ([]byte, error)) (_ []byte, err error) {
	b = append(b, '{')
	first := true
	for i := range fields {
		m := &fields[i]
		field := v.Field(m.index[0])
		for _, at := range m.index[1:] {
			field = field.Field(at)
		}
		if m.omit != nil && m.omit(field) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		if b, err = encode(append(b, m.key...), m, field); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// structFields returns the fields of a struct, including those of embedded structs. A field with the
// tag old:"learntAt" also has that key, for programs that do not know its new name yet. ok is false if
// the struct has something that responses never have: an embedded pointer, another tag option or a
// duplicate key.
func structFields(t reflect.Type, path []int) (fields []structField, ok bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		index := append(slices.Clone(path), i)
		if f.Anonymous && !tagged {
			if f.Type.Kind() != reflect.Struct {
				return nil, false
			}
			inner, ok := structFields(f.Type, index)
			if !ok {
				return nil, false
			}
			fields = append(fields, inner...)
			continue
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		omitted, ok := omitFunc(options, f.Type)
		if !ok {
			return nil, false
		}
		for _, name := range []string{name, f.Tag.Get("old")} {
			if name != "" {
				fields = append(fields, structField{append(jsonvalue.AppendString(nil, name), ':'), index, omitted, lazyEncoder(f.Type)})
			}
		}
	}
	return fields, distinctKeys(fields)
}

func distinctKeys(fields []structField) bool {
	seen := map[string]bool{}
	for _, m := range fields {
		if seen[string(m.key)] {
			return false
		}
		seen[string(m.key)] = true
	}
	return true
}

// omitFunc returns the function that decides whether to omit a field with the given tag options.
func omitFunc(options string, t reflect.Type) (omitted func(reflect.Value) bool, ok bool) {
	switch options {
	case "":
		return nil, true
	case "omitempty":
		return isEmpty, true
	case "omitzero":
		if zeroer := reflect.TypeFor[interface{ IsZero() bool }](); t.Implements(zeroer) && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
			return func(v reflect.Value) bool { return interfaceOf(v).(interface{ IsZero() bool }).IsZero() }, true
		} else if reflect.PointerTo(t).Implements(zeroer) {
			return nil, false
		}
		return reflect.Value.IsZero, true
	}
	return nil, false
}

// isEmpty reports whether omitempty omits v.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
