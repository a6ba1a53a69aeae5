package colfile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"earshot/internal/test/testenv"
)

func TestTruncation(t *testing.T) {
	data := readFile(t, write(t, sampleOptions(), fillSample))
	path := filepath.Join(t.TempDir(), "cut.seg")
	for n := range data {
		// Read from memory at every length, and from disk at some.
		f, err := fromMemory(slices.Clone(data[:n]))
		want := "memory.seg"
		if n < 100 || n%97 == 0 || n > len(data)-100 {
			if err := os.WriteFile(path, data[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			f, err = Open(path)
			want = path
		}
		var corrupt *CorruptError
		if f != nil || !errors.As(err, &corrupt) || corrupt.Path != want {
			t.Fatalf("%d of %d bytes: got %v", n, len(data), err)
		}
	}
}

func TestTrailingBytes(t *testing.T) {
	data := readFile(t, write(t, sampleOptions(), fillSample))
	for _, n := range []int{1, 8, 16, 4096} {
		var corrupt *CorruptError
		if _, err := fromMemory(append(slices.Clone(data), make([]byte, n)...)); !errors.As(err, &corrupt) {
			t.Errorf("%d more bytes: got %v", n, err)
		}
	}
}

// TestBitFlips flips one bit of each byte in turn. Opening the file must fail, or the section with
// that byte must return an error, or the byte must be padding. Every result must be what was
// written, and Verify must find every flip.
func TestBitFlips(t *testing.T) {
	testenv.SkipUnderRace(t)
	data := readFile(t, write(t, sampleOptions(), fillSample))
	whole, err := fromMemory(data)
	if err != nil {
		t.Fatal(err)
	}
	want, errs := dumpAll(whole)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for i := range data {
		flipped := slices.Clone(data)
		flipped[i] ^= 1 << (i % 8)
		f, err := fromMemory(flipped)
		if err != nil {
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.Section != "header" && corrupt.Section != "footer" {
				t.Fatalf("byte %d: got %v", i, err)
			}
			continue
		}
		checkBitFlip(t, f, whole.sectionAt(i), want)
	}
}

// checkBitFlip checks a file with a flipped bit in one of its sections or in the padding.
func checkBitFlip(t *testing.T, f *File, damaged string, want map[string]string) {
	t.Helper()
	var corrupt *CorruptError
	if err := f.Verify(); !errors.As(err, &corrupt) || corrupt.Section != damaged || corrupt.Path != "memory.seg" {
		t.Fatalf("section %s: Verify: got %v", damaged, err)
	}
	if damaged != "padding" {
		s := f.sections[damaged]
		if _, err := dump(f, s.name, s.kind); !errors.As(err, &corrupt) || corrupt.Section != damaged {
			t.Fatalf("section %s: got %v", damaged, err)
		}
		return
	}
	texts, errs := dumpAll(f)
	if len(errs) > 0 {
		t.Fatalf("padding: got %v", errs)
	}
	for name, text := range texts {
		if text != want[name] {
			t.Fatalf("padding: section %s has changed", name)
		}
	}
}

// sectionAt returns the section that contains a byte of the file, or "padding".
func (f *File) sectionAt(i int) string {
	for _, e := range f.footer.sections {
		if uint64(i) >= e.offset && uint64(i) < e.offset+e.length {
			return e.name
		}
	}
	return "padding"
}

func TestOtherSectionsOfCorruptFile(t *testing.T) {
	data := readFile(t, write(t, sampleOptions(), fillSample))
	whole, err := fromMemory(slices.Clone(data))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := dumpAll(whole)
	data[whole.sections["lists"].offset] ^= 1
	f, err := fromMemory(data)
	if err != nil {
		t.Fatal(err)
	}
	texts, errs := dumpAll(f)
	if len(errs) != 1 || errs["lists"] == nil {
		t.Fatalf("got errors %v, want one for lists", errs)
	}
	if got, want := errs["lists"].Error(), "segment memory.seg is damaged: lists: checksum mismatch"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, text := range texts {
		if text != want[name] {
			t.Errorf("section %s has changed", name)
		}
	}
}

func TestOtherBlocksOfCorruptBlobs(t *testing.T) {
	data := readFile(t, write(t, sampleOptions(), fillSample))
	f, err := fromMemory(data)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Blobs("text")
	if err != nil {
		t.Fatal(err)
	}
	second := b.entry(1)
	data[f.sections["text"].offset+second.offset+3] ^= 0x10
	r := b.Reader()
	for _, tt := range []struct {
		row uint32
		ok  bool
	}{{second.firstRow - 1, true}, {second.firstRow, false}, {b.endRow(1) - 1, false}, {b.endRow(1), true}, {second.firstRow - 1, true}} {
		_, err := r.Get(tt.row)
		var corrupt *CorruptError
		if tt.ok && err != nil || !tt.ok && !errors.As(err, &corrupt) {
			t.Errorf("row %d: got %v, want ok %t", tt.row, err, tt.ok)
		}
	}
}
