package opinion

import (
	binary "math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/model/classify"
)

// readStyle adds how the text, which r.text has the tokens of, is written.
func (r *reader) readStyle(text string) {
	text = strings.TrimSpace(text[:min(len(text), maxBytes)])
	if text == "" {
		return
	}
	var kinds [classify.Mark + 1]int
	tags, caps, drawn := 0, 0, 0
	for _, tok := range r.text.Tokens {
		kinds[tok.Kind]++
		tags += one(tok.Has(classify.Tagged) && !tok.Has(classify.Glued))
		caps += one(tok.Has(classify.Caps))
		drawn += one(tok.Has(classify.Drawn))
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	figures := [...]int{
		binary.Len(uint(2 * len(r.text.Tokens))),
		min(kinds[classify.Link], 2),
		min(kinds[classify.Mention], 2),
		min(tags, 3),
		min(kinds[classify.Emoji]+kinds[classify.Emoticon], 2),
		min(caps, 3),
		min(kinds[classify.Number], 2),
		min(kinds[classify.Mark], 2),
		min(drawn, 1),
		titled(text),
		one(unicode.IsUpper(first)),
		sign(first),
		sign(last),
	}
	r.hashes = r.hashes[:0]
	for i, n := range figures {
		r.hashes = append(r.hashes, figure(i, n))
	}
	r.keep(style, r.hashes)
}

// figure returns the hash of a figure with a value.
func figure(which, value int) uint64 { return classify.Mix(uint64(which)+100, uint64(value)) }

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// sign returns a rune that is neither letter nor digit, and 0 for those.
func sign(r rune) int {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return 0
	}
	return int(r)
}

// titled returns how many fifths of the words begin with a capital.
func titled(text string) int {
	capitals, all := 0, 0
	within := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if within {
			within = c > ' '
			continue
		}
		within = c > ' '
		switch {
		case 'a' <= c && c <= 'z':
			all++
		case 'A' <= c && c <= 'Z':
			all++
			capitals++
		case c >= utf8.RuneSelf:
			r, _ := utf8.DecodeRuneInString(text[i:])
			all += one(unicode.IsLetter(r))
			capitals += one(unicode.IsUpper(r))
		}
	}
	return 5 * capitals / max(all, 1)
}

// appendMood appends what models told of a post; nothing where they have not.
func appendMood(dst []uint64, p *earshot.Post) []uint64 {
	if at := p.Sentiment.Assigned(); at >= 0 {
		dst = append(dst, figure(20, at),
			figure(21, int(p.Sentiment[earshot.Positive]/25)), figure(22, int(p.Sentiment[earshot.Negative]/25)))
	}
	if at := p.Emotion.Assigned(); at >= 0 {
		dst = append(dst, figure(23, at))
		for k, share := range p.Emotion {
			if share >= 25 {
				dst = append(dst, figure(24, k))
			}
		}
	}
	for _, id := range p.Interests {
		dst = append(dst, figure(25, int(id)))
	}
	return dst
}
