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
	room := limit - 2*utf8.RuneCountInString(ellipsis)
	from, to := densestPassage(contentMatches(contents, spans), room)
	start, end := expandToWords(contents, from, to, room)
	e := Excerpt{Text: contents[start:end], from: start, to: end}
	if start > 0 {
		e.Text, e.lead = ellipsis+e.Text, len(ellipsis)
	}
	if end < len(contents) {
		e.Text += ellipsis
	}
	return e
}

// Fits reports whether text has at most limit characters. It looks at no more of it
// than that.
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

// MergeSpans returns the spans of two lists as one list like them: in order, none
// overlapping another.
func MergeSpans(a, b []Span) []Span {
	if len(a) == 0 {
		return b
	}
	return merge(slices.Concat(a, b))
}

// A match is a match in contents.
type match struct {
	from, to   int // bytes
	first, end int // the same in characters
	words      string
}

// contentMatches returns the spans of contents.
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
		f := match{from: sigilStart(contents, at, s.From), to: s.To, words: strings.ToLower(contents[s.From:s.To])}
		f.first, f.end = count(f.from), count(f.to)
		list = append(list, f)
	}
	return list
}

// sigilStart returns where a tag begins whose word is at i, but not before least.
func sigilStart(text string, least, i int) int {
	if r, size := utf8.DecodeLastRuneInString(text[least:i]); strings.ContainsRune("#@$＃＠＄", r) {
		return i - size
	}
	return i
}

// densestPassage returns the first stretch of no more than room characters that has the
// most different findings. It is empty, at the place to begin, when nothing was found
// or the first finding alone takes more room.
func densestPassage(list []match, room int) (from, to int) {
	within := map[string]int{}
	first, most := 0, 0
	for last, f := range list {
		within[f.words]++
		for f.end-list[first].first > room && first < last {
			drop(within, list[first].words)
			first++
		}
		if len(within) > most {
			most, from, to = len(within), list[first].from, f.to
			if f.end-list[first].first > room {
				to = from
			}
		}
	}
	return from, to
}

func drop(counts map[string]int, key string) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

// expandToWords widens the stretch of text from one byte to another to as many whole
// words as room has characters, about as many on either side. An empty stretch is
// where the text is to begin.
func expandToWords(text string, from, to, room int) (start, end int) {
	if from == to {
		return from, headOfText(text, from, room)
	}
	spare := room - utf8.RuneCountInString(text[from:to])
	start = startWithin(text, from, spare/2)
	end = endWithin(text, to, spare-utf8.RuneCountInString(text[start:from]))
	start = startWithin(text, from, spare-utf8.RuneCountInString(text[to:end])) // with what the end left over
	return start, end
}

// headOfText returns the end of the words from start on that room has space for.
func headOfText(text string, start, room int) int {
	if end := endWithin(text, start, room); end > start {
		return end
	}
	return wholeGraphemes(text, start, room) // a single word without end
}

// startWithin and endWithin return the place at which text may be cut that is
// furthest from i, but no more than n characters away.
func startWithin(text string, i, n int) int { return startOfWord(text, back(text, i, n), i) }
func endWithin(text string, i, n int) int   { return endOfWord(text, i, forward(text, i, n)) }

// back returns the place n characters before i, or the beginning.
func back(text string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return i
}

// forward returns the place n characters after i, or the end.
func forward(text string, i, n int) int {
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

// maxUnbroken is how many bytes without white space are too many to be left out for
// the sake of a cut at white space: an address, or a script that has none.
const maxUnbroken = 60

// startOfWord returns the first place from i to most at which text may be cut.
func startOfWord(text string, i, most int) int {
	if i == 0 || i == most {
		return i
	}
	if last, _ := utf8.DecodeLastRuneInString(text[:i]); !unicode.IsSpace(last) {
		if space := strings.IndexFunc(text[i:most], unicode.IsSpace); space >= 0 && space <= maxUnbroken {
			i += space
		} else {
			i = startOfToken(text, i, most)
		}
	}
	return most - len(strings.TrimLeftFunc(text[i:most], unicode.IsSpace))
}

// endOfWord returns the last place from least to i at which text may be cut.
func endOfWord(text string, least, i int) int {
	if i == len(text) || i == least {
		return i
	}
	if next, _ := utf8.DecodeRuneInString(text[i:]); !unicode.IsSpace(next) {
		if space := strings.LastIndexFunc(text[least:i], unicode.IsSpace); space >= 0 && i-least-space <= maxUnbroken {
			i = least + space
		} else {
			i = endOfToken(text, least, i)
		}
	}
	return least + len(strings.TrimRightFunc(text[least:i], unicode.IsSpace))
}

// startOfToken returns where the first token from i on begins, but not after most.
func startOfToken(text string, i, most int) int {
	for from := range tokensAround(text, i) {
		if from >= i {
			return min(from, most)
		}
	}
	return most
}

// endOfToken returns where the last token up to i ends, but not before least.
func endOfToken(text string, least, i int) int {
	end := least
	for _, to := range tokensAround(text, i) {
		if to > i {
			break
		}
		end = max(end, to)
	}
	return end
}

// maxTokenReach is how many characters before and after a place are enough to tell which
// token it lies in. In a longer one it lies in any case.
const maxTokenReach = 500

// tokensAround yields where the tokens around i stand, in order, up to the white space
// on either side. A sigil belongs to its token, and so do marks after it, also those
// that make no difference to the word.
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

// extendsAt reports whether the character at i is shown together with the one before it.
func extendsAt(text string, i int) bool {
	const joiner = '\u200D'
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r == joiner || unicode.IsMark(r)
}

// wholeGraphemes returns the end of as many characters from start on as room has,
// none of them without the marks on it as long as those fit at all.
func wholeGraphemes(text string, start, room int) int {
	most := forward(text, start, room)
	end := start
	for g := graphemes.FromString(text[start:]); g.Next() && start+g.End() <= most; {
		end = start + g.End()
	}
	if end == start {
		return most
	}
	return end
}
