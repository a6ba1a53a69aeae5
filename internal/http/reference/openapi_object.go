package reference

import (
	"bytes"
	"encoding/json"
)

// An object is a JSON object that preserves the order of its members.
type object[V any] []member[V]

type member[V any] struct {
	name  string
	value V
}

func (o *object[V]) add(name string, value V) { *o = append(*o, member[V]{name, value}) }

// MarshalJSON implements [json.Marshaler].
func (o object[V]) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			buf.WriteByte(',')
		}
		if err := encodeJSON(&buf, m.name); err != nil {
			return nil, err
		}
		buf.WriteByte(':')
		if err := encodeJSON(&buf, m.value); err != nil {
			return nil, err
		}
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// encodeJSON appends the compact JSON of v.
func encodeJSON(buf *bytes.Buffer, v any) error {
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false) // messages contain angle brackets
	err := enc.Encode(v)
	if err == nil {
		buf.Truncate(buf.Len() - 1) // without the newline that Encode adds
	}
	return err
}
