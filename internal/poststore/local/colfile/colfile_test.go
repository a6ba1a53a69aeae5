package colfile

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// write writes a file with the sections that fill adds and returns its path.
func write(t testing.TB, opts Options, fill func(w *Writer) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.seg")
	w, err := Create(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := fill(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// reopen opens a file and verifies it completely.
func reopen(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	return f
}

// readFile returns the bytes of a file.
func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fromMemory opens the bytes of a file.
func fromMemory(data []byte) (*File, error) {
	return newFile("memory.seg", data, func() error { return nil })
}

// must returns the result of a method and fails the test on an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// numbered yields sets with consecutive keys from 0.
func numbered(sets [][]uint32) iter.Seq2[uint64, []uint32] {
	return func(yield func(uint64, []uint32) bool) {
		for i, rows := range sets {
			if !yield(uint64(i), rows) {
				return
			}
		}
	}
}

// keyed yields the sets of a map in the order of their keys.
func keyed(sets map[uint64][]uint32) iter.Seq2[uint64, []uint32] {
	var keys []uint64
	for k := range sets {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return func(yield func(uint64, []uint32) bool) {
		for _, k := range keys {
			if !yield(k, sets[k]) {
				return
			}
		}
	}
}

// withoutErrors yields records without errors.
func withoutErrors(records [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// between returns the rows in [from, to).
func between(from, to uint32) []uint32 {
	var rows []uint32
	for row := from; row < to; row++ {
		rows = append(rows, row)
	}
	return rows
}

// bytesOf yields texts in the form that Writer.Strings takes.
func bytesOf(texts []string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, text := range texts {
			if !yield([]byte(text)) {
				return
			}
		}
	}
}
