package colfile

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"
)

const sinkSize = 256 << 10

// A sink is where a section's bytes go: it gathers them, counts them and sums them up.
// The first error stays and swallows everything after it, so that those who write look
// for it once in a while and not after every byte.
type sink struct {
	out    io.Writer
	buf    []byte // not written yet
	summed int    // bytes of it that are in crc, or before what it is about
	crc    uint32 // since resetChecksum
	n      uint64 // bytes since the beginning of the section
	err    error
}

// sinkBuffers keeps the memory of sinks for the next ones: many files are smaller.
var sinkBuffers = sync.Pool{New: func() any { return new([]byte) }}

func newSink(out io.Writer) sink {
	return sink{out: out, buf: (*sinkBuffers.Get().(*[]byte))[:0]}
}

// close ends the use of the sink.
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

// resetChecksum makes the sum one of what follows.
func (s *sink) resetChecksum() { s.crc, s.summed = 0, len(s.buf) }

// checksum returns the checksum of what was written since resetChecksum.
func (s *sink) checksum() uint32 {
	s.crc = crc32.Update(s.crc, castagnoli, s.buf[s.summed:])
	s.summed = len(s.buf)
	return s.crc
}

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

func (s *sink) uint64s(words []uint64) {
	for _, w := range words {
		s.uint(w, 8)
	}
}

// uint writes a number of 1, 2, 4 or 8 bytes.
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

// pad fills up to a multiple of 8.
func (s *sink) pad() {
	var zeros [8]byte
	s.Write(zeros[:align(s.n)-s.n])
}

// flush hands over what was gathered and returns the first error of all.
func (s *sink) flush() error {
	if s.err == nil {
		s.checksum()
		_, s.err = s.out.Write(s.buf)
	}
	s.buf, s.summed = s.buf[:0], 0
	return s.err
}
