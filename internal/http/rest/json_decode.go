package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"earshot"
)

// Decode reads JSON into what into points at. Keys match in any case and
// unknown ones are ignored, as with encoding/json. A byte order mark is dropped.
//
// path says where in the request body the data stands, like items[3]; it is
// empty for the body itself. The error is an *earshot.Error that names the
// first value that does not fit, for example
//
//	Invalid request body: items[3].age must be a whole number, not a string
//
// UnmarshalText and UnmarshalJSON of the types involved return a phrase that
// tells what is allowed, like "a whole number", or an *earshot.Error that is
// returned as it is. Bytes are counted from 1.
func Decode(data []byte, path string, into any) error {
	data = trimBOM(data)
	if n := invalidUTF8(data); n > 0 {
		return earshot.InvalidBody("%snot valid UTF-8 at byte %d", prefix(path, " is "), n)
	}
	t := reflect.TypeOf(into).Elem()
	if isBlank(data) {
		return mismatch(path, typeName(t), "empty")
	}
	if !acceptsNull(t) && isNull(data) {
		return mismatch(path, typeName(t), "null")
	}
	err := json.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && !json.Valid(data) {
		return earshot.InvalidBody("%s%s at byte %d", prefix(path, ": "), syntax, syntax.Offset)
	}
	if located := locate(data, path, t); located != nil {
		return located
	}
	return decodeError(path, t, data, err)
}

// invalidUTF8 returns the first byte that is no part of a character, counted
// from 1, or 0.
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

// acceptsNull reports whether null is a value of t rather than a lack of one.
func acceptsNull(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || reflect.PointerTo(t).Implements(jsonUnmarshaler)
}

// decodeError says why one value could not be read.
func decodeError(path string, t reflect.Type, data []byte, err error) error {
	var typed *json.UnmarshalTypeError
	var readable *earshot.Error
	switch {
	case errors.As(err, &readable):
		return readable
	case errors.As(err, &typed):
		return typeMismatch(path, typed)
	}
	return mismatch(path, strings.TrimPrefix(err.Error(), "json: "), valueName(data))
}

// typeMismatch puts into our words what encoding/json says of a value.
func typeMismatch(path string, e *json.UnmarshalTypeError) error {
	if e.Field != "" { // a type that reads itself met this further in
		path = join(path, e.Field)
	}
	number, isNumber := strings.CutPrefix(e.Value, "number ")
	if !isNumber {
		return mismatch(path, typeName(e.Type), jsonKinds[e.Value])
	}
	allowed := typeName(e.Type)
	if isInteger(e.Type) {
		_, err := strconv.ParseInt(number, 10, 64)
		if err == nil || errors.Is(err, strconv.ErrRange) {
			allowed = integerRange(e.Type)
		}
	}
	return mismatch(path, allowed, earshot.Clip(number, 60))
}

// jsonKinds are the sorts of values, by the names of json.UnmarshalTypeError.
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

// typeName describes the JSON that a type is read from.
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
	case t.Kind() == reflect.Slice && !reflect.PointerTo(t).Implements(jsonUnmarshaler), t.Kind() == reflect.Array:
		return "a list"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return "an object"
	}
	return "a JSON value"
}

func isInteger(t reflect.Type) bool { return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uint64 }

// valueName shows a small value as it is, and names the kind of a large one.
func valueName(data []byte) string {
	switch data = bytes.TrimSpace(data); data[0] {
	case '{':
		return jsonKinds["object"]
	case '[':
		return jsonKinds["array"]
	}
	return earshot.Clip(string(data), 60)
}

func isNull(data []byte) bool { return string(bytes.TrimSpace(data)) == "null" }

// prefix is the path and what joins it to the sentence about it.
func prefix(path, join string) string {
	if path == "" {
		return ""
	}
	return path + join
}

// CountList returns how many elements a JSON list has, without decoding them. A
// type that takes a long list asks before it allocates for what may be millions.
func CountList(data []byte) int {
	depth, count, some := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			some = true
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			some = some || depth > 0
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 1 {
				count++
			}
		case ' ', '\t', '\r', '\n':
		default:
			some = true
		}
	}
	if some {
		count++
	}
	return count
}
