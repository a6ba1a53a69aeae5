package training

import (
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"

	"earshot"
	"earshot/internal/query"
)

const (
	likeness  = 0.7 // share of words that texts have in common which say nearly the same, of all words of either
	mostWords = 300 // of a text that are looked at: texts that begin alike go on alike
)

// seen are the texts that somebody has seen, as the words they have. Texts that are alike have
// one of their rarest words in common, so a text is compared with those of training posts that
// share one of its rarest words.
type seen struct {
	urls   map[string]bool
	taught [][]uint64 // of training posts
	index  []mention  // the rarest words of each, in order
	looked []int      // at which turn each was compared
	turn   int
	added  [][]uint64 // those that came since, few

	counts [1 << 18]uint32 // how often words occur in training posts, by the beginning of their hashes
	seed   maphash.Seed
	doc    query.Document
}

// A mention is that a text has a word.
type mention struct {
	word uint64
	text uint32
}

// newSeen returns what training posts say.
func newSeen(ctx context.Context, posts []earshot.TrainingPost) (*seen, error) {
	s := &seen{urls: map[string]bool{}, seed: maphash.MakeSeed(), looked: make([]int, len(posts))}
	for i := range posts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.urls[posts[i].URL] = true
		p := posts[i].Post()
		words := s.words(&p)
		for _, word := range words {
			s.counts[bucket(word)]++
		}
		s.taught = append(s.taught, words)
	}
	for text, words := range s.taught {
		for _, word := range s.rarest(words) {
			s.index = append(s.index, mention{word, uint32(text)})
		}
	}
	slices.SortFunc(s.index, func(a, b mention) int { return cmp.Compare(a.word, b.word) })
	return s, ctx.Err()
}

// has reports whether p is known by its url.
func (s *seen) has(p *earshot.Post) bool { return s.urls[nameOf(p)] }

// add adds what p says, and reports whether that is new.
func (s *seen) add(p *earshot.Post) bool {
	words := s.words(p)
	if s.teaches(words) || slices.ContainsFunc(s.added, func(text []uint64) bool { return alike(text, words) }) {
		return false
	}
	s.added = append(s.added, words)
	return true
}

// teaches reports whether a training post says nearly the same as a text.
func (s *seen) teaches(words []uint64) bool {
	s.turn++
	for _, word := range s.rarest(words) {
		at, _ := slices.BinarySearchFunc(s.index, word, func(m mention, word uint64) int { return cmp.Compare(m.word, word) })
		for ; at < len(s.index) && s.index[at].word == word; at++ {
			text := s.index[at].text
			if s.looked[text] == s.turn {
				continue
			}
			if s.looked[text] = s.turn; alike(s.taught[text], words) {
				return true
			}
		}
	}
	return false
}

// silence stands for the words of a text that has none.
const silence = 0

// rarest returns as many of the rarest words of a text that one of them is in each text that is
// alike: so many, that the others are too few for that.
func (s *seen) rarest(words []uint64) []uint64 {
	if len(words) == 0 {
		return []uint64{silence}
	}
	words = slices.Clone(words)
	slices.SortFunc(words, func(a, b uint64) int { // by any order that is the same for all texts
		return cmp.Or(cmp.Compare(s.counts[bucket(a)], s.counts[bucket(b)]), cmp.Compare(a, b))
	})
	common := math.Ceil(likeness*float64(len(words)) - 1e-9) // at least, in texts that are alike
	return words[:len(words)-int(common)+1]
}

func bucket(word uint64) uint64 { return word >> 46 }

// words returns the different words of a post, in order of their hashes. Addresses and those
// who are spoken to are not what it says.
func (s *seen) words(p *earshot.Post) (words []uint64) {
	s.doc.Reset(p)
	s.doc.WalkTokens(func(sigil byte, text []byte) {
		if sigil != '@' && len(words) < mostWords {
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
