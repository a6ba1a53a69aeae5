package train

import (
	"fmt"
	"strconv"
	"strings"

	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// A lexicon collects entries under their keys.
type lexicon struct {
	data    string
	places  map[uint64]int
	keys    []uint64
	entries []sentiment.Entry
}

// readLexicon makes the lexicon of ratings in data and of the words in negations and
// strengths.
func readLexicon(data string) ([]byte, error) {
	l := &lexicon{data: data, places: map[uint64]int{}}
	for _, read := range []func() error{l.readVADER, l.readAFINN, l.readTranslated, l.readEmoji} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	for _, list := range negations {
		for word := range strings.FieldsSeq(list.words) {
			l.change(list.language, word, func(e *sentiment.Entry) { e.Negates = 1 })
		}
	}
	for _, list := range strengths {
		for word := range strings.FieldsSeq(list.words) {
			l.change(list.language, word, func(e *sentiment.Entry) { e.Strength = list.strength })
		}
	}
	return sentiment.EncodeLexicon(l.keys, l.entries), nil
}

// change changes the entry of a term, when it is a single word for a reader of posts.
func (l *lexicon) change(language, term string, change func(*sentiment.Entry)) {
	var t classify.Text
	t.Tokenize(term, 100)
	if len(t.Tokens) == 0 || len(t.Tokens) > sentiment.LongestTerm || len(t.Tokens) > 1 && sentiment.Spaced(language) {
		return
	}
	if kind := t.Tokens[0].Kind; kind == classify.Emoji || kind == classify.Emoticon {
		language = ""
	}
	for n := range t.Tokens { // the lexicon has all beginnings of a term
		l.entry(sentiment.Key(language, t.Tokens[:n+1]))
	}
	change(l.entry(sentiment.Key(language, t.Tokens)))
}

// entry returns the entry under a key, a new one when there is none.
func (l *lexicon) entry(key uint64) *sentiment.Entry {
	i, ok := l.places[key]
	if !ok {
		i = len(l.keys)
		l.places[key] = i
		l.keys, l.entries = append(l.keys, key), append(l.entries, sentiment.Entry{})
	}
	return &l.entries[i]
}

func (l *lexicon) readVADER() error {
	return l.each("lexicons/vader_lexicon.tsv.gz", "mean", func(r row, rating float32) {
		for _, language := range filteredLanguages {
			l.change(language, r["token"], func(e *sentiment.Entry) { e.Valence = rating })
		}
	})
}

func (l *lexicon) readAFINN() error {
	return l.each("lexicons/afinn_en.tsv.gz", "score_165", func(r row, rating float32) {
		for _, language := range filteredLanguages {
			l.change(language, r["term"], func(e *sentiment.Entry) { e.Second = rating })
		}
	})
}

func (l *lexicon) readTranslated() error {
	return l.each("lexicons/afinn_multilang.tsv.gz", "score", func(r row, rating float32) {
		if r["language"] != "en" {
			l.change(r["language"], r["term"], func(e *sentiment.Entry) { e.Valence, e.Second = rating, rating })
		}
	})
}

// readEmoji takes the ranking of emoji where they were seen often enough, and their
// polarity in the list of emotions otherwise.
func (l *lexicon) readEmoji() error {
	return l.each("lexicons/emoji_sentiment.tsv.gz", "sentiment_score", func(r row, rating float32) {
		rating *= 4 // to the range of VADER
		if seen, _ := strconv.Atoi(r["occurrences"]); seen < 5 {
			polarity, _ := strconv.ParseFloat(r["afinn_polarity"], 32)
			rating = float32(polarity)
		}
		l.change("", r["emoji"], func(e *sentiment.Entry) { e.Valence, e.Second = rating, rating })
	})
}

// each calls f with the rows of a table and the number in column, 0 where it is empty.
func (l *lexicon) each(name, column string, f func(r row, number float32)) error {
	rows, err := readTable(l.data, name)
	if err != nil {
		return err
	}
	for _, r := range rows {
		var number float64
		if r[column] != "" {
			if number, err = strconv.ParseFloat(r[column], 32); err != nil {
				return fmt.Errorf("read %s: %w", name, err)
			}
		}
		f(r, float32(number))
	}
	return nil
}
