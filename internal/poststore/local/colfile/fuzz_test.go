package colfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/test/testenv"
)

// FuzzOpen opens arbitrary bytes, both unchanged and with all checksums corrected so that malformed
// bytes get past them. Nothing may panic or read out of bounds, and every error must be a
// CorruptError.
func FuzzOpen(f *testing.F) {
	for _, fill := range []func(w *Writer) error{
		func(w *Writer) error { return nil },
		func(w *Writer) error { return w.Uints("n", Values(make([]uint8, 300))) },
		func(w *Writer) error { return w.Strings("s", bytesOf(manyTexts(20))) },
		func(w *Writer) error {
			return w.Lists("l", 500, slices.Values(slices.Repeat([][]uint32{{400, 1}}, 300)))
		},
		func(w *Writer) error { return w.Sets("s", numbered([][]uint32{{1, 5, 299}, {}, {7}, between(0, 299)})) },
		func(w *Writer) error { return w.Sets("s", keyed(map[uint64][]uint32{5: {7}, 1 << 40: {0, 299}})) },
		func(w *Writer) error {
			return w.Blobs("b", withoutErrors(slices.Repeat([][]byte{[]byte("tweet"), nil, {1}}, 100)))
		},
	} {
		f.Add(readFile(f, write(f, Options{Rows: 300, BlockSize: 200}, fill)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		use(t, slices.Clone(data))
		use(t, repair(slices.Clone(data)))
	})
}

// use reads everything that can be read.
func use(t *testing.T, data []byte) {
	f, err := fromMemory(data)
	if err != nil {
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) && !errors.Is(err, ErrVersion) {
			t.Fatalf("got %v", err)
		}
		return
	}
	for _, s := range f.Sections() {
		useSection(t, f, s)
	}
	f.Verify()
}

func useSection(t *testing.T, f *File, s Section) {
	var err error
	if s.Kind == KindSets {
		err = useSets(f, s.Name)
	} else {
		_, err = dump(f, s.Name, s.Kind)
	}
	var corrupt *CorruptError
	if err != nil && !errors.As(err, &corrupt) {
		t.Fatalf("section %q: got %v", s.Name, err)
	}
}

// useSets reads only the first rows of each set because a few bytes can encode billions of rows.
func useSets(f *File, name string) error {
	sets, err := f.Sets(name)
	if err != nil {
		return err
	}
	for key := range sets.Keys() {
		n := 0
		for row := range sets.Rows(key) {
			if uint64(row) >= uint64(f.Rows()) || !sets.Contains(key, row) {
				return fmt.Errorf("set %d: row %d of %d", key, row, f.Rows())
			}
			if n++; n == 100 {
				break
			}
		}
		sets.Bitmap(key).Contains(1)
	}
	if f.Rows() < 1<<20 {
		sets.Or(sets.Keys(), roaring.New())
	}
	return nil
}

// repair corrects all checksums of a file, as far as the footer can be read.
func repair(data []byte) []byte {
	size := len(data)
	if size < headerSize+trailerSize {
		return data
	}
	length := uint64(le.Uint32(data[size-trailerSize:]))
	if length < 4 || length > uint64(size-headerSize-trailerSize) {
		return data
	}
	foot := data[uint64(size-trailerSize)-length : size-trailerSize]
	if decoded, err := decodeFooter(foot[4:]); err == nil {
		for i := range decoded.sections {
			repairSection(&decoded.sections[i], decoded.rows, data)
		}
		copy(foot[4:], decoded.encode()[4:])
	}
	le.PutUint32(data[size-trailerSize+4:], crc32.Checksum(foot, castagnoli))
	return data
}

func repairSection(e *entry, rows uint64, data []byte) {
	if e.offset > uint64(len(data)) || e.length > uint64(len(data))-e.offset || e.check(rows) != nil {
		return
	}
	form, _ := codecFor(e.kind)
	e.crc = crc32.Checksum(form.checksummed(&rawSection{*e, "", rows, data[e.offset : e.offset+e.length]}), castagnoli)
}

// TestMalformedSections does the same for every byte of the sample's sections, without fuzzing.
func TestMalformedSections(t *testing.T) {
	testenv.SkipUnderRace(t)
	data := readFile(t, write(t, sampleOptions(), fillSample))
	whole, err := fromMemory(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range whole.Sections() {
		e := whole.sections[s.Name].entry
		for i := e.offset; i < e.offset+e.length; i++ {
			for _, b := range []byte{0xff, data[i] ^ 1<<(i%8)} {
				if s.Kind == KindUints && i%32 > 0 {
					continue // a few bytes suffice
				}
				changed := slices.Clone(data)
				changed[i] = b
				f, err := fromMemory(repair(changed))
				if err != nil {
					t.Fatal(err)
				}
				useSection(t, f, s)
				f.sections[s.Name].verify() // may or may not return an error
			}
		}
	}
}

// TestMalformedFooter replaces every number in the footer with other values, with correct
// checksums.
func TestMalformedFooter(t *testing.T) {
	testenv.SkipUnderRace(t)
	data := readFile(t, write(t, sampleOptions(), fillSample))
	end := len(data) - trailerSize - int(le.Uint32(data[len(data)-trailerSize:]))
	values := []uint64{0, 1, 2, 7, 8, 255, 300, 301, 4096, uint64(end), 1 << 31, 1<<32 - 1, 1 << 32, 1 << 60, 1 << 61, 1 << 63, 1<<64 - 8, 1<<64 - 1}
	for n := 0; ; n++ {
		for _, v := range values {
			foot, err := decodeFooter(data[end+4 : len(data)-trailerSize])
			if err != nil {
				t.Fatal(err)
			}
			fields := []*uint64{&foot.rows}
			for i := range foot.sections {
				e := &foot.sections[i]
				fields = append(fields, &e.offset, &e.length, &e.count, &e.param[0], &e.param[1], &e.param[2], &e.param[3])
			}
			if n == len(fields) {
				return
			}
			*fields[n] = v
			use(t, repair(withFooter(data[:end], foot)))
		}
	}
}

// withFooter returns sections with another footer.
func withFooter(sections []byte, f *footer) []byte {
	foot := f.encode()
	data := append(slices.Clone(sections), foot...)
	data = le.AppendUint32(data, uint32(len(foot)))
	data = le.AppendUint32(data, crc32.Checksum(foot, castagnoli))
	return append(data, magic...)
}
