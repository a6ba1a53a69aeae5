package people

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// maxFileBytes limits the uncompressed size of a model file.
const maxFileBytes = 32 << 20

var errShort = errors.New("the file is truncated")

// A file is an uncompressed model file that is read sequentially. After an error, reads return
// zeros.
type file struct {
	rest []byte
	err  error
}

// unpack opens a model file: the version, followed by a deflate stream.
func unpack(packed []byte) *file {
	if len(packed) == 0 || packed[0] != FileVersion {
		return &file{err: fmt.Errorf("not a model file of version %d", FileVersion)}
	}
	stream := flate.NewReader(bytes.NewReader(packed[1:]))
	rest, err := io.ReadAll(io.LimitReader(stream, maxFileBytes))
	return &file{rest: rest, err: err}
}

// bytes returns the next n bytes.
func (f *file) bytes(n int) []byte {
	if f.err == nil && (n < 0 || n > len(f.rest)) {
		f.err = errShort
	}
	if f.err != nil {
		return nil
	}
	b := f.rest[:n:n]
	f.rest = f.rest[n:]
	return b
}

// count reads the number of items that follow.
func (f *file) count() int {
	n, size := binary.Uvarint(f.rest)
	if f.err == nil && (size <= 0 || n > maxFileBytes) {
		f.err = errShort
	}
	if f.err != nil {
		return 0
	}
	f.rest = f.rest[size:]
	return int(n)
}

func (f *file) float() float32 {
	b := f.bytes(4)
	if b == nil {
		return 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

// list calls add with n sorted words. Words are prefix-compressed: each starts with a capital
// letter for the number of letters shared with the previous word (A for none), followed by the
// remaining letters.
func (f *file) list(n int, add func(word []byte)) {
	var word []byte
	for range n {
		if f.err != nil || len(f.rest) == 0 || int(f.rest[0])-'A' > len(word) || f.rest[0] < 'A' {
			f.bytes(len(f.rest) + 1)
			return
		}
		word = word[:f.rest[0]-'A']
		end := 1
		for end < len(f.rest) && 'a' <= f.rest[end] && f.rest[end] <= 'z' {
			end++
		}
		word = append(word, f.rest[1:end]...)
		f.rest = f.rest[end:]
		add(word)
	}
}
