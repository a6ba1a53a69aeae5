package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"earshot"
)

var jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()

// locate returns an error for the first value in data that does not fit t, with its path, or nil.
// It walks the document again because encoding/json does not report list indexes, or any location
// for types that unmarshal themselves. It runs only for invalid requests.
func locate(data []byte, path string, t reflect.Type) error {
	if t.Kind() == reflect.Pointer {
		if isNull(data) {
			return nil
		}
		return locate(data, path, t.Elem())
	}
	if err := json.Unmarshal(data, reflect.New(t).Interface()); err == nil {
		return nil
	} else if within := locateWithin(data, path, t); within != nil {
		return within
	} else {
		return decodeError(path, t, data, err)
	}
}

// locateWithin is like locate but only looks at the parts of a value. It returns nil for scalars
// and for types that unmarshal themselves.
func locateWithin(data []byte, path string, t reflect.Type) error {
	if reflect.PointerTo(t).Implements(jsonUnmarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return locateField(data, path, t)
	case reflect.Slice, reflect.Array:
		var items []json.RawMessage
		_ = json.Unmarshal(data, &items) // if data is not a list, there are no items
		for i, item := range items {
			if err := locate(item, fmt.Sprintf("%s[%d]", path, i), t.Elem()); err != nil {
				return err
			}
		}
	case reflect.Map:
		members := membersOf(data)
		for _, key := range slices.Sorted(maps.Keys(members)) {
			if err := locate(members[key], join(path, key), t.Elem()); err != nil {
				return err
			}
		}
	}
	return nil
}

func locateField(data []byte, path string, t reflect.Type) error {
	members := membersOf(data)
	keys := slices.Sorted(maps.Keys(members))
	for _, f := range reflect.VisibleFields(t) {
		name := jsonName(f)
		for _, key := range keys {
			if name == "" || !strings.EqualFold(key, name) {
				continue
			}
			if err := locate(members[key], join(path, key), f.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// membersOf returns the values of an object by key, or nil if data is not an object.
func membersOf(data []byte) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members)
	return members
}

// jsonName returns the JSON key of a field, or "" if it has no key of its own.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "-", !f.IsExported(), f.Anonymous && name == "":
		return ""
	case name == "":
		return f.Name
	}
	return name
}

func join(path, key string) string {
	if path == "" {
		return earshot.Clip(key, 60)
	}
	return path + "." + earshot.Clip(key, 60)
}
