package bench

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// A draft contains the attributes copied from a post of the sample, and the positions where its
// text can be varied. It has no other fields, because there are many drafts.
type draft struct {
	source       earshot.Source
	title        string
	contents     string
	language     string
	engagement   earshot.Engagement
	engagingWith string
	hashtags     []string
	mentions     []string

	words   []span // words that consist only of letters and are surrounded by spaces
	links   []span
	kindred *alternatives
}

// alternatives are the indexes of the drafts in one language.
type alternatives struct{ drafts []int32 }

// A span is a byte range of a text.
type span struct{ start, end int32 }

func newSpan(start, end int) span { return span{int32(start), int32(end)} }

func (s span) of(text string) string { return text[s.start:s.end] }

// newDraft copies the attributes of an enriched post and finds the words and links in its text.
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

// fieldLength returns the number of bytes before the first whitespace in text.
func fieldLength(text string) int {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return i
	}
	return len(text)
}

func isLink(word string) bool {
	return strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}

// codeOf returns the last part of a link's path, which varies from link to link. It is empty if the
// link has no path.
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
