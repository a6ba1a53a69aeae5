package rest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Answers have hundreds of days with dozens of like elements, and most of the time of a
// request went into encoding/json. The functions here make the same of a value, byte for
// byte and in a third of the time: what has to be done for a type is found out once.

// AppendJSON appends what encoding/json makes of v, compact and without escaping HTML.
func AppendJSON(b []byte, v any) ([]byte, error) {
	if v == nil {
		return append(b, "null"...), nil
	}
	return marshallerOf(reflect.TypeOf(v))(b, reflect.ValueOf(v))
}

// An Appender is a value that appends its own JSON, which must be compact.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// A marshaller appends the JSON of values of one type.
type marshaller func(b []byte, v reflect.Value) ([]byte, error)

var marshallers sync.Map // by reflect.Type

func marshallerOf(t reflect.Type) marshaller {
	if known, ok := marshallers.Load(t); ok {
		return known.(marshaller)
	}
	known, _ := marshallers.LoadOrStore(t, newMarshaller(t))
	return known.(marshaller)
}

var (
	appenderType      = reflect.TypeFor[Appender]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textAppenderType  = reflect.TypeFor[encoding.TextAppender]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

func newMarshaller(t reflect.Type) marshaller {
	switch {
	case t.Implements(appenderType) && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface:
		return func(b []byte, v reflect.Value) ([]byte, error) { return boxed(v).(Appender).AppendJSON(b), nil }
	case reflect.PointerTo(t).Implements(marshalerType), reflect.PointerTo(t).Implements(textMarshalerType) && !t.Implements(textAppenderType):
		return others
	case t.Implements(textAppenderType) && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface:
		return appendTextOf
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(b, v.Bool()), nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(b, v.Int(), 10), nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendUint(b, v.Uint(), 10), nil }
	case reflect.Float64:
		return appendFloatOf
	case reflect.String:
		if t == reflect.TypeFor[json.Number]() {
			return others
		}
		return func(b []byte, v reflect.Value) ([]byte, error) { return AppendString(b, v.String()), nil }
	case reflect.Struct:
		return newObjectMarshaller(t)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // bytes are spelled otherwise
			return newListMarshaller(t)
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !t.Key().Implements(textMarshalerType) {
			return newMapMarshaller(t)
		}
	case reflect.Pointer, reflect.Interface:
		return appendPointedAt
	}
	return others
}

// boxed returns the value, or a pointer to it where there is one: that takes no memory.
func boxed(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	return v.Interface()
}

// others leaves a value to encoding/json.
func others(b []byte, v reflect.Value) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)                     // post URLs carry ampersands
	if err := enc.Encode(boxed(v)); err != nil { // it looks at addressable values in that way, too
		return nil, err
	}
	return buf.Bytes()[:buf.Len()-1], nil // without the encoder's newline
}

func appendTextOf(b []byte, v reflect.Value) ([]byte, error) {
	b = append(b, '"')
	start := len(b)
	b, err := boxed(v).(encoding.TextAppender).AppendText(b)
	if err != nil {
		return nil, err
	}
	for _, c := range b[start:] {
		if c < ' ' || c == '"' || c == '\\' || c > '~' {
			return AppendString(b[:start-1], string(b[start:])), nil
		}
	}
	return append(b, '"'), nil
}

func appendFloatOf(b []byte, v reflect.Value) ([]byte, error) {
	f := v.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("marshal %v: no number in JSON", f)
	}
	return AppendNumber(b, f), nil
}

func appendPointedAt(b []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(b, "null"...), nil
	}
	return marshallerOf(v.Elem().Type())(b, v.Elem())
}

func newListMarshaller(t reflect.Type) marshaller {
	elem := later(t.Elem())
	return func(b []byte, v reflect.Value) (_ []byte, err error) {
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		b = append(b, '[')
		of := elem()
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = of(b, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
}

// later finds the marshaller of a type when it is needed: a type may contain itself.
func later(t reflect.Type) func() marshaller {
	return sync.OnceValue(func() marshaller { return marshallerOf(t) })
}

func newMapMarshaller(t reflect.Type) marshaller {
	elem := later(t.Elem())
	return func(b []byte, v reflect.Value) (_ []byte, err error) {
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		b = append(b, '{')
		for i, key := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, key.String()), ':')
			if b, err = elem()(b, v.MapIndex(key)); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
}
