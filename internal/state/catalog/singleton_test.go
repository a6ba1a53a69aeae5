package catalog_test

import (
	"testing"

	"earshot"
	"earshot/internal/state/kv"
)

func TestPictureCursor(t *testing.T) {
	store := kv.NewMemory()
	c := open(t, store)
	want := func(at earshot.Position, ok bool) {
		t.Helper()
		gotAt, gotOK, err := c.PictureCursor(t.Context())
		if err != nil || gotAt != at || gotOK != ok {
			t.Errorf("got %d, %v, %v, want %d, %v", gotAt, gotOK, err, at, ok)
		}
	}
	set := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want(0, false)
	set(c.SetPictureCursor(t.Context(), 0)) // the journal is empty
	want(0, true)
	set(c.SetPictureCursor(t.Context(), 7))
	want(7, true)
	set(c.ResetPictureCursor(t.Context()))
	want(0, false)
	for value, ok := range map[string]bool{`{"Position":0}`: false, `{"Position":9}`: true} { // written by older versions
		e, err := store.Get(t.Context(), "pictures")
		set(err)
		_, err = store.Put(t.Context(), "pictures", []byte(value), e.Revision)
		set(err)
		if _, got, err := c.PictureCursor(t.Context()); got != ok || err != nil {
			t.Errorf("%s: got %v, %v, want %v", value, got, err, ok)
		}
	}
}
