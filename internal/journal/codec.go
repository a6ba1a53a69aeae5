package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"earshot"
)

// An encoded entry is a version byte and zstd-compressed lines of JSON: a head,
// then one line for each post. Lines let the reader count before it allocates.
const formatVersion = 1

// What an encoded entry may hold at most. A reader refuses more, so that a bad
// message cannot exhaust memory, and a writer splits.
const (
	MaxPosts   = 10_000
	maxDecoded = 64 << 20
)

// ErrTooLarge says that an entry does not fit into one encoding.
var ErrTooLarge = errors.New("journal: entry is too large")

// Encode returns the durable form of e. It fails with ErrTooLarge when e has to
// be divided, and when e is not exactly one kind of change.
func Encode(e Entry) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if len(e.Posts) > MaxPosts {
		return nil, ErrTooLarge
	}
	lines, err := encodeLines(e)
	if err != nil {
		return nil, fmt.Errorf("encode journal entry: %w", err)
	}
	if len(lines) > maxDecoded {
		return nil, ErrTooLarge
	}
	return compressor().EncodeAll(lines, append(make([]byte, 0, len(lines)/3), formatVersion)), nil
}

// Decode reads what Encode wrote. It uses no more than a fixed amount of memory
// whatever data is.
func Decode(data []byte) (Entry, error) {
	if len(data) == 0 {
		return Entry{}, errors.New("decode journal entry: no data")
	}
	if data[0] != formatVersion {
		return Entry{}, fmt.Errorf("decode journal entry: unknown format version %d", data[0])
	}
	lines, err := decompressor().DecodeAll(data[1:], nil)
	if err != nil {
		return Entry{}, fmt.Errorf("decode journal entry: %w", err)
	}
	e, err := decodeLines(lines)
	if err != nil {
		return Entry{}, fmt.Errorf("decode journal entry: %w", err)
	}
	return e, e.check()
}

// check returns an error unless e is exactly one kind of change.
func (e Entry) check() error {
	kinds := 0
	for _, set := range []bool{len(e.Posts) > 0, e.Deletion != nil, e.Figures != nil} {
		if set {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("journal: an entry is one kind of change, not %d", kinds)
	}
	return nil
}

func encodeLines(e Entry) ([]byte, error) {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false) // post URLs carry ampersands
	if err := enc.Encode(newHead(e)); err != nil {
		return nil, err
	}
	var line postLine
	for i := range e.Posts {
		line = newPostLine(&e.Posts[i])
		if err := enc.Encode(&line); err != nil {
			return nil, fmt.Errorf("post %d: %w", i, err)
		}
	}
	return lines.Bytes(), nil
}

func decodeLines(lines []byte) (Entry, error) {
	line, rest, _ := bytes.Cut(lines, newline)
	var h head
	if err := json.Unmarshal(line, &h); err != nil {
		return Entry{}, err
	}
	e := h.entry()
	var err error
	e.Posts, err = decodePosts(rest, h.Posts)
	return e, err
}

func decodePosts(lines []byte, n int) ([]earshot.Post, error) {
	if found := bytes.Count(lines, newline); n != found || n > MaxPosts {
		return nil, fmt.Errorf("%d posts announced, %d lines found, at most %d allowed", n, found, MaxPosts)
	}
	if n == 0 {
		return nil, nil
	}
	posts := make([]earshot.Post, n)
	for i := range posts {
		var text []byte
		text, lines, _ = bytes.Cut(lines, newline)
		var line postLine
		if err := json.Unmarshal(text, &line); err != nil {
			return nil, fmt.Errorf("post %d: %w", i, err)
		}
		posts[i] = line.post()
	}
	return posts, nil
}

var newline = []byte{'\n'}

// The compressor and the decompressor are costly to make and serve many callers
// at a time.
var (
	compressor = sync.OnceValue(func() *zstd.Encoder {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // only for options out of range
		}
		return w
	})
	decompressor = sync.OnceValue(func() *zstd.Decoder {
		r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxDecoded))
		if err != nil {
			panic(err) // only for options out of range
		}
		return r
	})
)
