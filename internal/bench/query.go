package bench

import (
	"errors"
	"strings"

	"earshot"
	"earshot/internal/query/watchlist"
)

// A Query selects posts. It is a list of parts, so that other engines can run the same query.
type Query struct {
	Name   string
	Phrase string   // two consecutive words; "" for none
	All    []string // words that must occur
	Any    []string // words of which at least one must occur
	None   []string // words that must not occur
	Prefix string   // prefix of a word that must occur

	Language string // two lowercase letters
	Country  string
	Gender   earshot.Gender
}

// Shares of posts that have the words of queries.
const (
	rareShare     = 0.0017
	phraseShare   = 0.004
	orShare       = 0.0016
	commonShare   = 0.32
	filteredShare = 0.02
)

// orWords is the number of words in the long OR.
const orWords = 20

// Queries returns the queries of every measurement, with words that some posts have and others
// lack. It returns an error if there are too few words.
func (w *Words) Queries() ([]Query, error) {
	if len(w.list) < orWords || len(w.sorted) == 0 {
		return nil, errors.New("the posts have too few English words for queries")
	}
	one := func(share float64) []string { return w.about(w.list, w.posts, share, 1) }
	phrase := w.about(w.sorted, w.bigrams, phraseShare, 1)[0]
	with, without := w.companions(phrase)
	return []Query{
		{Name: "rare term", All: one(rareShare)},
		{Name: "phrase AND term NOT term", Phrase: phrase, All: []string{with}, None: []string{without}},
		{Name: "OR of 20 terms", Any: w.about(w.list, w.posts, orShare, orWords)},
		{Name: "very common term", All: one(commonShare)},
		{Name: "most common term", All: w.list[:1]},
		{Name: "prefix", Prefix: w.prefix()},
		{Name: "term with place, gender and language", All: one(filteredShare), Language: "en", Country: "USA", Gender: earshot.Female},
	}, nil
}

// companions returns the other word that most posts with the phrase have, and one that only some of
// them have.
func (w *Words) companions(phrase string) (frequent, some string) {
	first, second, _ := strings.Cut(phrase, " ")
	beside := map[string]int{}
	for _, words := range w.docs {
		if !hasPhrase(words, first, second) {
			continue
		}
		seen := map[string]bool{"": true, "http": true, "https": true, first: true, second: true}
		for _, word := range words {
			if !seen[word] {
				seen[word] = true
				beside[word]++
			}
		}
	}
	list := byFrequency(beside)
	if len(list) < 2 { // no other word occurs with the phrase
		return first, w.list[0]
	}
	return list[0], list[len(list)/2]
}

func hasPhrase(words []string, first, second string) bool {
	for i := 1; i < len(words); i++ {
		if words[i-1] == first && words[i] == second {
			return true
		}
	}
	return false
}

// prefix returns the first four letters of a longer word that is about as rare as the rare term. It
// prefers a prefix of several words.
func (w *Words) prefix() string {
	const letters = 4
	begins := map[string]int{}
	for _, word := range w.list {
		if len(word) > letters {
			begins[word[:letters]]++
		}
	}
	for _, word := range w.about(w.list, w.posts, rareShare, 200) {
		if len(word) > letters && begins[word[:letters]] > 2 {
			return word[:letters]
		}
	}
	return w.list[0]
}

// Keywords returns the query in the query language, without its filters.
func (q *Query) Keywords() string {
	var parts []string
	if q.Phrase != "" {
		parts = append(parts, `"`+q.Phrase+`"`)
	}
	parts = append(parts, q.All...)
	if len(q.Any) > 0 {
		parts = append(parts, "("+strings.Join(q.Any, " OR ")+")")
	}
	if q.Prefix != "" {
		parts = append(parts, q.Prefix+"*")
	}
	text := strings.Join(parts, " AND ")
	for _, word := range q.None {
		text += " NOT " + word
	}
	return text
}

// Condition compiles the query, including its filters.
func (q *Query) Condition() (*watchlist.Condition, error) {
	c := earshot.Criteria{Keywords: q.Keywords(), Gender: q.Gender}
	if q.Language != "" {
		c.Languages.Values = []string{strings.ToUpper(q.Language)}
	}
	if q.Country != "" {
		c.Places.Values = []string{q.Country}
	}
	return watchlist.Compile(CustomTeam, c)
}
