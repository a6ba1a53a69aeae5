package segment

import (
	"sync"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

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
