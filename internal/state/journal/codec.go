package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/state/compress"
)

// An encoded entry consists of a version byte and zstd-compressed data: a header, which is one line
// of JSON, followed by the posts in the format of post.go.
const formatVersion = 1

// MaxPosts is the maximum number of posts in an encoded entry. Readers reject more, so a damaged
// message cannot exhaust memory; writers split larger entries.
const MaxPosts = 10_000

// MaxLooks is the maximum number of looks in an entry. Writers append several entries instead.
const MaxLooks = 500

// ErrTooLarge means that an entry does not fit into one message and must be split.
var ErrTooLarge = errors.New("journal: entry is too large")

// Encode returns the stored form of e. It fails with [ErrTooLarge] if e must be split, and with
// another error unless e contains exactly one kind of change.
func Encode(e Entry) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if len(e.Posts) > MaxPosts {
		return nil, ErrTooLarge
	}
	if len(e.Looks) > MaxLooks {
		return nil, fmt.Errorf("encode journal entry: %d looks, at most %d are allowed", len(e.Looks), MaxLooks)
	}
	data, err := encode(e)
	if err != nil {
		return nil, fmt.Errorf("encode journal entry: %w", err)
	}
	if len(data) > compress.MaxDecoded {
		return nil, ErrTooLarge
	}
	return compress.Append(append(make([]byte, 0, len(data)/3), formatVersion), data), nil
}

// Decode decodes the result of [Encode]. Its memory use is bounded even for malformed data.
func Decode(data []byte) (Entry, error) {
	if len(data) == 0 {
		return Entry{}, errors.New("decode journal entry: no data")
	}
	if data[0] != formatVersion {
		return Entry{}, fmt.Errorf("decode journal entry: unknown format version %d", data[0])
	}
	data, err := compress.Decode(data[1:])
	if err != nil {
		return Entry{}, fmt.Errorf("decode journal entry: %w", err)
	}
	e, err := decode(data)
	if err != nil {
		return Entry{}, fmt.Errorf("decode journal entry: %w", err)
	}
	return e, e.check()
}

// DecodeOrigin returns the origin of an encoded entry, or nil. It is much faster than [Decode],
// because it reads only the header.
func DecodeOrigin(data []byte) (*Origin, error) {
	if len(data) == 0 || data[0] != formatVersion {
		return nil, errors.New("decode origin of journal entry: unknown format")
	}
	line, err := compress.DecodeLine(data[1:])
	if err != nil {
		return nil, fmt.Errorf("decode origin of journal entry: %w", err)
	}
	if !bytes.Contains(line, []byte(`"origin"`)) {
		return nil, nil // most headers are short, except those of deletions
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, fmt.Errorf("decode origin of journal entry: %w", err)
	}
	return h.origin(), nil
}

// WithoutCursor returns an encoded entry without the cursor and the counters of its origin. An entry
// that is appended again must not move its source back. Data that cannot be decoded is returned as
// it is.
func WithoutCursor(data []byte) []byte {
	o, err := DecodeOrigin(data)
	if err != nil || o == nil || !o.IsPosition() {
		return data
	}
	e, err := Decode(data)
	if err != nil {
		return data
	}
	e.Origin.Cursor, e.Origin.Counters = "", ""
	without, err := Encode(e)
	if err != nil {
		return data
	}
	return without
}

// check returns an error unless e contains exactly one kind of change.
func (e Entry) check() error {
	kinds := 0
	for _, set := range []bool{len(e.Posts) > 0, e.Deletion != nil, e.Snapshots != nil, e.Pictures != nil, len(e.Looks) > 0} {
		if set {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("journal: an entry must contain one kind of change, got %d", kinds)
	}
	return nil
}

func encode(e Entry) ([]byte, error) {
	data, err := json.Marshal(newHeader(e))
	if err != nil {
		return nil, err
	}
	data = append(slices.Grow(data, 512*len(e.Posts)), '\n')
	for i := range e.Posts {
		data = AppendPost(data, &e.Posts[i])
	}
	return data, nil
}

func decode(data []byte) (Entry, error) {
	line, rest, _ := bytes.Cut(data, []byte{'\n'})
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return Entry{}, err
	}
	if h.Posts < 0 || h.Posts > min(MaxPosts, len(rest)) {
		return Entry{}, fmt.Errorf("%d posts announced, at most %d in %d bytes are allowed", h.Posts, MaxPosts, len(rest))
	}
	if len(h.Looks) > MaxLooks {
		return Entry{}, fmt.Errorf("%d looks, at most %d are allowed", len(h.Looks), MaxLooks)
	}
	e := h.entry()
	r := reader{data: string(rest)}
	if h.Posts > 0 {
		e.Posts = make([]earshot.Post, h.Posts)
	}
	for i := range e.Posts {
		if err := r.post(&e.Posts[i]); err != nil {
			return Entry{}, fmt.Errorf("post %d: %w", i, err)
		}
	}
	if r.offset != len(r.data) {
		return Entry{}, fmt.Errorf("%d bytes follow the last post", len(r.data)-r.offset)
	}
	return e, nil
}
