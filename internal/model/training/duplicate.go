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
	minSimilarity = 0.7 // minimum Jaccard index; a lower value would hide different texts
	maxWords      = 300 // words of a text that are compared; near-duplicates start alike
)

// A textIndex finds near-duplicates of training posts and of earlier suggestions. It represents a
// text as the set of its word hashes. Two near-duplicates share at least one of their rarest words
// (prefix filtering), so a text is compared only with the training posts that share one of its
// rarest words.
type textIndex struct {
	urls     map[string]bool
	texts    [][]uint64 // words of each training post
	postings []posting  // the rarest words of each text, sorted by word
	visited  []int      // turn in which each text was last compared
	turn     int
	added    [][]uint64 // texts added after construction; only a few

	counts [1 << 18]uint32 // document frequencies of words, by prefix of their hashes
	seed   maphash.Seed
	doc    query.Document
}

// A posting records that a text contains a word.
type posting struct {
	word uint64
	text uint32
}

// newTextIndex returns an index of training posts.
func newTextIndex(ctx context.Context, posts []earshot.TrainingPost) (*textIndex, error) {
	s := &textIndex{urls: map[string]bool{}, seed: maphash.MakeSeed(), visited: make([]int, len(posts))}
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
		s.texts = append(s.texts, words)
	}
	for text, words := range s.texts {
		for _, word := range s.rarest(words) {
			s.postings = append(s.postings, posting{word, uint32(text)})
		}
	}
	slices.SortFunc(s.postings, func(a, b posting) int { return cmp.Compare(a.word, b.word) })
	return s, ctx.Err()
}

// hasURL reports whether a training post has the URL of p.
func (s *textIndex) hasURL(p *earshot.Post) bool { return s.urls[storedURL(p)] }

// add adds the text of p unless it is a near-duplicate. It reports whether it added the text.
func (s *textIndex) add(p *earshot.Post) bool {
	words := s.words(p)
	if s.hasSimilar(words) || slices.ContainsFunc(s.added, func(text []uint64) bool { return similar(text, words) }) {
		return false
	}
	s.added = append(s.added, words)
	return true
}

// hasSimilar reports whether a training post is a near-duplicate of a text.
func (s *textIndex) hasSimilar(words []uint64) bool {
	s.turn++
	for _, word := range s.rarest(words) {
		at, _ := slices.BinarySearchFunc(s.postings, word, func(m posting, word uint64) int { return cmp.Compare(m.word, word) })
		for ; at < len(s.postings) && s.postings[at].word == word; at++ {
			text := s.postings[at].text
			if s.visited[text] == s.turn {
				continue
			}
			if s.visited[text] = s.turn; similar(s.texts[text], words) {
				return true
			}
		}
	}
	return false
}

// noWords is the only posting word of a text without words.
const noWords = 0

// rarest returns enough of a text's rarest words that every near-duplicate shares at least one of
// them.
func (s *textIndex) rarest(words []uint64) []uint64 {
	if len(words) == 0 {
		return []uint64{noWords}
	}
	words = slices.Clone(words)
	// Any order works if it is the same for all texts.
	slices.SortFunc(words, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(s.counts[bucket(a)], s.counts[bucket(b)]), cmp.Compare(a, b))
	})
	// common is the minimum number of words shared with a near-duplicate.
	common := math.Ceil(minSimilarity*float64(len(words)) - 1e-9)
	return words[:len(words)-int(common)+1]
}

func bucket(word uint64) uint64 { return word >> 46 }

// words returns the sorted hashes of a post's distinct words, without links or mentions.
func (s *textIndex) words(p *earshot.Post) (words []uint64) {
	s.doc.Reset(p)
	s.doc.WalkTokens(func(sigil byte, text []byte) {
		if sigil != '@' && len(words) < maxWords {
			words = append(words, maphash.Bytes(s.seed, text))
		}
	})
	slices.Sort(words)
	return slices.Compact(words)
}

// similar reports whether the Jaccard index of two texts is at least minSimilarity. Two texts
// without words are similar.
func similar(a, b []uint64) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if float64(len(a)) < minSimilarity*float64(len(b)) { // too few even if they share all
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
	return float64(common) >= minSimilarity*float64(all-common)
}
