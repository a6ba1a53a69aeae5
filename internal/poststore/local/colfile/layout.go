package colfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"unsafe"
)

const (
	magic   = "ESHTSEG\n"
	version = 1

	headerSize  = 16 // magic, version, 4 zero bytes
	trailerSize = 16 // length and CRC of the footer, magic

	maxRows   = math.MaxUint32 // so that a row and a number of rows fit 32 bits
	maxFooter = 16 << 20
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// An entry is what the footer says about a section.
type entry struct {
	name   string
	kind   Kind
	offset uint64
	length uint64
	count  uint64
	param  [4]uint64 // what they mean depends on the kind
	crc    uint32
}

// A codec is what the package knows about a kind of section.
type codec struct {
	kind Kind

	// checkEntry checks what the footer says, without the section's bytes.
	checkEntry func(e *entry, rows uint64) error

	// checksummed returns the bytes that the section's checksum is about.
	checksummed func(s *rawSection) []byte

	// load returns the reader, after it has made sure that reading is safe: the bytes
	// may be nonsense with the right checksum, and a first use should not take long.
	load func(s *rawSection) (reader, error)
}

// A reader reads a section.
type reader interface {
	// verify checks what load left out. Where it finds something, the bytes are not
	// those of a Writer, whatever their checksum.
	verify() error
}

// A rawSection is a section in a mapped file. What the footer says about it was checked.
type rawSection struct {
	entry
	path string
	rows uint64
	data []byte
}

// codecs lists the kinds of sections.
func codecs() []codec {
	return []codec{
		{KindUints, checkUintsEntry, checksumAll, loadUints},
		{KindStrings, checkStringsEntry, checksumAll, loadStrings},
		{KindLists, checkListsEntry, checksumAll, loadLists},
		{KindSets, checkSetsEntry, checksumAll, loadSets},
		{KindBlobs, checkBlobsEntry, checksumIndex, loadBlobs},
	}
}

func codecFor(kind Kind) (codec, error) {
	for _, f := range codecs() {
		if f.kind == kind {
			return f, nil
		}
	}
	return codec{}, fmt.Errorf("unknown kind %q", kind)
}

// checksumAll is summed up in most sections.
func checksumAll(s *rawSection) []byte { return s.data }

// align returns the next multiple of 8.
func align(n uint64) uint64 { return (n + 7) &^ 7 }

// ceilDiv returns how many blocks of size hold n things.
func ceilDiv(n, size uint64) uint64 { return n/size + min(n%size, 1) }

// checkLayout checks that a section is a stream, padding, and whole words.
func checkLayout(e *entry, stream, words uint64) error {
	if stream > e.length || words > e.length/8 || e.length != align(stream)+8*words {
		return fmt.Errorf("%d bytes cannot be %d of data and %d words", e.length, stream, words)
	}
	return nil
}

// errMalformed is the reason when checked bytes have no meaning.
var errMalformed = errors.New("the structure makes no sense")

// view returns bytes of the mapping as numbers. They are aligned, and the machine is
// little-endian: newFile made sure of that.
func view[T uint8 | uint16 | uint32 | uint64](data []byte) []T {
	var zero T
	n := len(data) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

// uvarint reads a number of up to 63 bits and returns the rest. ok is false when the
// bytes end inside the number or the number is larger.
func uvarint(b []byte) (v uint64, rest []byte, ok bool) {
	for i := 0; i < len(b) && i < 9; i++ {
		v |= uint64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}
