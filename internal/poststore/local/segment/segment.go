// Package segment is a file of posts: a segment whose columns are what Earshot asks
// posts for. It is written once, from posts (Write) or from other such files (Merge),
// and answers questions about itself: which rows does a selection pick (Select), how
// many are there by what (Count), and the posts themselves (Posts).
//
// The idea: rows stand in the reverse order of earshot.ComparePosts, oldest first.
// So the posts of a stretch of time are a run of rows, days and hours are cut out by
// binary search, and the newest posts are read from the end.
//
// A file knows nothing of other files. Which of them there are, which rows were deleted
// or replaced and which monitors were changed since is left to the store.
package segment

import (
	"bytes"
	"encoding/binary"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// A Segment is an open file of posts. It is safe for parallel use.
type Segment struct {
	*colfile.File
	keyCache        keyCache
	lateInferred    lateColumns
	latePictures    lateColumns
	lateAddresses   lateColumns
	lateSurnames    lateColumns
	surnamePercents percentCache
	lateCashtags    lateColumns
	zoneCache       zoneCache
	authorHashes    authorHashCache
}

// Open opens a file that Write or Merge wrote. Errors about its contents are
// *colfile.CorruptError, here and wherever the file is read.
func Open(path string) (*Segment, error) {
	f, err := colfile.Open(path)
	if err != nil {
		return nil, err
	}
	return &Segment{File: f}, nil
}

// A Key identifies a post, as earshot.PostKey does: it is a part of that one's SHA-256, so
// nobody can make two posts that have the same.
type Key [12]byte

// KeyOf returns the key that stands for a post's identity.
func KeyOf(k earshot.PostKey) Key { return Key(poststore.KeySum(k)) }

// Compare orders keys.
func (k Key) Compare(other Key) int { return bytes.Compare(k[:], other[:]) }

// high and low are the two columns that a key is kept in.
func (k Key) high() uint64 { return binary.BigEndian.Uint64(k[:8]) }
func (k Key) low() uint32  { return binary.BigEndian.Uint32(k[8:]) }

func newKey(high uint64, low uint32) (k Key) {
	binary.BigEndian.PutUint64(k[:8], high)
	binary.BigEndian.PutUint32(k[8:], low)
	return k
}

// Seconds returns what the column of times has for a moment: seconds since 1970,
// shifted so that none are negative.
func Seconds(t time.Time) uint64 { return uint64(t.Unix()) + 1<<63 }

// timeOf is the reverse of Seconds.
func timeOf(seconds uint64, nanos uint32) time.Time {
	return time.Unix(int64(seconds-1<<63), int64(nanos)).UTC()
}
