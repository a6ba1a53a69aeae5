package insight

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"earshot/internal/poststore"
)

// wordPosts records which posts of a sample have which words. A tag counts as its word.
type wordPosts struct {
	wordIndex
	having [][]int32 // by word number: the posts that have the word, in ascending order
	posts  int32
	ends   []int32 // of each language: the posts up to then
}

// endLanguage is called after all posts of a language were added.
func (s *wordPosts) endLanguage() { s.ends = append(s.ends, s.posts) }

// languageOf returns the number of the language that most of some posts are in, counted from 1, or 0 if
// there is none.
func (s *wordPosts) languageOf(posts []int32) int {
	counts := make([]int, len(s.ends))
	for _, p := range posts {
		n, _ := slices.BinarySearch(s.ends, p+1)
		counts[n]++
	}
	for n, count := range counts {
		if float64(count) >= minLanguageShare*float64(len(posts)) {
			return n + 1
		}
	}
	return 0
}

// minLanguageShare is the share of the posts with a word that must be in a language for it to be a word
// of that language. Names and hashtags are often of none.
const minLanguageShare = 0.8

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

// minPosts returns the minimum number of posts that must have a word, or a pair of words, for it to
// matter.
func (s *wordPosts) minPosts() int { return 2 + int(math.Sqrt(float64(s.posts)))/10 }

// terms returns the most frequent words that may be part of a topic. counts must accept a word, and
// the share of posts that have it must be neither negligible nor above 75%.
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
	for _, i := range numbers[:min(top, len(numbers))] { // only for these, because post sets are large
		terms = append(terms, term{text: s.words[i], count: len(s.having[i]), language: s.languageOf(s.having[i]), posts: newPostSet(int(s.posts), s.having[i])})
	}
	return terms
}

// A term is a word that may be part of a topic.
type term struct {
	text     string
	count    int
	language int // 0: none
	posts    postSet
}

// A postSet is a set of posts of a sample, as a bitmap.
type postSet []uint64

func newPostSet(size int, posts []int32) postSet {
	set := make(postSet, (size+63)/64)
	for _, p := range posts {
		set[p/64] |= 1 << (p % 64)
	}
	return set
}

// common returns the number of posts in both sets.
func (a postSet) common(b postSet) (n int) {
	for i, w := range a {
		n += bits.OnesCount64(w & b[i])
	}
	return n
}

// add adds the posts of another set.
func (a postSet) add(b postSet) {
	for i, w := range b {
		a[i] |= w
	}
}

// inAtLeastTwo returns the posts that are in at least two of the sets.
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
