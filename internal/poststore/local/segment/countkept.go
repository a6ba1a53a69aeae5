package segment

import (
	"sync"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// spellings keeps the keys of dictionaries with few texts: sources, languages, places. To
// spell them takes most of the time of a question about few posts.
type spellings struct {
	mu   sync.Mutex
	kept map[poststore.Dim]*keyList
}

// mostKept is how many texts a dictionary may have for its keys to be kept.
const mostKept = 1 << 14

// of returns the keys of a dimension by number, nil for a dictionary of many texts.
func (s *spellings) of(d poststore.Dim, dict *colfile.Strings, key func(dst, text []byte) []byte) *keyList {
	if dict.Len() > mostKept {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept := s.kept[d]; kept != nil {
		return kept
	}
	kept := new(keyList)
	for c := dict.Cursor(0); c.Next(); {
		kept.text = key(kept.text, c.Text())
		kept.ends = append(kept.ends, uint32(len(kept.text)))
	}
	if s.kept == nil {
		s.kept = map[poststore.Dim]*keyList{}
	}
	s.kept[d] = kept
	return kept
}
