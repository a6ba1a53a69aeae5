package insight

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"earshot/internal/poststore"
)

// wordPosts is which posts of a sample have which words. A tag counts as its word.
type wordPosts struct {
	wordIndex
	having [][]int32 // by the number of the word: the posts that have it, ascending
	posts  int32
}

// add takes the words of one more post.
func (s *wordPosts) add(words []poststore.Word) {
	for _, w := range words {
		if len(w.Text) > maxWordBytes {
			continue
		}
		n := s.number(strings.TrimLeft(w.Text, sigils))
		if n == len(s.having) {
			s.having = append(s.having, nil)
		}
		if list := s.having[n]; len(list) == 0 || list[len(list)-1] != s.posts {
			s.having[n] = append(list, s.posts)
		}
	}
	s.posts++
	s.dropRare(func(n int) int64 { return int64(len(s.having[n])) }, func(to, from int) { s.having[to] = s.having[from] })
	clear(s.having[len(s.words):])
	s.having = s.having[:len(s.words)]
}

// minPosts returns how many posts must have a word, or two words together, so that it matters.
func (s *wordPosts) minPosts() int { return 2 + int(math.Sqrt(float64(s.posts)))/10 }

// terms returns the most frequent words that may be part of a topic: they count, some posts
// have them, and not nearly all.
func (s *wordPosts) terms(counts func(word string, posts int) bool, top int) (terms []term) {
	var numbers []int
	for i, text := range s.words {
		n := len(s.having[i])
		if n >= s.minPosts() && 4*n <= 3*int(s.posts) && counts(text, n) {
			numbers = append(numbers, i)
		}
	}
	slices.SortFunc(numbers, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(s.having[b]), len(s.having[a])), strings.Compare(s.words[a], s.words[b]))
	})
	for _, i := range numbers[:min(top, len(numbers))] { // a set of posts is large
		terms = append(terms, term{text: s.words[i], count: len(s.having[i]), posts: newPostSet(int(s.posts), s.having[i])})
	}
	return terms
}

// A term is a word that may be part of a topic.
type term struct {
	text  string
	count int
	posts postSet
}

// A postSet is some posts of a sample.
type postSet []uint64

func newPostSet(size int, posts []int32) postSet {
	set := make(postSet, (size+63)/64)
	for _, p := range posts {
		set[p/64] |= 1 << (p % 64)
	}
	return set
}

// common returns how many posts are in both sets.
func (a postSet) common(b postSet) (n int) {
	for i, w := range a {
		n += bits.OnesCount64(w & b[i])
	}
	return n
}

// inAtLeastTwo returns the posts that are in two of the sets or more.
func inAtLeastTwo(size int, sets []postSet) postSet {
	once, twice := newPostSet(size, nil), newPostSet(size, nil)
	for _, set := range sets {
		for i, w := range set {
			twice[i] |= once[i] & w
			once[i] |= w
		}
	}
	return twice
}
