package rest

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// A setter parses text into a field. Its error is a phrase that says what is allowed, for example
// "a number".
type setter func(field reflect.Value, text string) error

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// setterFor returns the setter for fields of type t, or nil if t is not supported.
func setterFor(t reflect.Type) setter {
	if reflect.PointerTo(t).Implements(textUnmarshaler) {
		return setText
	}
	switch t.Kind() {
	case reflect.String:
		return func(f reflect.Value, s string) error { f.SetString(s); return nil }
	case reflect.Bool:
		return setBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return setInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return setUint
	case reflect.Float32, reflect.Float64:
		return setFloat
	case reflect.Pointer:
		return setPointer(t.Elem())
	}
	return nil
}

func setText(f reflect.Value, s string) error {
	return f.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
}

func setBool(f reflect.Value, s string) error {
	v, err := parseBool(s)
	f.SetBool(v)
	return err
}

func setInt(f reflect.Value, s string) error {
	n, err := strconv.ParseInt(s, 10, f.Type().Bits())
	f.SetInt(n)
	return integerError(f.Type(), err)
}

func setUint(f reflect.Value, s string) error {
	n, err := strconv.ParseUint(s, 10, f.Type().Bits())
	f.SetUint(n)
	return integerError(f.Type(), err)
}

func setFloat(f reflect.Value, s string) error {
	n, err := strconv.ParseFloat(s, f.Type().Bits())
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return errors.New("a number")
	}
	f.SetFloat(n)
	return nil
}

func setPointer(to reflect.Type) setter {
	set := setterFor(to)
	if set == nil {
		return nil
	}
	return func(f reflect.Value, s string) error {
		f.Set(reflect.New(to))
		return set(f.Elem(), s)
	}
}

// parseBool parses true or false, ignoring case.
func parseBool(s string) (bool, error) {
	isTrue := strings.EqualFold(s, "true")
	if !isTrue && !strings.EqualFold(s, "false") {
		return false, errors.New("true or false")
	}
	return isTrue, nil
}

// integerError converts an error from strconv to a phrase that says what is allowed.
func integerError(t reflect.Type, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return errors.New(integerRange(t))
	}
	return errors.New("a whole number")
}

// integerRange describes the values that an integer type can represent.
func integerRange(t reflect.Type) string {
	bits := t.Bits()
	if t.Kind() >= reflect.Uint {
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-bits))
	}
	return fmt.Sprintf("a whole number from %d to %d", int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits))
}
