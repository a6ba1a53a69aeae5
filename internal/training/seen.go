package training

import (
	"hash/maphash"
	"slices"

	"earshot"
	"earshot/internal/query"
)

// likeness is the share of words that two texts have in common when they say nearly the same,
// of all words of either.
const likeness = 0.7

// seen are the texts that somebody has seen, as the words they have.
type seen struct {
	urls  map[string]bool
	texts [][]uint64
	seed  maphash.Seed
	doc   query.Document
}

// newSeen returns what training posts say.
func newSeen(posts []earshot.TrainingPost) *seen {
	s := &seen{urls: map[string]bool{}, seed: maphash.MakeSeed()}
	for i := range posts {
		s.urls[posts[i].URL] = true
		p := posts[i].Post()
		s.texts = append(s.texts, s.words(&p))
	}
	return s
}

// has reports whether p is known by its url.
func (s *seen) has(p *earshot.Post) bool { return s.urls[nameOf(p)] }

// add adds what p says, and reports whether that is new.
func (s *seen) add(p *earshot.Post) bool {
	words := s.words(p)
	if slices.ContainsFunc(s.texts, func(text []uint64) bool { return alike(text, words) }) {
		return false
	}
	s.texts = append(s.texts, words)
	return true
}

// words returns the different words of a post, in order of their hashes. Addresses and those
// who are spoken to are not what it says.
func (s *seen) words(p *earshot.Post) (words []uint64) {
	s.doc.Reset(p)
	s.doc.EachWord(func(sigil byte, text []byte) {
		if sigil != '@' {
			words = append(words, maphash.Bytes(s.seed, text))
		}
	})
	slices.Sort(words)
	return slices.Compact(words)
}

// alike reports whether two texts say nearly the same. Texts without words do.
func alike(a, b []uint64) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if float64(len(a)) < likeness*float64(len(b)) { // too few, even if all are there
		return false
	}
	common, all := 0, len(a)+len(b)
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
			common++
		}
	}
	return float64(common) >= likeness*float64(all-common)
}
