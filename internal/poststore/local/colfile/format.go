package colfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"unsafe"
)

const (
	magic   = "ESHTSEG\n"
	version = 1

	headerSize  = 16 // magic, version, 4 zero bytes
	trailerSize = 16 // length and CRC of the footer, magic

	maxRows   = math.MaxUint32 // row numbers and numbers of rows fit in 32 bits
	maxFooter = 16 << 20
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// An entry describes a section in the footer.
type entry struct {
	name   string
	kind   Kind
	offset uint64
	length uint64
	count  uint64
	param  [4]uint64 // their meaning depends on the kind
	crc    uint32
}

// A codec implements a kind of section.
type codec struct {
	kind Kind

	// checkEntry validates the footer entry without reading the section.
	checkEntry func(e *entry, rows uint64) error

	// checksummed returns the bytes that the section's checksum covers.
	checksummed func(s *rawSection) []byte

	// load returns a reader after checking that reading is safe, because malformed bytes may have a
	// valid checksum. It runs on first use, so it must be fast.
	load func(s *rawSection) (reader, error)
}

// A reader reads a section.
type reader interface {
	// verify checks what load does not. An error means that no Writer wrote these bytes, regardless
	// of their checksum.
	verify() error
}

// A rawSection is a section in a mapped file with its validated footer entry.
type rawSection struct {
	entry
	path string
	rows uint64
	data []byte
}

// codecs lists the kinds of sections.
var codecs = []codec{
	{KindUints, checkUintsEntry, checksumAll, loadUints},
	{KindStrings, checkStringsEntry, checksumAll, loadStrings},
	{KindLists, checkListsEntry, checksumAll, loadLists},
	{KindSets, checkSetsEntry, checksumAll, loadSets},
	{KindBlobs, checkBlobsEntry, checksumIndex, loadBlobs},
}

func codecFor(kind Kind) (codec, error) {
	for _, c := range codecs {
		if c.kind == kind {
			return c, nil
		}
	}
	return codec{}, fmt.Errorf("unknown kind %q", kind)
}

// checksumAll covers the entire section.
func checksumAll(s *rawSection) []byte { return s.data }

// align returns n rounded up to a multiple of 8.
func align(n uint64) uint64 { return (n + 7) &^ 7 }

// ceilDiv returns n/size, rounded up.
func ceilDiv(n, size uint64) uint64 { return n/size + min(n%size, 1) }

// checkLayout checks that a section consists of a stream, padding, and 8-byte words.
func checkLayout(e *entry, stream, words uint64) error {
	if stream > e.length || words > e.length/8 || e.length != align(stream)+8*words {
		return fmt.Errorf("%d bytes do not match %d bytes of data and %d words", e.length, stream, words)
	}
	return nil
}

// errMalformed is the reason for bytes that have a valid checksum but that no Writer would write.
var errMalformed = errors.New("malformed structure")

// view returns mapped bytes as numbers. newFile has verified that the machine is little-endian, and
// sections are aligned.
func view[T uint8 | uint16 | uint32 | uint64](data []byte) []T {
	var zero T
	n := len(data) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

// uvarint decodes a number of up to 63 bits and returns the remaining bytes. It returns false if
// the bytes end within the number or the number is larger.
func uvarint(b []byte) (v uint64, rest []byte, ok bool) {
	for i := 0; i < len(b) && i < 9; i++ {
		v |= uint64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}

// A footer lists the contents of a file.
type footer struct {
	rows     uint64
	meta     map[string]string
	sections []entry
}

// encode returns the footer as it is written to the file.
func (f *footer) encode() []byte {
	b := le.AppendUint32(nil, version)
	b = le.AppendUint64(b, f.rows)
	b = le.AppendUint32(b, uint32(len(f.meta)))
	for _, key := range slices.Sorted(maps.Keys(f.meta)) {
		b = appendText(appendText(b, key), f.meta[key])
	}
	b = le.AppendUint32(b, uint32(len(f.sections)))
	for _, e := range f.sections {
		b = appendText(b, e.name)
		b = append(b, e.kind...)
		for _, v := range []uint64{e.offset, e.length, e.count, e.param[0], e.param[1], e.param[2], e.param[3]} {
			b = le.AppendUint64(b, v)
		}
		b = le.AppendUint32(b, e.crc)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(le.AppendUint32(b, uint32(len(s))), s...)
}

// decodeFooter decodes the result of encode, without the version.
func decodeFooter(b []byte) (*footer, error) {
	d := &decoder{b: b}
	f := &footer{rows: d.uint64(), meta: map[string]string{}}
	for range d.uint32() {
		if d.truncated {
			break
		}
		key := d.text()
		f.meta[key] = d.text()
	}
	for range d.uint32() {
		if d.truncated {
			break
		}
		f.sections = append(f.sections, d.entry())
	}
	if d.truncated || len(d.b) > 0 {
		return nil, fmt.Errorf("malformed contents of %d bytes", len(b))
	}
	return f, nil
}

// A decoder consumes values from the front of b. If b ends early, truncated is set and all further
// values are zero.
type decoder struct {
	b         []byte
	truncated bool
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.truncated, d.b = true, nil
		return nil
	}
	head := d.b[:n]
	d.b = d.b[n:]
	return head
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return le.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return le.Uint64(b)
	}
	return 0
}

func (d *decoder) text() string { return string(d.take(uint64(d.uint32()))) }

func (d *decoder) entry() entry {
	e := entry{name: d.text(), kind: Kind(d.take(4))}
	e.offset, e.length, e.count = d.uint64(), d.uint64(), d.uint64()
	for i := range e.param {
		e.param[i] = d.uint64()
	}
	e.crc = d.uint32()
	return e
}

// check validates the footer, which starts at offset end. Adjacent sections are less than 8 bytes
// apart, so they neither overlap nor leave gaps.
func (f *footer) check(end uint64) error {
	if f.rows > maxRows {
		return fmt.Errorf("too many rows: %d", f.rows)
	}
	names := map[string]bool{}
	offset := uint64(headerSize)
	for i := range f.sections {
		e := &f.sections[i]
		if names[e.name] {
			return fmt.Errorf("duplicate section %q", e.name)
		}
		names[e.name] = true
		if e.offset != align(offset) || e.offset > end || e.length > end-e.offset {
			return fmt.Errorf("section %q has an invalid range: %d bytes at offset %d", e.name, e.length, e.offset)
		}
		offset = e.offset + e.length
		if err := e.check(f.rows); err != nil {
			return fmt.Errorf("section %q: %w", e.name, err)
		}
	}
	if align(offset) != end {
		return fmt.Errorf("sections end at offset %d, want %d", align(offset), end)
	}
	return nil
}

func (e *entry) check(rows uint64) error {
	c, err := codecFor(e.kind)
	if err != nil {
		return err
	}
	return c.checkEntry(e, rows)
}
