package train

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"earshot/internal/model/classify"
	"earshot/internal/model/dataset"
	"earshot/internal/model/sentiment"
)

// A lexicon collects entries by key.
type lexicon struct {
	data    string
	index   map[uint64]int
	keys    []uint64
	entries []sentiment.Entry
}

// readLexicon builds the lexicon from the ratings in data and from negations and strengths.
func readLexicon(data string) ([]byte, error) {
	l := &lexicon{data: data, index: map[uint64]int{}}
	for _, read := range []func() error{l.readVADER, l.readAFINN, l.readTranslated, l.readEmoji} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	for _, list := range negations {
		for word := range strings.FieldsSeq(list.words) {
			l.update(list.language, word, func(e *sentiment.Entry) { e.Negates = 1 })
		}
	}
	for _, list := range contrasts {
		for word := range strings.FieldsSeq(list.words) {
			l.update(list.language, word, func(e *sentiment.Entry) { e.Contrast = list.contrast })
		}
	}
	for i, stars := range []string{"0/10", "4/10", "6/10", "8/10", "10/10"} {
		rating := []float32{-3, -2, 0, 2, 3}[i]
		l.update("", stars, func(e *sentiment.Entry) { e.Valence, e.AFINN = rating, rating })
	}
	for _, list := range strengths {
		for word := range strings.FieldsSeq(list.words) {
			l.update(list.language, word, func(e *sentiment.Entry) { e.Strength = list.strength })
		}
	}
	return sentiment.EncodeLexicon(l.keys, l.entries), nil
}

// update updates the entry of a term. It skips terms that the tokenizer splits, except in languages
// without spaces.
func (l *lexicon) update(language, term string, change func(*sentiment.Entry)) {
	t := classify.Text{Ratings: true}
	t.Tokenize(term, 100)
	if len(t.Tokens) == 0 || len(t.Tokens) > sentiment.MaxTermLetters || len(t.Tokens) > 1 && sentiment.HasSpaces(language) {
		return
	}
	if sentiment.IsSign(t.Tokens[0].Kind) {
		language = ""
	}
	for n := range t.Tokens { // the lexicon contains all prefixes of a term
		l.entry(sentiment.Key(language, t.Tokens[:n+1]))
	}
	change(l.entry(sentiment.Key(language, t.Tokens)))
}

// entry returns the entry of a key and adds it if it is missing.
func (l *lexicon) entry(key uint64) *sentiment.Entry {
	i, ok := l.index[key]
	if !ok {
		i = len(l.keys)
		l.index[key] = i
		l.keys, l.entries = append(l.keys, key), append(l.entries, sentiment.Entry{})
	}
	return &l.entries[i]
}

// englishLanguages use the English lexicons.
var englishLanguages = []string{"en", "hi"}

func (l *lexicon) readVADER() error {
	return l.each("lexicons/vader_lexicon.tsv.gz", "mean", func(r dataset.Row, rating float32) {
		for _, language := range englishLanguages {
			l.update(language, r["token"], func(e *sentiment.Entry) { e.Valence = rating })
		}
	})
}

func (l *lexicon) readAFINN() error {
	return l.each("lexicons/afinn_en.tsv.gz", "score_165", func(r dataset.Row, rating float32) {
		for _, language := range englishLanguages {
			l.update(language, r["term"], func(e *sentiment.Entry) { e.AFINN = rating })
		}
	})
}

func (l *lexicon) readTranslated() error {
	return l.each("lexicons/afinn_multilang.tsv.gz", "score", func(r dataset.Row, rating float32) {
		if r["language"] != "en" {
			l.update(r["language"], r["term"], func(e *sentiment.Entry) { e.Valence, e.AFINN = rating, rating })
		}
	})
}

// readEmoji uses the sentiment ranking for frequent emoji and the AFINN polarity for others.
func (l *lexicon) readEmoji() error {
	return l.each("lexicons/emoji_sentiment.tsv.gz", "sentiment_score", func(r dataset.Row, rating float32) {
		rating *= 4 // scales to the range of VADER
		if seen, _ := strconv.Atoi(r["occurrences"]); seen < 5 {
			polarity, _ := strconv.ParseFloat(r["afinn_polarity"], 32)
			rating = float32(polarity)
		}
		l.update("", r["emoji"], func(e *sentiment.Entry) { e.Valence, e.AFINN = rating, rating })
	})
}

// each calls f with each row of a table and the number in the given column, or 0 if it is empty.
func (l *lexicon) each(name, column string, f func(r dataset.Row, number float32)) error {
	rows, err := dataset.Table(filepath.Join(l.data, name))
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
