package segment

import (
	"bytes"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// dictDim is a dimension whose codes are numbers into a dictionary.
type dictDim struct {
	columnCodes
	dict       *colfile.Strings
	key        func(dst, text []byte) []byte // appends the key of a text
	cachedKeys *keyList                      // the keys of all texts; nil: there are too many to keep
}

// dictDim returns a column of numbers into a dictionary for a dimension.
func (s *Segment) dictDim(d poststore.Dim, col, dict string, key func(dst, text []byte) []byte) (*dictDim, error) {
	values, err := s.Uints(col)
	if err != nil {
		return nil, err
	}
	texts, err := s.Strings(dict)
	if err != nil {
		return nil, err
	}
	if s.Rows() > 0 && values.Max() >= uint64(texts.Len()) {
		return nil, &colfile.CorruptError{Path: s.Path(), Section: col, Reason: "a number that " + dict + " does not have"}
	}
	return &dictDim{columnCodes{values}, texts, key, s.keyCache.of(d, texts, key)}, nil
}

func (n *dictDim) keyFunc(close bool) keyFunc {
	if n.cachedKeys != nil {
		base := n.values.Base()
		return func(dst []byte, code uint64) []byte { return append(dst, n.cachedKeys.at(int(code+base))...) }
	}
	return dictKeyFunc(n.dict, n.values.Base(), close, n.key)
}

// dictKeyFunc returns a speller for the numbers of a dictionary, less a base. Texts that
// are close to one another are read one after the other, which is several times as fast
// as looking each of them up.
func dictKeyFunc(dict *colfile.Strings, base uint64, close bool, key func(dst, text []byte) []byte) keyFunc {
	if !close {
		var text []byte
		return func(dst []byte, code uint64) []byte {
			text = dict.Append(text[:0], uint32(code+base))
			return key(dst, text)
		}
	}
	var texts *colfile.Cursor
	return func(dst []byte, code uint64) []byte {
		if texts == nil {
			texts = dict.Cursor(uint32(code + base))
			texts.Next()
		}
		for uint64(texts.ID()) < code+base {
			texts.Next()
		}
		return key(dst, texts.Text())
	}
}

// placeKey returns how the geography id of a country, a state or a city is made of a
// place.
func placeKey(d poststore.Dim) func(dst, text []byte) []byte {
	var post earshot.Post
	var keys []string
	return func(dst, text []byte) []byte {
		post.Place = placeOf(string(text))
		keys = enginekit.AppendKeys(keys[:0], d, &post, time.UTC)
		for _, key := range keys {
			dst = append(dst, key...)
		}
		return dst
	}
}

// appendAuthorKey appends what enginekit.AuthorKey says of an author.
func appendAuthorKey(dst, text []byte) []byte {
	name := text
	if end := bytes.IndexByte(text, 0); end == 0 {
		name = text[1:]
	} else if end > 0 {
		name = text[:end]
	}
	return appendLower(dst, name)
}

// appendLower appends what strings.ToLower makes of a text.
func appendLower(dst, text []byte) []byte {
	start := len(dst)
	dst = append(dst, text...)
	for i, c := range dst[start:] {
		if c >= utf8.RuneSelf {
			return append(dst[:start], strings.ToLower(string(text))...)
		}
		if c-'A' <= 'Z'-'A' {
			dst[start+i] = c + 'a' - 'A'
		}
	}
	return dst
}

// keyCache keeps the keys of dictionaries with few texts: sources, languages, places. To
// spell them takes most of the time of a question about few posts.
type keyCache struct {
	mu   sync.Mutex
	keys map[poststore.Dim]*keyList
}

// maxCachedKeys is how many texts a dictionary may have for its keys to be kept.
const maxCachedKeys = 1 << 14

// of returns the keys of a dimension by number, nil for a dictionary of many texts.
func (s *keyCache) of(d poststore.Dim, dict *colfile.Strings, key func(dst, text []byte) []byte) *keyList {
	if dict.Len() > maxCachedKeys {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept := s.keys[d]; kept != nil {
		return kept
	}
	kept := new(keyList)
	for c := dict.Cursor(0); c.Next(); {
		kept.text = key(kept.text, c.Text())
		kept.ends = append(kept.ends, uint32(len(kept.text)))
	}
	if s.keys == nil {
		s.keys = map[poststore.Dim]*keyList{}
	}
	s.keys[d] = kept
	return kept
}
