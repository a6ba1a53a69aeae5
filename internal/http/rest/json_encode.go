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

	"earshot/internal/jsonvalue"
)

// Responses contain hundreds of days with dozens of similar elements, and encoding/json took most
// of the time of a request. This encoder produces the same bytes 1.65 times as fast because it
// analyzes each type only once. Delete it when encoding/json/v2 is the default and as fast.

// AppendJSON appends the JSON that encoding/json would produce for v, compact and without HTML
// escaping. Unlike there, nil slices and maps are [] and {}, as with encoding/json/v2.
func AppendJSON(b []byte, v any) ([]byte, error) {
	if v == nil {
		return append(b, "null"...), nil
	}
	return encoderOf(reflect.TypeOf(v))(b, reflect.ValueOf(v))
}

// An Appender appends its own JSON, which must be compact.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// An encoder appends the JSON encoding of values of one type.
type encoder func(b []byte, v reflect.Value) ([]byte, error)

var encoders sync.Map // reflect.Type -> encoder

func encoderOf(t reflect.Type) encoder {
	if known, ok := encoders.Load(t); ok {
		return known.(encoder)
	}
	known, _ := encoders.LoadOrStore(t, newEncoder(t))
	return known.(encoder)
}

var (
	appenderType      = reflect.TypeFor[Appender]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textAppenderType  = reflect.TypeFor[encoding.TextAppender]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

func newEncoder(t reflect.Type) encoder {
	switch {
	case t.Kind() == reflect.Func && t.Implements(sequenceType):
		return func(b []byte, v reflect.Value) ([]byte, error) {
			return v.Interface().(sequence).appendElements(b, nil)
		}
	case t.Implements(appenderType) && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface:
		return func(b []byte, v reflect.Value) ([]byte, error) { return interfaceOf(v).(Appender).AppendJSON(b), nil }
	case reflect.PointerTo(t).Implements(marshalerType), reflect.PointerTo(t).Implements(textMarshalerType) && !t.Implements(textAppenderType):
		return encodeStd
	case t.Implements(textAppenderType) && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface:
		return encodeText
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(b, v.Bool()), nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(b, v.Int(), 10), nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendUint(b, v.Uint(), 10), nil }
	case reflect.Float64:
		return encodeFloat
	case reflect.String:
		if t == reflect.TypeFor[json.Number]() {
			return encodeStd
		}
		return func(b []byte, v reflect.Value) ([]byte, error) { return jsonvalue.AppendString(b, v.String()), nil }
	case reflect.Struct:
		return newStructEncoder(t)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // encoding/json encodes bytes as base64
			return newSliceEncoder(t)
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !t.Key().Implements(textMarshalerType) {
			return newMapEncoder(t)
		}
	case reflect.Pointer, reflect.Interface:
		return encodePointer
	}
	return encodeStd
}

// interfaceOf returns a pointer to the value if it is addressable, which avoids an allocation, and
// otherwise the value.
func interfaceOf(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	return v.Interface()
}

// encodeStd encodes a value with encoding/json.
func encodeStd(b []byte, v reflect.Value) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)                           // post URLs contain ampersands
	if err := enc.Encode(interfaceOf(v)); err != nil { // encoding/json also calls pointer methods of addressable values
		return nil, err
	}
	return buf.Bytes()[:buf.Len()-1], nil // without the newline that Encode adds
}

func encodeText(b []byte, v reflect.Value) ([]byte, error) {
	b = append(b, '"')
	start := len(b)
	b, err := interfaceOf(v).(encoding.TextAppender).AppendText(b)
	if err != nil {
		return nil, err
	}
	for _, c := range b[start:] {
		if c < ' ' || c == '"' || c == '\\' || c > '~' {
			return jsonvalue.AppendString(b[:start-1], string(b[start:])), nil
		}
	}
	return append(b, '"'), nil
}

func encodeFloat(b []byte, v reflect.Value) ([]byte, error) {
	f := v.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("marshal %v: not a JSON number", f)
	}
	return jsonvalue.AppendNumber(b, f), nil
}

func encodePointer(b []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(b, "null"...), nil
	}
	return encoderOf(v.Elem().Type())(b, v.Elem())
}

func newSliceEncoder(t reflect.Type) encoder {
	elem := lazyEncoder(t.Elem())
	return func(b []byte, v reflect.Value) (_ []byte, err error) {
		b = append(b, '[')
		encode := elem()
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = encode(b, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
}

// lazyEncoder looks up the encoder of a type on first use, because types may be recursive.
func lazyEncoder(t reflect.Type) func() encoder {
	return sync.OnceValue(func() encoder { return encoderOf(t) })
}

func newMapEncoder(t reflect.Type) encoder {
	elem := lazyEncoder(t.Elem())
	return func(b []byte, v reflect.Value) (_ []byte, err error) {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		b = append(b, '{')
		for i, key := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsonvalue.AppendString(b, key.String()), ':')
			if b, err = elem()(b, v.MapIndex(key)); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
}
