package bench

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// A draft is what is taken over from a post of the sample, and the places at which its
// text can be varied. There are many, so it has nothing else.
type draft struct {
	source       earshot.Source
	title        string
	contents     string
	language     string
	engagement   earshot.Engagement
	engagingWith string
	hashtags     []string
	mentions     []string

	words   []span // of letters alone, which stand free
	links   []span
	kindred *alternatives
}

// alternatives are the drafts in one language, by their number.
type alternatives struct{ drafts []int32 }

// A span is a piece of a text.
type span struct{ start, end int32 }

func newSpan(start, end int) span { return span{int32(start), int32(end)} }

func (s span) of(text string) string { return text[s.start:s.end] }

// newDraft takes over what p says after enrichment, and finds the words and links in it.
func newDraft(p *earshot.Post) draft {
	d := draft{
		source:       p.Source,
		title:        p.Title,
		contents:     p.Contents,
		language:     p.Language,
		engagement:   p.Engagement,
		engagingWith: p.EngagingWith,
		hashtags:     p.Hashtags,
		mentions:     p.Mentions,
	}
	for at := 0; at < len(d.contents); {
		length := fieldLength(d.contents[at:])
		if length == 0 {
			_, size := utf8.DecodeRuneInString(d.contents[at:])
			at += size
			continue
		}
		d.addPiece(newSpan(at, at+length))
		at += length
	}
	return d
}

func (d *draft) addPiece(piece span) {
	switch word := piece.of(d.contents); {
	case isLink(word):
		d.links = append(d.links, piece)
	case !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }):
		d.words = append(d.words, piece)
	}
}

// fieldLength returns how many bytes of text come before the first space.
func fieldLength(text string) int {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return i
	}
	return len(text)
}

func isLink(word string) bool {
	return strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}

// codeOf returns the last part of the path of a link, which varies from link to
// link; it is empty for a link that has no path.
func codeOf(text string, link span) span {
	address := link.of(text)
	slash := strings.LastIndexByte(address, '/')
	if slash <= len("https://") {
		return span{link.end, link.end}
	}
	code := address[slash+1:]
	length := strings.IndexFunc(code, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if length < 0 {
		length = len(code)
	}
	start := int(link.start) + slash + 1
	return newSpan(start, start+length)
}
