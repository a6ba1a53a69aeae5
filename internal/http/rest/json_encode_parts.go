package rest

import (
	"iter"
	"reflect"
	"sync"
)

// A Seq is a list in a response whose elements are produced while it is encoded, so that a long list
// is never in memory as a whole. It must not be nil.
type Seq[T any] iter.Seq[T]

// JSONShape implements [JSONShaper].
func (Seq[T]) JSONShape() any { return []T{} }

// A sequence is a [Seq] of any type.
type sequence interface {
	appendElements(b []byte, flush flusher) ([]byte, error)
}

var sequenceType = reflect.TypeFor[sequence]()

// A flusher sends a full buffer and returns an empty one. A nil flusher keeps everything.
type flusher func(b []byte) ([]byte, error)

// check sends b if it is full.
func (f flusher) check(b []byte) ([]byte, error) {
	if f == nil || len(b) < maxResponseBuffer {
		return b, nil
	}
	return f(b)
}

// appendParts appends the same JSON as [AppendJSON] and calls flush whenever the buffer is full. Only
// lists in v itself and in structs inside it are divided, which all long responses consist of.
func appendParts(b []byte, v any, flush flusher) ([]byte, error) {
	if v == nil {
		return AppendJSON(b, v)
	}
	return appendValue(b, reflect.ValueOf(v), flush)
}

func appendValue(b []byte, v reflect.Value, flush flusher) ([]byte, error) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Func:
		if t.Implements(sequenceType) {
			return v.Interface().(sequence).appendElements(b, flush)
		}
	case reflect.Slice:
		if hasOwnEncoding(t) || t.Elem().Kind() == reflect.Uint8 {
			break
		}
		encode := encoderOf(t.Elem())
		return appendList(b, flush, func(yield func(reflect.Value) bool) {
			for i := range v.Len() {
				if !yield(v.Index(i)) {
					return
				}
			}
		}, encode)
	case reflect.Struct:
		if fields := dividedFields(t); fields != nil {
			return appendFields(b, v, fields, func(b []byte, _ *structField, v reflect.Value) ([]byte, error) {
				return appendValue(b, v, flush)
			})
		}
	}
	return encoderOf(t)(b, v)
}

func (s Seq[T]) appendElements(b []byte, flush flusher) ([]byte, error) {
	var slot T
	element := reflect.ValueOf(&slot).Elem()
	return appendList(b, flush, func(yield func(reflect.Value) bool) {
		for slot = range s {
			if !yield(element) {
				return
			}
		}
	}, encoderOf(element.Type()))
}

// appendList appends a list and sends it in parts.
func appendList(b []byte, flush flusher, elements iter.Seq[reflect.Value], encode encoder) (_ []byte, err error) {
	b = append(b, '[')
	first := true
	for v := range elements {
		if !first {
			b = append(b, ',')
		}
		first = false
		if b, err = encode(b, v); err != nil {
			return nil, err
		}
		if b, err = flush.check(b); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

var divided sync.Map // reflect.Type -> []structField, nil if the struct is encoded as a whole

// dividedFields returns the fields of a struct that is encoded field by field, or nil.
func dividedFields(t reflect.Type) []structField {
	if known, ok := divided.Load(t); ok {
		return known.([]structField)
	}
	var fields []structField
	if !hasOwnEncoding(t) {
		if all, ok := structFields(t, nil); ok {
			fields = all
		}
	}
	divided.Store(t, fields)
	return fields
}

// hasOwnEncoding reports whether a type encodes itself.
func hasOwnEncoding(t reflect.Type) bool {
	for _, i := range []reflect.Type{appenderType, marshalerType, textAppenderType, textMarshalerType} {
		if reflect.PointerTo(t).Implements(i) {
			return true
		}
	}
	return false
}
