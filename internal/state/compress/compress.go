// Package compress compresses the messages of the journal and of streams with zstd.
package compress

import (
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
