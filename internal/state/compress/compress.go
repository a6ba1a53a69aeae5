// Package compress compresses the messages of the journal and of streams with zstd.
package compress

import (
	"bufio"
	"bytes"
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// MaxDecoded is the maximum size of a message that Decode returns, so a damaged message cannot
// exhaust memory.
const MaxDecoded = 64 << 20

// Append appends the compressed form of data to dst.
func Append(dst, data []byte) []byte { return encoder().EncodeAll(data, dst) }

// Decode decompresses the result of [Append].
func Decode(data []byte) ([]byte, error) { return decoder().DecodeAll(data, nil) }

// DecodeLine decompresses only the first line of the result of [Append], without its newline.
func DecodeLine(data []byte) ([]byte, error) {
	d := lineReader()
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.zstd.Reset(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	d.buffer.Reset(d.zstd)
	var line []byte
	for {
		part, err := d.buffer.ReadSlice('\n')
		if line = append(line, part...); len(line) > MaxDecoded {
			return nil, errors.New("the first line is too long")
		}
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// A lineDecoder decodes the start of a message, block by block.
type lineDecoder struct {
	mu     sync.Mutex // guards the fields below
	zstd   *zstd.Decoder
	buffer *bufio.Reader
}

var lineReader = sync.OnceValue(func() *lineDecoder {
	d := must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(MaxDecoded)))
	return &lineDecoder{zstd: d, buffer: bufio.NewReaderSize(nil, 4<<10)}
})

// The encoder and the decoder are expensive to create and safe for concurrent use.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true)))
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		return must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(MaxDecoded)))
	})
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // only for invalid options
	}
	return v
}
