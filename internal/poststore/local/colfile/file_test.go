package colfile

import (
	"errors"
	"hash/crc32"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

func TestFileMetadata(t *testing.T) {
	path := write(t, sampleOptions(), fillSample)
	f := reopen(t, path)
	if f.Rows() != sampleRows || f.Path() != path || f.Size() != int64(len(readFile(t, path))) {
		t.Errorf("got %d rows, %s, %d bytes", f.Rows(), f.Path(), f.Size())
	}
	if got, want := f.Meta(), sampleOptions().Meta; !maps.Equal(got, want) {
		t.Errorf("got metadata %v, want %v", got, want)
	}
	got := f.Sections()[:4]
	want := []Section{
		{"one", KindUints, 300, 300},
		{"four", KindUints, 1200, 300},
		{"eight", KindUints, 2400, 300},
		{"words", KindStrings, got[3].Bytes, 40},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !f.Has("words") || f.Has("word") {
		t.Error("Has returned a wrong result")
	}
}

func TestEmptyFile(t *testing.T) {
	f := reopen(t, write(t, Options{}, func(*Writer) error { return nil }))
	if f.Rows() != 0 || len(f.Sections()) != 0 || len(f.Meta()) != 0 || f.Size() != headerSize+20+trailerSize {
		t.Errorf("got %d rows, %v, %v, %d bytes", f.Rows(), f.Sections(), f.Meta(), f.Size())
	}
}

func TestMissingSections(t *testing.T) {
	f := reopen(t, write(t, sampleOptions(), fillSample))
	for _, name := range []string{"missing", "", "words"} { // words is a section of strings
		if _, err := f.Uints(name); !errors.Is(err, ErrNoSection) {
			t.Errorf("%q: got %v, want %v", name, err, ErrNoSection)
		}
	}
}

func TestSectionIsCheckedOnce(t *testing.T) {
	f := reopen(t, write(t, sampleOptions(), fillSample))
	a := must[*Lists](t)(f.Lists("lists"))
	b := must[*Lists](t)(f.Lists("lists"))
	if a != b {
		t.Error("got two readers")
	}
}

func TestOpenMissingFile(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "a.seg")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("got no error for a directory")
	}
}

func TestUnsupportedVersion(t *testing.T) {
	data := readFile(t, write(t, Options{}, func(*Writer) error { return nil }))
	foot := data[headerSize : len(data)-trailerSize]
	data[8], foot[0] = 2, 2
	le.PutUint32(data[len(data)-12:], crc32.Checksum(foot, castagnoli))
	if _, err := fromMemory(data); !errors.Is(err, ErrVersion) {
		t.Errorf("got %v, want %v", err, ErrVersion)
	}
}

func TestCloseAndRetain(t *testing.T) {
	unmapped := 0
	data := readFile(t, write(t, sampleOptions(), fillSample))
	f, err := newFile("a.seg", data, func() error { unmapped++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if !f.Retain() {
		t.Fatal("Retain failed on an open file")
	}
	if err := f.Close(); err != nil || unmapped != 0 {
		t.Fatalf("Close: got %v, unmapped %d times before the reader was done", err, unmapped)
	}
	if f.Retain() {
		t.Error("Retain succeeded on a closed file")
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: got %v, want %v", err, fs.ErrClosed)
	}
	if _, err := f.Uints("one"); err != nil {
		t.Errorf("Uints of a retained file: %v", err)
	}
	if err := f.Release(); err != nil || unmapped != 1 {
		t.Errorf("Release: got %v, unmapped %d times, want once", err, unmapped)
	}
	if _, err := f.Uints("one"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Uints: got %v, want %v", err, fs.ErrClosed)
	}
	if err := f.Verify(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Verify: got %v, want %v", err, fs.ErrClosed)
	}
}

func TestReleaseWithoutRetain(t *testing.T) {
	f := reopen(t, write(t, Options{}, func(*Writer) error { return nil }))
	f.Close()
	defer func() {
		if recover() == nil {
			t.Error("got no panic")
		}
	}()
	f.Release()
}

func TestReadersDoNotAllocate(t *testing.T) {
	f := reopen(t, write(t, sampleOptions(), fillSample))
	uints := must[*Uints](t)(f.Uints("four"))
	words := must[*Strings](t)(f.Strings("words"))
	lists := must[*Lists](t)(f.Lists("lists"))
	sets := must[*Sets](t)(f.Sets("postings"))
	monitors := must[*Sets](t)(f.Sets("monitors"))
	text := must[*Blobs](t)(f.Blobs("text")).Reader()
	var numbers []uint32
	var buf []byte
	read := func() {
		for row := range uint32(sampleRows) {
			uints.At(row)
			numbers = lists.Append(numbers[:0], row)
			sets.Contains(36, row)
			monitors.Contains(5, row)
			text.Get(row % 20) // all in one block
		}
		for key := range sets.Keys() {
			numbers = sets.Append(numbers[:0], key)
			sets.Cardinality(key)
		}
		for id := range uint32(words.Len()) {
			buf = words.Append(buf[:0], id)
			words.Find("w000400")
			words.Prefix("w0")
		}
	}
	read()
	if n := testing.AllocsPerRun(20, read); n > 0 {
		t.Errorf("got %.0f allocations, want 0", n)
	}
}
