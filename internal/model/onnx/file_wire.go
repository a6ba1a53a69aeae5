package onnx

import (
	"encoding/binary"
	"errors"
)

// errWire reports that the encoding itself is invalid.
var errWire = errors.New("not a valid ONNX file")

// Wire types of protocol buffers.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// A message is an encoded protocol buffer message, read field by field.
type message struct {
	rest []byte
	err  error // first error

	field  int
	kind   int
	number uint64 // value of a varint or fixed-size field
	bytes  []byte // value of a length-delimited field; references the file
}

// next reads a field. It returns false at the end and at the first error.
func (m *message) next() bool {
	if m.err != nil || len(m.rest) == 0 {
		return false
	}
	tag := m.varint()
	m.field, m.kind = int(tag>>3), int(tag&7)
	switch m.kind {
	case wireVarint:
		m.number = m.varint()
	case wireFixed64:
		if b := m.take(8); b != nil {
			m.number = binary.LittleEndian.Uint64(b)
		}
	case wireFixed32:
		if b := m.take(4); b != nil {
			m.number = uint64(binary.LittleEndian.Uint32(b))
		}
	case wireBytes:
		m.bytes = m.take(m.varint())
	default:
		m.err = errWire
	}
	return m.err == nil
}

func (m *message) varint() uint64 {
	v, n := binary.Uvarint(m.rest)
	if n <= 0 {
		m.err = errWire
		return 0
	}
	m.rest = m.rest[n:]
	return v
}

func (m *message) take(n uint64) []byte {
	if m.err != nil || n > uint64(len(m.rest)) {
		m.err = errWire
		return nil
	}
	b := m.rest[:n:n]
	m.rest = m.rest[n:]
	return b
}

// maxPacked is the maximum size of a packed field. Numbers grow when unpacked; large tensors use
// raw bytes instead.
const maxPacked = 64 << 20

// numbers appends the values of a repeated numeric field, which may be packed or not.
func (m *message) numbers(to []uint64, packed int) []uint64 {
	if m.kind != wireBytes {
		return append(to, m.number)
	}
	if len(m.bytes) > maxPacked {
		m.err = errWire
		return to
	}
	values := message{rest: m.bytes}
	for len(values.rest) > 0 && values.err == nil {
		switch packed {
		case wireFixed32:
			if b := values.take(4); b != nil {
				to = append(to, uint64(binary.LittleEndian.Uint32(b)))
			}
		case wireFixed64:
			if b := values.take(8); b != nil {
				to = append(to, binary.LittleEndian.Uint64(b))
			}
		default:
			if v := values.varint(); values.err == nil {
				to = append(to, v)
			}
		}
	}
	if values.err != nil {
		m.err = values.err
	}
	return to
}
