package bench

import (
	"cmp"
	"slices"

	"earshot/internal/query"
)

// Words counts the words of posts, for queries like those of users. They are plain words of English
// posts, because all engines tokenize them almost identically, and queries with a language then
// have results.
type Words struct {
	Posts   int            // number of posts examined
	list    []string       // most common first
	posts   map[string]int // number of posts with the word, in any language
	bigrams map[string]int // number of posts with the two words, separated by a space
	sorted  []string       // bigrams, most common first
	docs    [][]string     // words of each English post, in order; "" for words that are not plain
}

// wordPosts is the number of posts whose words are counted.
const wordPosts = 20_000

// Words counts the words of some of the posts.
func (g *Generator) Words() *Words {
	w := &Words{posts: map[string]int{}, bigrams: map[string]int{}}
	few := *g
	few.Count = min(g.Count, wordPosts)
	var doc query.Document
	english := map[string]bool{}
	for p := range few.Posts() {
		doc.Reset(&p)
		words := plainWords(&doc)
		w.count(words)
		if p.Language == "en" {
			w.docs = append(w.docs, words)
			w.countBigrams(words)
			for _, word := range words {
				english[word] = true
			}
		}
	}
	w.list = slices.DeleteFunc(byFrequency(w.posts), func(word string) bool { return !english[word] })
	w.sorted = byFrequency(w.bigrams)
	return w
}

// plainWords returns the words of a document, with "" for words that are not plain.
func plainWords(doc *query.Document) []string {
	words := make([]string, doc.Len())
	for i := range words {
		if word := doc.Plain(i); isPlain(word) {
			words[i] = string(word)
		}
	}
	return words
}

func isPlain(word []byte) bool {
	return len(word) >= 3 && !slices.ContainsFunc(word, func(c byte) bool { return c < 'a' || c > 'z' })
}

func (w *Words) count(words []string) {
	w.Posts++
	seen := map[string]bool{"": true}
	for _, word := range words {
		if !seen[word] {
			seen[word] = true
			w.posts[word]++
		}
	}
}

func (w *Words) countBigrams(words []string) {
	seen := map[string]bool{}
	for i := 1; i < len(words); i++ {
		bigram := words[i-1] + " " + words[i]
		if words[i-1] != "" && words[i] != "" && !seen[bigram] {
			seen[bigram] = true
			w.bigrams[bigram]++
		}
	}
}

// byFrequency returns the keys, most common first. Ties are in alphabetical order.
func byFrequency(counts map[string]int) []string {
	list := make([]string, 0, len(counts))
	for key := range counts {
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	return list
}

// about returns n entries of a list that each occur in about the given share of all posts.
func (w *Words) about(list []string, counts map[string]int, share float64, n int) []string {
	want := int(share * float64(w.Posts))
	i, _ := slices.BinarySearchFunc(list, want, func(key string, want int) int { return cmp.Compare(want, counts[key]) })
	i = min(i, len(list)-1)
	if i > 0 && counts[list[i-1]]-want < want-counts[list[i]] {
		i--
	}
	i = max(min(i-n/2, len(list)-n), 0)
	return list[i : i+n]
}
