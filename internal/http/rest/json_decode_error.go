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

// locate finds the first value in data that does not fit t and says so, with
// its path; nil when there is none. encoding/json reports no indices, and no
// place at all for types that read themselves, so this walks the document again.
// It runs for bad requests only.
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

// locateWithin does for the parts of a value what locate does for the value. It finds nothing in
// types that unmarshal themselves, or in scalars.
func locateWithin(data []byte, path string, t reflect.Type) error {
	if reflect.PointerTo(t).Implements(jsonUnmarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return locateField(data, path, t)
	case reflect.Slice, reflect.Array:
		var items []json.RawMessage
		_ = json.Unmarshal(data, &items) // not a list: no items
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

// membersOf returns the values of an object by key; none when it is no object.
func membersOf(data []byte) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members)
	return members
}

// jsonName is the key of a field, or "" when it has none of its own.
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
