package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// Clients of this API send IDs, coordinates and booleans in bodies either as JSON numbers and
// booleans or as strings. The types below accept both. They are only for decoding.

// Lenient is implemented by structs that ignore unknown fields wherever they are, because they come
// from elsewhere, such as an export. Otherwise, bodies under /manage/v1 must not have any.
type Lenient interface{ IgnoresUnknown() }

// Presence states whether a field of a body is missing, is null or has a value.
type Presence int

const (
	Absent Presence = iota // the field is missing
	Null                   // the field is null
	Given                  // the field has a value
)

// An Int is a whole number, or a string that contains one.
type Int struct {
	Value    int64
	Presence Presence
}

// UnmarshalJSON implements [json.Unmarshaler].
func (i *Int) UnmarshalJSON(data []byte) error {
	text, presence := scalar(data)
	*i = Int{Presence: presence}
	if presence == Null {
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return errors.New("a whole number")
	}
	i.Value = n
	return nil
}

// A Float is a number, or a string that contains one. It is nil if the field is missing or null.
type Float struct{ Value *float64 }

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Float) UnmarshalJSON(data []byte) error {
	text, presence := scalar(data)
	f.Value = nil
	if presence == Null {
		return nil
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return errors.New("a number")
	}
	f.Value = &x
	return nil
}

// A Bool is true or false, or a string that contains either, ignoring case.
type Bool struct {
	Value    bool
	Presence Presence
}

// UnmarshalJSON implements [json.Unmarshaler].
func (b *Bool) UnmarshalJSON(data []byte) (err error) {
	text, presence := scalar(data)
	*b = Bool{Presence: presence}
	if presence == Null {
		return nil
	}
	b.Value, err = parseBool(strings.TrimSpace(text))
	return err
}

// A Text is a string, or a number that is kept as text digit for digit. It is for IDs such as
// guids, which are strings but which some programs send as numbers. For other strings use string or
// *string, which do not accept numbers.
type Text struct {
	Value    string
	Presence Presence
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(data []byte) error {
	text, presence := scalar(data)
	*t = Text{Value: text, Presence: presence}
	if c := data[0]; presence == Given && c != '"' && c != '-' && (c < '0' || c > '9') {
		return errors.New("a string")
	}
	return nil
}

// scalar returns the contents of a string, and any other value as it is written.
func scalar(data []byte) (text string, p Presence) {
	switch {
	case string(data) == "null":
		return "", Null
	case data[0] == '"' && bytes.IndexByte(data, '\\') < 0:
		return string(data[1 : len(data)-1]), Given
	case data[0] == '"' && json.Unmarshal(data, &text) == nil:
		return text, Given
	}
	return string(data), Given
}
