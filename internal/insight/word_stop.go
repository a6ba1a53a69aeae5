package insight

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot/internal/model/stopword"
	"earshot/internal/poststore"
)

// wordSample is of how many posts words are looked at.
const wordSample = 10_000

// stopWords are the words that are left out of what is counted in a sample. Words do not
// tell the language of their post, and a stop word of one language is a word like any other
// in the next. docs/decisions/0041-word-cloud.md
type stopWords struct {
	always stopword.List // of languages that are common in the sample
	rare   []rareLanguage
}

// A rareLanguage is one that some posts of a sample are in. Its stop words are left out as
// long as they are not more than those posts would have.
type rareLanguage struct {
	list  stopword.List
	posts int64
}

// commonShare is how many posts there are for each one in a language when it is just common.
const commonShare = 20

// stopWords returns the stop words of a sample, given the total of its posts. They always include
// those of English, and with these the operators of queries.
func (s *Service) stopWords(ctx context.Context, sel poststore.Selection, posts int64) (stopWords, error) {
	stop := stopWords{always: stopword.Of("en")}
	rows, err := poststore.TallyOne(ctx, s.Store, sel, poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}})
	for _, row := range rows {
		list := stopword.Of(row.Key[0])
		if row.Posts*commonShare >= posts {
			stop.always |= list
		} else {
			stop.rare = append(stop.rare, rareLanguage{list, row.Posts * min(posts, wordSample) / posts})
		}
	}
	return stop, err
}

// has reports whether a word with a number of occurrences in the sample is a stop word.
func (s *stopWords) has(word string, count int64) bool {
	if s.always.Has(word) {
		return true
	}
	var maxCount int64
	for _, r := range s.rare {
		if r.list.Has(word) {
			maxCount += r.posts
		}
	}
	return count <= maxCount
}

// markupWords are what is left of addresses, of repeats and of markup.
var markupWords = strings.Fields("rt via amp quot nbsp http https www")

// isMeaningful reports whether a word with a number of occurrences says something about posts: it
// has a letter, and is neither a stop word nor a single letter. A tag is never a stop word.
func (s *stopWords) isMeaningful(word string, count int64) bool {
	bare := strings.TrimLeft(word, sigils)
	if !strings.ContainsFunc(bare, unicode.IsLetter) || isLetter(bare) {
		return false
	}
	return bare != word || !s.has(word, count) && !slices.Contains(markupWords, word)
}

const sigils = "#@$"

// isLetter reports whether text is a letter that is not a word: any but an ideograph and a
// syllable of Korean. Marks that belong to it make no difference.
func isLetter(text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	if unicode.In(first, unicode.Han, unicode.Hangul) {
		return false
	}
	return !strings.ContainsFunc(text[size:], func(r rune) bool { return !unicode.IsMark(r) })
}
