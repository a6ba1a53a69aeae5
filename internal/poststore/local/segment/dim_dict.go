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

// dictDim is a dimension whose codes are ids in a dictionary.
type dictDim struct {
	columnCodes
	dict       *colfile.Strings
	key        func(dst, text []byte) []byte // appends the key of a text
	cachedKeys *keyList                      // keys by id; nil if there are too many
}

// dictDim returns the dimension of a column of dictionary ids.
func (s *Segment) dictDim(d poststore.Dim, col, dict string, key func(dst, text []byte) []byte) (*dictDim, error) {
	values, texts, err := s.openDictColumn(col, dict)
	if err != nil {
		return nil, err
	}
	return &dictDim{columnCodes{values}, texts, key, s.keyCache.of(d, texts, key)}, nil
}

func (d *dictDim) keyFunc(dense bool) keyFunc {
	if d.cachedKeys != nil {
		base := d.values.Base()
		return func(dst []byte, code uint64) []byte { return append(dst, d.cachedKeys.at(int(code+base))...) }
	}
	return dictKeyFunc(d.dict, d.values.Base(), dense, d.key)
}

// dictKeyFunc returns a keyFunc for dictionary ids minus a base. It reads dense ids sequentially,
// which is several times as fast as looking up each.
func dictKeyFunc(dict *colfile.Strings, base uint64, dense bool, key func(dst, text []byte) []byte) keyFunc {
	if !dense {
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

// placeKey returns a function that appends the geography id of a place's country, state or city.
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

// appendAuthorKey appends the result of enginekit.AuthorKey for an author.
func appendAuthorKey(dst, text []byte) []byte {
	name := text
	if end := bytes.IndexByte(text, 0); end == 0 {
		name = text[1:]
	} else if end > 0 {
		name = text[:end]
	}
	return appendLower(dst, name)
}

// appendLower appends the result of [strings.ToLower] for a text.
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

// keyCache caches the keys of small dictionaries, such as sources, languages and places, and where
// some keys are in large ones. Computing them would take most of the time of a query that selects
// few posts.
type keyCache struct {
	mu    sync.Mutex
	keys  map[poststore.Dim]*keyList // guarded by mu
	found map[dimKey][]uint32        // ids by key; guarded by mu
}

// A dimKey is a key of a dimension.
type dimKey struct {
	dim poststore.Dim
	key string
}

const (
	// maxCachedKeys is the maximum size of a dictionary whose keys are cached. That takes a few
	// hundred KB per dimension.
	maxCachedKeys = 1 << 14

	// maxFoundKeys is the maximum number of keys of large dictionaries whose ids are cached.
	maxFoundKeys = 32
)

// ids returns the ids of a key in a large dictionary.
func (k *keyCache) ids(of dimKey, find func() (ids []uint32, err error)) (ids []uint32, err error) {
	k.mu.Lock()
	ids, ok := k.found[of]
	k.mu.Unlock()
	if ok {
		return ids, nil
	}
	if ids, err = find(); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.found == nil || len(k.found) == maxFoundKeys {
		k.found = map[dimKey][]uint32{}
	}
	k.found[of] = ids
	return ids, nil
}

// of returns the keys of a dimension by id, or nil if the dictionary is too large.
func (k *keyCache) of(d poststore.Dim, dict *colfile.Strings, key func(dst, text []byte) []byte) *keyList {
	if dict.Len() > maxCachedKeys {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if keys := k.keys[d]; keys != nil {
		return keys
	}
	keys := new(keyList)
	for c := dict.Cursor(0); c.Next(); {
		keys.text = key(keys.text, c.Text())
		keys.ends = append(keys.ends, uint32(len(keys.text)))
	}
	if k.keys == nil {
		k.keys = map[poststore.Dim]*keyList{}
	}
	k.keys[d] = keys
	return keys
}
