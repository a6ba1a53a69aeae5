package opinion

import (
	binary "math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/model/classify"
)

// addStyle adds features that describe how a text is written. x.text must contain its tokens.
func (x *extractor) addStyle(text string) {
	text = strings.TrimSpace(text[:min(len(text), maxBytes)])
	if text == "" {
		return
	}
	var kinds [classify.Punctuation + 1]int
	tags, caps, drawn := 0, 0, 0
	for _, tok := range x.text.Tokens {
		kinds[tok.Kind]++
		tags += toInt(tok.Has(classify.InHashtag) && !tok.Has(classify.NoSpaceBefore))
		caps += toInt(tok.Has(classify.Caps))
		drawn += toInt(tok.Has(classify.Elongated))
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	values := [...]int{
		binary.Len(uint(2 * len(x.text.Tokens))),
		min(kinds[classify.Link], 2),
		min(kinds[classify.Mention], 2),
		min(tags, 3),
		min(kinds[classify.Emoji]+kinds[classify.Emoticon], 2),
		min(caps, 3),
		min(kinds[classify.Number], 2),
		min(kinds[classify.Punctuation], 2),
		min(drawn, 1),
		titled(text),
		toInt(unicode.IsUpper(first)),
		punctuation(first),
		punctuation(last),
	}
	x.hashes = x.hashes[:0]
	for i, n := range values {
		x.hashes = append(x.hashes, numericFeature(i, n))
	}
	x.add(style, x.hashes)
}

// numericFeature returns the hash of a feature given by its number and value.
func numericFeature(which, value int) uint64 { return classify.Mix(uint64(which)+100, uint64(value)) }

// toInt returns 1 for true and 0 for false.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// punctuation returns r, or 0 if r is a letter or a digit.
func punctuation(r rune) int {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return 0
	}
	return int(r)
}

// titled returns the fraction of capitalized words, in fifths.
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
			all += toInt(unicode.IsLetter(r))
			capitals += toInt(unicode.IsUpper(r))
		}
	}
	return 5 * capitals / max(all, 1)
}

// appendInferred appends features for attributes inferred by other models.
func appendInferred(dst []uint64, p *earshot.Post) []uint64 {
	if at := p.Sentiment.Assigned(); at >= 0 {
		dst = append(dst, numericFeature(20, at),
			numericFeature(21, int(p.Sentiment[earshot.Positive]/25)), numericFeature(22, int(p.Sentiment[earshot.Negative]/25)))
	}
	if at := p.Emotion.Assigned(); at >= 0 {
		dst = append(dst, numericFeature(23, at))
		for k, score := range p.Emotion {
			if score >= 25 {
				dst = append(dst, numericFeature(24, k))
			}
		}
	}
	for _, id := range p.Interests {
		dst = append(dst, numericFeature(25, int(id)))
	}
	return dst
}
