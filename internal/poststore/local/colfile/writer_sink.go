package colfile

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"
)

const sinkSize = 256 << 10

// A sink buffers, counts and checksums the bytes of a section. After the first error, it discards
// all further bytes, so callers need to check err only occasionally.
type sink struct {
	out    io.Writer
	buf    []byte // bytes not written yet
	summed int    // number of bytes in buf that crc covers already or excludes
	crc    uint32 // checksum since resetChecksum
	n      uint64 // number of bytes in the section so far
	err    error
}

// sinkBuffers recycles the buffers of sinks because many files are smaller than one buffer.
var sinkBuffers = sync.Pool{New: func() any { return new([]byte) }}

func newSink(out io.Writer) sink {
	return sink{out: out, buf: (*sinkBuffers.Get().(*[]byte))[:0]}
}

// close recycles the buffer.
func (s *sink) close() {
	buf := s.buf
	s.buf = nil
	if cap(buf) <= 4*sinkSize {
		sinkBuffers.Put(&buf)
	}
}

// begin starts a section.
func (s *sink) begin() {
	s.n = 0
	s.resetChecksum()
}

// resetChecksum starts a new checksum.
func (s *sink) resetChecksum() { s.crc, s.summed = 0, len(s.buf) }

// checksum returns the checksum of the bytes written since resetChecksum.
func (s *sink) checksum() uint32 {
	s.crc = crc32.Update(s.crc, castagnoli, s.buf[s.summed:])
	s.summed = len(s.buf)
	return s.crc
}

// Write implements [io.Writer]. It never returns an error; flush does.
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

func (s *sink) uint64s(words []uint64) {
	for _, w := range words {
		s.uint(w, 8)
	}
}

// uint writes a number in 1, 2, 4 or 8 bytes.
func (s *sink) uint(v, width uint64) {
	switch width {
	case 1:
		s.buf = append(s.buf, byte(v))
	case 2:
		s.buf = le.AppendUint16(s.buf, uint16(v))
	case 4:
		s.buf = le.AppendUint32(s.buf, uint32(v))
	default:
		s.buf = le.AppendUint64(s.buf, v)
	}
	s.n += width
	if len(s.buf) >= sinkSize {
		s.flush()
	}
}

// pad writes zeros up to a multiple of 8 bytes.
func (s *sink) pad() {
	var zeros [8]byte
	s.Write(zeros[:align(s.n)-s.n])
}

// flush writes the buffer and returns the first error so far.
func (s *sink) flush() error {
	if s.err == nil {
		s.checksum()
		_, s.err = s.out.Write(s.buf)
	}
	s.buf, s.summed = s.buf[:0], 0
	return s.err
}
