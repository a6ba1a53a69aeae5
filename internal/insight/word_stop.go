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

// wordSample is the number of posts whose words are sampled.
const wordSample = 10_000

// stopWords are the words excluded from the counts of a sample. A word does not reveal the language
// of its post, and a stop word of one language may be an ordinary word in another.
// docs/decisions/0041-word-cloud.md
type stopWords struct {
	always stopword.List // stop words of languages that are common in the sample
	rare   []rareLanguage
}

// A rareLanguage is the language of a few posts in a sample. Its stop words are excluded unless
// they occur more often than those posts would explain.
type rareLanguage struct {
	list  stopword.List
	posts int64
}

// commonShare is the inverse of the minimum share of posts in a common language: one in 20.
const commonShare = 20

// stopWords returns the stop words for a sample of a number of posts. They always include the
// English stop words, which contain the operators of queries.
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

// markupWords are remnants of URLs, retweets and markup.
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

// isLetter reports whether text is a single letter that is not a word, with or without marks.
// Ideographs and Korean syllables are words.
func isLetter(text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	if unicode.In(first, unicode.Han, unicode.Hangul) {
		return false
	}
	return !strings.ContainsFunc(text[size:], func(r rune) bool { return !unicode.IsMark(r) })
}
