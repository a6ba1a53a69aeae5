package colfile

import (
	"errors"
	"testing"
)

func TestBuild(t *testing.T) {
	f, err := Build("some name", Options{Rows: 3}, func(w *Writer) error {
		return w.Uints("numbers", Values([]uint32{7, 8, 1 << 20}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
	numbers, err := f.Uints("numbers")
	if err != nil || f.Path() != "some name" || f.Rows() != 3 || numbers.At(2) != 1<<20 {
		t.Errorf("got %q with %d rows, %v", f.Path(), f.Rows(), err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if f.Retain() {
		t.Error("a closed file was retained")
	}
	wrong := errors.New("wrong")
	if _, err := Build("some name", Options{}, func(*Writer) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("got error %v, want %v", err, wrong)
	}
	if _, err := Build("some name", Options{Rows: 1}, func(w *Writer) error { return w.Uints("numbers", Values([]uint8{})) }); err == nil {
		t.Error("too few numbers: got no error")
	}
}
