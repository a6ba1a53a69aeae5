// Package segment is a segment of posts: a write-once column file ([colfile]) whose columns are
// what Earshot queries posts by. It is written from posts ([Write]) or from other segments
// ([Merge]), and answers queries about itself: which rows a selection matches
// ([Segment.Select]), how many there are by dimension ([Segment.Count]), and the posts
// themselves ([Segment.Posts]).
//
//	row                        0      1       2       3   …    oldest first
//	numbers     time           ▪      ▪       ▪       ▪
//	            likes          ▪      ▪       ▪       ▪
//	dictionary  site.names     ""  bbc.co.uk  x.com            sorted, "" first
//	            site           2      1       2       2        ids of the dictionary
//	lists       hashtags      [3]    []     [1 3]    []        ids of hashtag.names
//	terms       terms          ""   coffee   cold    tea       dictionary of terms
//	            words        [2 1]   [3]     [1]    [2 3]      forward index: terms in order
//	            postings     coffee→{0 2}  cold→{0 3}  …       inverted index: posting lists
//	sets        monitors     7→{0 2}  9→{1}  …                 rows by monitor
//	            flags        verified→{3}  …                   rows by flag
//	posts       posts        ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓           the posts, compressed
//
// The one idea: rows are in the reverse order of earshot.ComparePosts, oldest first. So the
// posts of a time range are a run of rows, days and hours are found by binary search, and the
// newest posts are read from the end.
//
// Where to look:
//
//	schema*.go           the sections and how a post fills them
//	write*.go            posts → segment
//	merge*.go            segments → segment, without deleted rows
//	read*.go             rows → posts, keys, times, words, sets
//	select*.go index*.go selection → rows
//	count*.go dim*.go    rows → groups by dimension; sum*.go adds up several segments
//	late_columns.go      columns that older segments lack
//
// A segment knows nothing about other segments. Which ones exist, which rows are deleted and
// which sets have overrides is up to the store.
package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// A Segment is an open segment. It is safe for concurrent use.
type Segment struct {
	*colfile.File
	keyCache        keyCache
	lateInferred    lateColumns
	latePictures    lateColumns
	lateURLRuns     lateColumns
	lateSurnames    lateColumns
	surnamePercents percentCache
	lateCashtags    lateColumns
	zoneCache       zoneCache
	authorHashes    authorHashCache
}

// Open opens a segment that Write or Merge wrote. Errors about its contents are
// *colfile.CorruptError, here and wherever it is read.
func Open(path string) (*Segment, error) {
	f, err := colfile.Open(path)
	if err != nil {
		return nil, err
	}
	return &Segment{File: f}, nil
}

// openDictColumn opens a column of numbers and the dictionary they refer to.
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
		return nil, nil, s.corrupt(column, fmt.Sprintf("number %d of %d names", values.Max(), texts.Len()))
	}
	return values, texts, nil
}

// openListColumn opens a column of lists and the dictionary that their numbers refer to.
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
		return nil, nil, s.corrupt(list, fmt.Sprintf("numbers up to %d of %d names", lists.Limit(), texts.Len()))
	}
	return lists, texts, nil
}

// corrupt returns the error for a section with contents that Write does not write.
func (s *Segment) corrupt(section, reason string) error {
	return &colfile.CorruptError{Path: s.Path(), Section: section, Reason: reason}
}

// A Key identifies a post, as earshot.PostKey does: it is a prefix of that key's SHA-256, long
// enough that nobody can construct two posts with the same Key.
type Key [12]byte

// KeyOf returns the Key of a post.
func KeyOf(k earshot.PostKey) Key { return Key(enginekit.KeySum(k)) }

// Compare orders keys.
func (k Key) Compare(other Key) int { return bytes.Compare(k[:], other[:]) }

// high and low are the values of the two columns that store a key.
func (k Key) high() uint64 { return binary.BigEndian.Uint64(k[:8]) }
func (k Key) low() uint32  { return binary.BigEndian.Uint32(k[8:]) }

func newKey(high uint64, low uint32) (k Key) {
	binary.BigEndian.PutUint64(k[:8], high)
	binary.BigEndian.PutUint32(k[8:], low)
	return k
}

// Seconds returns the value of the time column for t: seconds since 1970, shifted so that none
// are negative.
func Seconds(t time.Time) uint64 { return uint64(t.Unix()) + 1<<63 }

// timeOf is the reverse of Seconds.
func timeOf(seconds uint64, nanos uint32) time.Time {
	return time.Unix(int64(seconds-1<<63), int64(nanos)).UTC()
}
