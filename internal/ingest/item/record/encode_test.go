package record

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestLinesHaveFieldsOfRecords checks that records have all fields of lines except for the mark.
func TestLinesHaveFieldsOfRecords(t *testing.T) {
	in, out := fieldsOf(reflect.TypeFor[Record](), ""), fieldsOf(reflect.TypeFor[Line](), "")
	in = append(in, "starred", "tags", "assignee", "notes")
	if !slices.Equal(in, out) {
		t.Errorf("imported fields %q, exported fields %q", in, out)
	}
}

// fieldsOf lists the JSON names of a type's fields, including those of nested types.
func fieldsOf(t reflect.Type, before string) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(append(names, before+name), fieldsOf(f.Type, before+name+".")...)
		}
	}
	return names
}
