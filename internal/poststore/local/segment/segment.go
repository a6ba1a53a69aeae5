// Package segment implements a segment of posts: a write-once column file ([colfile]) with the
// columns and indexes that Earshot queries posts by. A segment is written from posts ([Write]) or
// from other segments ([Merge]). It selects rows ([Segment.Select]), counts them by dimension
// ([Segment.Count]) and reads posts ([Segment.Posts]).
//
// The central idea is the order of rows: the reverse of [earshot.ComparePosts], oldest first. The
// posts of a time range are therefore consecutive rows, days and hours are found by binary search,
// and the newest posts are at the end.
//
//	row                        0      1       2       3   …    oldest first
//	numbers     time           ▪      ▪       ▪       ▪
//	            likes          ▪      ▪       ▪       ▪
//	dictionary  site.names     ""  bbc.co.uk  x.com            sorted, "" first
//	            site           2      1       2       2        ids in the dictionary
//	lists       hashtags      [3]    []     [1 3]    []        ids in hashtag.names
//	terms       terms          ""   coffee   cold    tea       dictionary of terms
//	            words        [2 1]   [3]     [1]    [2 3]      forward index: terms in order
//	            postings     coffee→{0 2}  cold→{0 3}  …       inverted index: posting lists
//	sets        monitors     7→{0 2}  9→{1}  …                 rows by monitor
//	            flags        verified→{3}  …                   rows by flag
//	posts       posts        ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓           the posts, compressed
//
// For example, to find the phrase "cold tea", Select intersects the posting lists of cold {0 3} and
// tea {1 3}. It then checks the remaining row 3 against the forward index: [2 3] is cold, tea in
// that order, so the row matches. No post has to be decompressed.
//
// Files:
//
//	schema*.go            the sections and how a post fills them
//	write*.go             posts → segment
//	merge*.go             segments → segment, without deleted rows
//	read*.go              rows → posts, keys, times, words, sets
//	select*.go index*.go  selection → rows
//	rank*.go              rows → positions in an order, sketches of texts
//	count*.go dim*.go     rows → groups by dimension
//	sum*.go               groups of several segments → rows of a tally
//	late_columns.go       columns that older segments lack
//
// A segment is unaware of other segments. The store tracks which segments exist, which rows are
// deleted and which sets are overridden.
package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// A Segment is an open segment. It is safe for concurrent use.
type Segment struct {
	*colfile.File
	keyCache        keyCache
	lateInferred    lateColumns
	latePictures    lateColumns
	lateCells       lateColumns
	lateURLRuns     lateColumns
	lateSurnames    lateColumns
	surnamePercents percentCache
	lateCashtags    lateColumns
	zoneCache       zoneCache
	authorHashes    authorHashCache
}

// Open opens a segment written by [Write] or [Merge]. Open and all methods that read the segment
// report damage as *colfile.CorruptError.
func Open(path string) (*Segment, error) {
	f, err := colfile.Open(path)
	if err != nil {
		return nil, err
	}
	return &Segment{File: f}, nil
}

// openDictColumn opens a column of dictionary ids and its dictionary.
func (s *Segment) openDictColumn(column, dict string) (*colfile.Uints, *colfile.Strings, error) {
	values, err := s.Uints(column)
	if err != nil {
		return nil, nil, err
	}
	texts, err := s.Strings(dict)
	if err != nil {
		return nil, nil, err
	}
	if s.Rows() > 0 && values.Max() >= uint64(texts.Len()) {
		return nil, nil, s.corrupt(column, fmt.Sprintf("dictionary id %d, but only %d entries", values.Max(), texts.Len()))
	}
	return values, texts, nil
}

// openListColumn opens a column of lists of dictionary ids and its dictionary.
func (s *Segment) openListColumn(list, dict string) (*colfile.Lists, *colfile.Strings, error) {
	lists, err := s.Lists(list)
	if err != nil {
		return nil, nil, err
	}
	texts, err := s.Strings(dict)
	if err != nil {
		return nil, nil, err
	}
	if lists.Limit() > texts.Len() {
		return nil, nil, s.corrupt(list, fmt.Sprintf("dictionary ids below %d, but only %d entries", lists.Limit(), texts.Len()))
	}
	return lists, texts, nil
}

// corrupt returns an error for a section whose contents Write would never produce.
func (s *Segment) corrupt(section, reason string) error {
	return &colfile.CorruptError{Path: s.Path(), Section: section, Reason: reason}
}

// A Key identifies a post like [earshot.PostKey]. It is a prefix of that key's SHA-256, long enough
// that constructing a post with the Key of a given post is infeasible.
type Key poststore.KeySum

// KeyOf returns the Key of a post key.
func KeyOf(k earshot.PostKey) Key { return Key(poststore.SumOf(k)) }

// Compare returns the order of two keys as -1, 0 or 1.
func (k Key) Compare(other Key) int { return bytes.Compare(k[:], other[:]) }

// high and low return the values of the two columns that store a key.
func (k Key) high() uint64 { return binary.BigEndian.Uint64(k[:8]) }
func (k Key) low() uint32  { return binary.BigEndian.Uint32(k[8:]) }

func newKey(high uint64, low uint32) (k Key) {
	binary.BigEndian.PutUint64(k[:8], high)
	binary.BigEndian.PutUint32(k[8:], low)
	return k
}

// Seconds returns the value of the time column for t: Unix seconds plus 1<<63, so that values are
// never negative.
func Seconds(t time.Time) uint64 { return uint64(t.Unix()) + 1<<63 }

// timeOf is the inverse of [Seconds].
func timeOf(seconds uint64, nanos uint32) time.Time {
	return time.Unix(int64(seconds-1<<63), int64(nanos)).UTC()
}
