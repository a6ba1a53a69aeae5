package colfile

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newWriter begins a file and aborts it at the end of the test.
func newWriter(t testing.TB, opts Options) *Writer {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "a.seg"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Abort)
	return w
}

// checkDirectory compares the names of the files in path's directory.
func checkDirectory(t *testing.T, path string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got files %q, want %q", got, want)
	}
}

func TestFileExistsOnlyAfterClose(t *testing.T) {
	w := newWriter(t, Options{Rows: 1})
	if err := w.Uints("n", Values([]uint8{1})); err != nil {
		t.Fatal(err)
	}
	// A crash would leave this behind.
	checkDirectory(t, w.path, "a.seg"+TempSuffix)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	checkDirectory(t, w.path, "a.seg")
	w.Abort() // no effect after Close
	checkDirectory(t, w.path, "a.seg")
	reopen(t, w.path)
}

func TestAbortRemovesTemporaryFile(t *testing.T) {
	w := newWriter(t, Options{Rows: 1})
	w.Abort()
	w.Abort()
	checkDirectory(t, w.path)
	if err := w.Uints("n", Values([]uint8{1})); !errors.Is(err, errDone) {
		t.Errorf("got %v, want %v", err, errDone)
	}
	if err := w.Close(); !errors.Is(err, errDone) {
		t.Errorf("Close: got %v, want %v", err, errDone)
	}
}

func TestSecondCloseFails(t *testing.T) {
	w := newWriter(t, Options{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, errDone) {
		t.Errorf("got %v, want %v", err, errDone)
	}
	checkDirectory(t, w.path, "a.seg")
}

func TestTemporaryFileIsOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.seg")
	if err := os.WriteFile(path+TempSuffix, make([]byte, 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	checkDirectory(t, path, "a.seg")
	reopen(t, path)
}

func TestFileIsWrittenOnce(t *testing.T) {
	path := write(t, Options{}, func(*Writer) error { return nil })
	if _, err := Create(path, Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want %v", err, fs.ErrExist)
	}
}

func TestEqualContentsAreEqualBytes(t *testing.T) {
	a := readFile(t, write(t, sampleOptions(), fillSample))
	b := readFile(t, write(t, sampleOptions(), fillSample))
	if string(a) != string(b) {
		t.Error("two files with the same contents differ")
	}
}

// twice yields first in the first iteration and second in the next.
func twice[T any](first, second []T) iter.Seq[T] {
	values := first
	return func(yield func(T) bool) {
		slices.Values(values)(yield)
		values = second
	}
}

func TestWriteErrors(t *testing.T) {
	changed := errChanged.Error()
	tests := []struct {
		name  string
		write func(w *Writer) error
		want  string
	}{
		{"too few numbers", func(w *Writer) error { return w.Uints("x", Values([]uint8{1})) }, "1 numbers for 2 rows"},
		{"too many numbers", func(w *Writer) error { return w.Uints("x", Values([]uint8{1, 2, 3})) }, "3 numbers for 2 rows"},
		{"fewer numbers the second time", func(w *Writer) error { return w.Uints("x", twice([]uint64{1, 2}, []uint64{1})) }, changed},
		{"more numbers the second time", func(w *Writer) error { return w.Uints("x", twice([]uint64{1, 2}, []uint64{1, 2, 2})) }, ""},
		{"larger numbers the second time", func(w *Writer) error { return w.Uints("x", twice([]uint64{1, 2}, []uint64{1, 3})) }, changed},
		{"too few lists", func(w *Writer) error { return w.Lists("x", 9, slices.Values([][]uint32{{1}})) }, "1 lists for 2 rows"},
		{"a number that is not below the limit", func(w *Writer) error { return w.Lists("x", 9, slices.Values([][]uint32{{8}, {1, 9}})) }, "row 1: number 9 is not below 9"},
		{"a negative limit", func(w *Writer) error { return w.Lists("x", -1, slices.Values([][]uint32{nil, nil})) }, "limit -1"},
		{"fewer lists the second time", func(w *Writer) error { return w.Lists("x", 9, twice([][]uint32{{1}, {2}}, [][]uint32{{1}})) }, changed},
		{"longer lists the second time", func(w *Writer) error {
			return w.Lists("x", 9, twice([][]uint32{{1}, {2}}, [][]uint32{{1}, {2, 2}}))
		}, changed},
		{"a large number the second time", func(w *Writer) error { return w.Lists("x", 9, twice([][]uint32{{1}, {2}}, [][]uint32{{1}, {9}})) }, changed},
		{"unsorted rows", func(w *Writer) error { return w.Sets("x", numbered([][]uint32{{1, 0}})) }, "key 0: row 0 is not greater than the previous row, 1"},
		{"a duplicate row", func(w *Writer) error { return w.Sets("x", numbered([][]uint32{{1, 1}})) }, "key 0: row 1 is not greater than the previous row, 1"},
		{"a row beyond the end", func(w *Writer) error { return w.Sets("x", numbered([][]uint32{{0, 2}})) }, "key 0: row 2 is out of range: the file has 2 rows"},
		{"unsorted keys", func(w *Writer) error {
			return w.Sets("x", func(yield func(uint64, []uint32) bool) { _ = yield(6, nil) && yield(5, nil) })
		}, "key 5: not greater than the previous key, 6"},
		{"too few records", func(w *Writer) error { return w.Blobs("x", withoutErrors([][]byte{nil})) }, "1 records for 2 rows"},
		{"too many records", func(w *Writer) error { return w.Blobs("x", withoutErrors([][]byte{nil, nil, nil})) }, "more records than 2 rows"},
		{"a record that is too long", func(w *Writer) error { return w.Blobs("x", withoutErrors([][]byte{make([]byte, maxRecord+1)})) }, "row 0: record of 67108865 bytes is too long"},
		{"no name", func(w *Writer) error { return w.Uints("", Values([]uint8{1, 2})) }, "section name must be unique"},
		{"a duplicate name", func(w *Writer) error { return w.Uints("there", Values([]uint8{1, 2})) }, "section name must be unique"},
		{"a name that is too long", func(w *Writer) error { return w.Uints(strings.Repeat("x", 256), Values([]uint8{1, 2})) }, "section name must be unique"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkWriteError(t, tt.write, tt.want) })
	}
}

func checkWriteError(t *testing.T, write func(w *Writer) error, want string) {
	w := newWriter(t, Options{Rows: 2})
	if err := w.Uints("there", Values([]uint8{1, 2})); err != nil {
		t.Fatal(err)
	}
	err := write(w)
	if want == "" { // values beyond the number of rows are ignored
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), w.path) {
		t.Fatalf("got %v, want %q", err, want)
	}
	if again := w.Uints("other", Values([]uint8{1, 2})); again != err {
		t.Errorf("next section: got %v, want %v", again, err)
	}
	if again := w.Close(); again != err {
		t.Errorf("Close: got %v, want %v", again, err)
	}
	checkDirectory(t, w.path)
}

func TestInvalidOptions(t *testing.T) {
	for _, opts := range []Options{{Rows: -1}, {Rows: maxRows + 1}, {BlockSize: -1}, {BlockSize: maxBlockSize + 1}} {
		path := filepath.Join(t.TempDir(), "a.seg")
		if _, err := Create(path, opts); err == nil {
			t.Errorf("%+v: got no error", opts)
		}
		checkDirectory(t, path)
	}
}

func TestTooMuchMetadata(t *testing.T) {
	w := newWriter(t, Options{Meta: map[string]string{"k": strings.Repeat("x", maxFooter)}})
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "is too large") {
		t.Errorf("got %v", err)
	}
	checkDirectory(t, w.path)
}
