package query

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// An Excerpt is a shortened version of a post's contents.
type Excerpt struct {
	Text     string
	from, to int // byte range of the contents that Text shows
	lead     int // length in bytes of the ellipsis before that range
}

// NewExcerpt returns at most limit characters of contents: the passage with the most distinct
// matches, extended to whole words, with "…" where text is omitted. On a tie, the first passage
// wins. Contents that fit are returned unchanged.
//
// spans come from [Query.Spans]. Spans of the title are ignored. Without other spans, the excerpt
// is the start of the contents. A match that does not fit is truncated. limit must be at least 3.
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

// Fits reports whether text has at most limit characters. It reads no more than limit+1 of them.
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

// MergeSpans merges two lists of spans into one, in order and without overlaps.
func MergeSpans(a, b []Span) []Span {
	if len(a) == 0 {
		return b
	}
	return merge(slices.Concat(a, b))
}

// A match is a match in the contents.
type match struct {
	from, to   int // bytes
	first, end int // characters
	words      string
}

// contentMatches returns the matches in the contents, in order.
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

// sigilStart returns the start of the tag whose word is at i, but at least start. If there is no
// sigil before the word, it returns i.
func sigilStart(text string, start, i int) int {
	if r, size := utf8.DecodeLastRuneInString(text[start:i]); strings.ContainsRune("#@$＃＠＄", r) {
		return i - size
	}
	return i
}

// densestPassage returns the first passage of at most limit characters that has the most distinct
// matches. It is empty if there are no matches, or if the first match alone exceeds the limit.
func densestPassage(list []match, limit int) (from, to int) {
	counts := map[string]int{} // number of occurrences of each match in the sliding window [first, last]
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

// expandToWords expands the passage text[from:to] to whole words, up to limit characters and evenly
// on both sides. If the passage is empty, the result starts there.
func expandToWords(text string, from, to, limit int) (start, end int) {
	if from == to {
		if end := endWithin(text, from, limit); end > from {
			return from, end
		}
		return from, wholeGraphemes(text, from, limit) // a single word longer than the limit
	}
	spare := limit - utf8.RuneCountInString(text[from:to])
	start = startWithin(text, from, spare/2)
	end = endWithin(text, to, spare-utf8.RuneCountInString(text[start:from]))
	// The end may leave characters over for the start.
	start = startWithin(text, from, spare-utf8.RuneCountInString(text[to:end]))
	return start, end
}

// startWithin and endWithin return the word boundary farthest from i, but at most n characters
// away.
func startWithin(text string, i, n int) int { return startOfWord(text, back(text, i, n), i) }
func endWithin(text string, i, n int) int   { return endOfWord(text, i, forward(text, i, n)) }

// back returns the offset n characters before i, or 0 if there are fewer.
func back(text string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return i
}

// forward returns the offset n characters after i, or the end of text if there are fewer.
func forward(text string, i, n int) int {
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

// maxUnbroken is the maximum number of bytes that an excerpt drops in order to end at whitespace. A
// longer run without whitespace, such as a URL or text in a script without spaces, is split between
// tokens instead.
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

// startOfToken returns the start of the first token in [i, end], or end.
func startOfToken(text string, i, end int) int {
	for from := range tokensAround(text, i) {
		if from >= i {
			return min(from, end)
		}
	}
	return end
}

// endOfToken returns the end of the last token in [start, i], or start.
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

// maxTokenReach is the number of characters before and after an offset that are tokenized to find
// the tokens around it. It limits the time spent on a text without spaces.
const maxTokenReach = 500

// tokensAround yields the byte ranges of the tokens around i, in order, up to the whitespace on
// either side. A token includes its sigil and the marks after it, even marks that normalization
// drops.
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

// extendsAt reports whether the character at i combines with the preceding one.
func extendsAt(text string, i int) bool {
	const joiner = '\u200D'
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r == joiner || unicode.IsMark(r)
}

// wholeGraphemes returns the end of the grapheme clusters that fit into limit characters after
// start. If the first cluster is longer, it returns the end of limit characters.
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
