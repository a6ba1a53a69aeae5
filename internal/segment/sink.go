package segment

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

const sinkSize = 256 << 10

// A sink is where a section's bytes go: it gathers them, counts them and sums them up.
// The first error stays and swallows everything after it, so that those who write look
// for it once in a while and not after every byte.
type sink struct {
	out io.Writer
	buf []byte // not written yet
	crc uint32 // of what was written since reset
	n   uint64 // bytes since the beginning of the section
	err error
}

// begin starts a section.
func (s *sink) begin() { s.n, s.crc = 0, 0 }

// Write never fails; it is for those who want an io.Writer.
func (s *sink) Write(p []byte) (int, error) {
	s.n += uint64(len(p))
	s.buf = append(s.buf, p...)
	if len(s.buf) >= sinkSize {
		s.flush()
	}
	return len(p), nil
}

func (s *sink) uvarint(v uint64) {
	var b [binary.MaxVarintLen64]byte
	s.Write(b[:binary.PutUvarint(b[:], v)])
}

func (s *sink) words(words []uint64) {
	for _, w := range words {
		var b [8]byte
		le.PutUint64(b[:], w)
		s.Write(b[:])
	}
}

// pad fills up to a multiple of 8.
func (s *sink) pad() {
	var zeros [8]byte
	s.Write(zeros[:align(s.n)-s.n])
}

// flush hands over what was gathered and returns the first error of all.
func (s *sink) flush() error {
	if s.err == nil {
		s.crc = crc32.Update(s.crc, castagnoli, s.buf)
		_, s.err = s.out.Write(s.buf)
	}
	s.buf = s.buf[:0]
	return s.err
}
