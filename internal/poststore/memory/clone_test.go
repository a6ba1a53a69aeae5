package memory

import (
	"reflect"
	"testing"
	"time"

	"earshot"
)

// TestCloneSharesNothing compares a filled post with its clone field by field, so that clonePost
// cannot miss a field added to Post.
func TestCloneSharesNothing(t *testing.T) {
	var p earshot.Post
	fillValue(reflect.ValueOf(&p).Elem())
	c := clonePost(&p)
	if !reflect.DeepEqual(c, p) {
		t.Errorf("clone differs: got %+v, want %+v", c, p)
	}
	wantApart(t, "Post", reflect.ValueOf(p), reflect.ValueOf(c))
}

// fillValue fills slices, maps and pointers in v with one element.
func fillValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, f := range v.Fields() {
			if f.CanSet() {
				fillValue(f)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillValue(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem())
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
	}
}

// wantApart checks that two equal values share no mutable memory.
func wantApart(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[time.Time]() {
			return // its location is immutable
		}
		for f, v := range a.Fields() {
			wantApart(t, path+"."+f.Name, v, b.FieldByIndex(f.Index))
		}
	case reflect.Slice, reflect.Pointer, reflect.Map:
		if a.UnsafePointer() == b.UnsafePointer() {
			t.Errorf("%s is shared", path)
		}
		if a.Kind() == reflect.Slice {
			wantApart(t, path+"[0]", a.Index(0), b.Index(0))
		}
	}
}
