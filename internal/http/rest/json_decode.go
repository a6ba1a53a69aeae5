package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"earshot"
)

// Decode parses JSON into the value that into points to. Like encoding/json, it ignores the case of
// keys and skips unknown ones. It ignores a leading byte order mark.
//
// The parameter path is where the data is located in the request body, for example items[3], or
// empty if it is the whole body. The error is an [*earshot.Error] that names the first invalid
// value, for example
//
//	Invalid request body: items[3].age must be a whole number, not a string
//
// The UnmarshalText and UnmarshalJSON methods of the types involved must return either a phrase
// that says what is allowed, for example "a whole number", or an *earshot.Error, which Decode
// returns unchanged. Byte offsets in messages start at 1.
func Decode(data []byte, path string, into any) error {
	r := reader{data: data}
	return readError(path, r.decode(reflect.ValueOf(into).Elem()))
}

// readError returns the error of a reader for the client.
func readError(path string, err error) error {
	var m *misfit
	var syntax *syntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &m):
		return m.at(path)
	case errors.As(err, &syntax):
		return earshot.InvalidBody("%s%s", prefix(path, cmp.Or(syntax.join, ": ")), syntax)
	}
	return bodyError(err)
}

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8, starting at 1, or 0 if
// data is valid.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return 0
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i + 1
		}
		i += size
	}
	return 0
}

// acceptsNull reports whether null is a valid value of type t.
func acceptsNull(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || hasForms(t)
}

// decodeError returns the error for a value that could not be decoded into type t.
func decodeError(t reflect.Type, data []byte, err error) error {
	var typed *json.UnmarshalTypeError
	var readable *earshot.Error
	switch {
	case errors.As(err, &readable):
		return readable
	case errors.As(err, &typed):
		return typeMismatch(typed)
	}
	return &misfit{want: strings.TrimPrefix(err.Error(), "json: "), got: valueName(data)}
}

// typeMismatch translates an error from encoding/json into our own wording.
func typeMismatch(e *json.UnmarshalTypeError) *misfit {
	m := &misfit{want: typeName(e.Type), got: jsonKinds[e.Value]}
	if e.Field != "" { // reported by a type with its own UnmarshalJSON, for a value inside it
		m.path = "." + earshot.Clip(e.Field, 60)
	}
	number, isNumber := strings.CutPrefix(e.Value, "number ")
	if !isNumber {
		return m
	}
	m.got = earshot.Clip(number, 60)
	if isInteger(e.Type) {
		_, err := strconv.ParseInt(number, 10, 64)
		if err == nil || errors.Is(err, strconv.ErrRange) {
			m.want = integerRange(e.Type)
		}
	}
	return m
}

// jsonKinds maps the kinds of values in [json.UnmarshalTypeError] to the words of our messages.
var jsonKinds = map[string]string{
	"object": "an object",
	"array":  "a list",
	"string": "a string",
	"number": "a number",
	"bool":   "a boolean",
}

func mismatch(path, want, got string) error {
	return earshot.InvalidBody("%smust be %s, not %s", prefix(path, " "), want, got)
}

// typeName describes the JSON values that a type accepts.
func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return typeName(t.Elem())
	}
	if reflect.PointerTo(t).Implements(textUnmarshaler) {
		return "a string"
	}
	switch {
	case isInteger(t):
		return "a whole number"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Slice && !hasForms(t), t.Kind() == reflect.Array:
		return "a list"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return "an object"
	}
	return "a JSON value"
}

func isInteger(t reflect.Type) bool { return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uint64 }

// valueName returns a scalar as it is written, and the kind of an object or list.
func valueName(data []byte) string {
	switch data = bytes.TrimSpace(data); data[0] {
	case '{':
		return jsonKinds["object"]
	case '[':
		return jsonKinds["array"]
	}
	return earshot.Clip(string(data[:min(len(data), 400)]), 60)
}

// prefix returns path followed by join, or "" if path is empty.
func prefix(path, join string) string {
	if path == "" {
		return ""
	}
	return path + join
}
