package query

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// An Excerpt is a part of the contents of a post.
type Excerpt struct {
	Text     string
	from, to int // bytes of the contents that Text shows
	lead     int // bytes of Text before them
}

// NewExcerpt returns at most limit characters of contents: the passage with the most
// distinct matches, the first of those on a tie, and whole words around it, with "…"
// where something is left out. Text that fits is returned unchanged.
//
// spans are what Query.Spans returned; those of the title are ignored. Without any, the
// excerpt is the beginning. A match that does not fit is truncated. limit is at least 3.
func NewExcerpt(contents string, spans []Span, limit int) Excerpt {
	if Fits(contents, limit) {
		return Excerpt{Text: contents, to: len(contents)}
	}
	const ellipsis = "…"
	limit -= 2 * utf8.RuneCountInString(ellipsis)
	from, to := densestPassage(contentMatches(contents, spans), limit)
	start, end := expandToWords(contents, from, to, limit)
	e := Excerpt{Text: contents[start:end], from: start, to: end}
	if start > 0 {
		e.Text, e.lead = ellipsis+e.Text, len(ellipsis)
	}
	if end < len(contents) {
		e.Text += ellipsis
	}
	return e
}

// Fits reports whether text has at most limit characters. It reads no more of it than that.
func Fits(text string, limit int) bool {
	if len(text) <= limit {
		return true
	}
	for range text {
		if limit--; limit < 0 {
			return false
		}
	}
	return true
}

// MergeSpans merges two lists of spans into one: in order, without overlaps.
func MergeSpans(a, b []Span) []Span {
	if len(a) == 0 {
		return b
	}
	return merge(slices.Concat(a, b))
}

// A match is a match in contents.
type match struct {
	from, to   int // bytes
	first, end int // characters
	words      string
}

// contentMatches returns the matches in the contents.
func contentMatches(contents string, spans []Span) []match {
	var list []match
	at, characters := 0, 0
	count := func(to int) int {
		characters += utf8.RuneCountInString(contents[at:to])
		at = to
		return characters
	}
	for _, s := range spans {
		if s.Title {
			continue
		}
		m := match{from: sigilStart(contents, at, s.From), to: s.To, words: strings.ToLower(contents[s.From:s.To])}
		m.first, m.end = count(m.from), count(m.to)
		list = append(list, m)
	}
	return list
}

// sigilStart returns where the tag whose word is at i begins, but not before start.
func sigilStart(text string, start, i int) int {
	if r, size := utf8.DecodeLastRuneInString(text[start:i]); strings.ContainsRune("#@$＃＠＄", r) {
		return i - size
	}
	return i
}

// densestPassage returns the first passage of at most limit characters that has the most
// distinct matches. It is empty when there are no matches, or when the first one alone
// exceeds the limit.
func densestPassage(list []match, limit int) (from, to int) {
	counts := map[string]int{} // of the matches in the sliding window [first, last]
	first, maxDistinct := 0, 0
	for last, m := range list {
		counts[m.words]++
		for m.end-list[first].first > limit && first < last {
			words := list[first].words
			if counts[words]--; counts[words] == 0 {
				delete(counts, words)
			}
			first++
		}
		if len(counts) > maxDistinct {
			maxDistinct, from, to = len(counts), list[first].from, m.to
			if m.end-list[first].first > limit {
				to = from
			}
		}
	}
	return from, to
}

// expandToWords expands the passage text[from:to] to whole words, up to limit characters and
// about as many on either side. If the passage is empty, the result begins there.
func expandToWords(text string, from, to, limit int) (start, end int) {
	if from == to {
		if end := endWithin(text, from, limit); end > from {
			return from, end
		}
		return from, wholeGraphemes(text, from, limit) // one endless word
	}
	spare := limit - utf8.RuneCountInString(text[from:to])
	start = startWithin(text, from, spare/2)
	end = endWithin(text, to, spare-utf8.RuneCountInString(text[start:from]))
	start = startWithin(text, from, spare-utf8.RuneCountInString(text[to:end])) // with what the end left over
	return start, end
}

// startWithin and endWithin return the word boundary furthest from i, but at most n
// characters away.
func startWithin(text string, i, n int) int { return startOfWord(text, back(text, i, n), i) }
func endWithin(text string, i, n int) int   { return endOfWord(text, i, forward(text, i, n)) }

// back returns the offset n characters before i, or the beginning.
func back(text string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return i
}

// forward returns the offset n characters after i, or the end.
func forward(text string, i, n int) int {
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

// maxUnbroken is how many bytes an excerpt drops to end at white space. A longer run without
// any, in a URL or a script without spaces, is split between tokens instead.
const maxUnbroken = 60

// startOfWord returns the first word boundary in [i, end].
func startOfWord(text string, i, end int) int {
	if i == 0 || i == end {
		return i
	}
	if last, _ := utf8.DecodeLastRuneInString(text[:i]); !unicode.IsSpace(last) {
		if space := strings.IndexFunc(text[i:end], unicode.IsSpace); space >= 0 && space <= maxUnbroken {
			i += space
		} else {
			i = startOfToken(text, i, end)
		}
	}
	return end - len(strings.TrimLeftFunc(text[i:end], unicode.IsSpace))
}

// endOfWord returns the last word boundary in [start, i].
func endOfWord(text string, start, i int) int {
	if i == len(text) || i == start {
		return i
	}
	if next, _ := utf8.DecodeRuneInString(text[i:]); !unicode.IsSpace(next) {
		if space := strings.LastIndexFunc(text[start:i], unicode.IsSpace); space >= 0 && i-start-space <= maxUnbroken {
			i = start + space
		} else {
			i = endOfToken(text, start, i)
		}
	}
	return start + len(strings.TrimRightFunc(text[start:i], unicode.IsSpace))
}

// startOfToken returns where the first token in [i, end] begins, or end.
func startOfToken(text string, i, end int) int {
	for from := range tokensAround(text, i) {
		if from >= i {
			return min(from, end)
		}
	}
	return end
}

// endOfToken returns where the last token in [start, i] ends, or start.
func endOfToken(text string, start, i int) int {
	end := start
	for _, to := range tokensAround(text, i) {
		if to > i {
			break
		}
		end = max(end, to)
	}
	return end
}

// maxTokenReach is how many characters before and after an offset are tokenized to find the
// tokens around it. It bounds the time for a text without spaces.
const maxTokenReach = 500

// tokensAround yields the byte ranges of the tokens around i, in order, up to the white space
// on either side. A token includes its sigil and the marks after it, even those that
// normalization drops.
func tokensAround(text string, i int) iter.Seq2[int, int] {
	start, end := back(text, i, maxTokenReach), forward(text, i, maxTokenReach)
	start += len(strings.TrimRightFunc(text[start:i], isNoSpace))
	end -= len(strings.TrimLeftFunc(text[i:end], isNoSpace))
	return func(yield func(from, to int) bool) {
		var t tokenizer
		t.tokenize(text[start:end])
		for _, tok := range t.words {
			from, to := start+int(tok.from), start+int(tok.to)
			for to < end && extendsAt(text, to) {
				to = forward(text, to, 1)
			}
			if !yield(sigilStart(text, start, from), to) {
				return
			}
		}
	}
}

func isNoSpace(r rune) bool { return !unicode.IsSpace(r) }

// extendsAt reports whether the character at i combines with the one before it.
func extendsAt(text string, i int) bool {
	const joiner = '\u200D'
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r == joiner || unicode.IsMark(r)
}

// wholeGraphemes returns the end of the grapheme clusters that fit into limit characters from
// start on, or the end of limit characters when the first cluster is longer.
func wholeGraphemes(text string, start, limit int) int {
	maxEnd := forward(text, start, limit)
	end := start
	for g := graphemes.FromString(text[start:]); g.Next() && start+g.End() <= maxEnd; {
		end = start + g.End()
	}
	if end == start {
		return maxEnd
	}
	return end
}
