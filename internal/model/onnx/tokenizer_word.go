package onnx

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fields splits texts at whitespace.
func fields(texts []string) []string {
	var words []string
	for _, text := range texts {
		words = append(words, strings.Fields(text)...)
	}
	return words
}

// bertWords splits texts at whitespace and around every punctuation mark.
func bertWords(texts []string) []string {
	var words []string
	for _, text := range texts {
		start := 0
		for i, c := range text {
			space, mark := unicode.IsSpace(c), isPunctuation(c)
			if !space && !mark {
				continue
			}
			if start < i {
				words = append(words, text[start:i])
			}
			start = i + utf8.RuneLen(c)
			if mark {
				words = append(words, text[i:start])
			}
		}
		if start < len(text) {
			words = append(words, text[start:])
		}
	}
	return words
}

// isPunctuation reports whether c is punctuation. It includes ASCII characters that Unicode
// classifies as symbols.
func isPunctuation(c rune) bool {
	switch {
	case c >= '!' && c <= '/', c >= ':' && c <= '@', c >= '[' && c <= '`', c >= '{' && c <= '~':
		return true
	}
	return unicode.IsPunct(c)
}

// metaspaceWords replaces spaces with a sign and splits before each. scheme determines whether a
// sign is prepended: never, only to the first word ("first"), or always ("").
func metaspaceWords(sign, scheme string) func([]string) []string {
	if sign == "" {
		sign = "▁"
	}
	return func(texts []string) []string {
		var words []string
		for i, text := range texts {
			text = strings.ReplaceAll(text, " ", sign)
			if front := scheme != "never" && (scheme != "first" || i == 0); front && !strings.HasPrefix(text, sign) {
				text = sign + text
			}
			for text != "" {
				next := strings.Index(text[min(len(sign), len(text)):], sign)
				if next < 0 {
					words = append(words, text)
					break
				}
				words = append(words, text[:next+len(sign)])
				text = text[next+len(sign):]
			}
		}
		return words
	}
}

// byteWords splits texts as GPT-2 does, and maps each byte of a word to the character that
// represents it in the vocabulary.
func byteWords(prefixSpace, cut bool) func([]string) []string {
	signs := byteSigns()
	return func(texts []string) []string {
		var words []string
		for _, text := range texts {
			if prefixSpace && text != "" && !strings.HasPrefix(text, " ") {
				text = " " + text
			}
			for text != "" {
				n := len(text)
				if cut {
					n = gptWord(text)
				}
				words = append(words, signWord(text[:n], &signs))
				text = text[n:]
			}
		}
		return words
	}
}

func signWord(word string, signs *[256]rune) string {
	var b strings.Builder
	for i := range len(word) {
		b.WriteRune(signs[word[i]])
	}
	return b.String()
}

// byteSigns returns the characters that represent bytes: printable Latin-1 characters represent
// themselves, and characters from 256 on represent the rest.
func byteSigns() (signs [256]rune) {
	next := rune(256)
	for b := range signs {
		if b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE {
			signs[b] = rune(b)
		} else {
			signs[b] = next
			next++
		}
	}
	return signs
}

// gptWord returns the length of the first match of the GPT-2 pattern:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func gptWord(text string) int {
	for _, ending := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if strings.HasPrefix(text, ending) {
			return len(ending)
		}
	}
	body := strings.TrimPrefix(text, " ")
	first, _ := utf8.DecodeRuneInString(body)
	if body != "" && !unicode.IsSpace(first) {
		class := classOf(first)
		n := strings.IndexFunc(body, func(c rune) bool { return classOf(c) != class })
		if n < 0 {
			return len(text)
		}
		return len(text) - len(body) + n
	}
	end := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsSpace(c) })
	if end < 0 {
		return len(text)
	}
	// The last space before a word belongs to the word if other spaces precede it.
	_, last := utf8.DecodeLastRuneInString(text[:end])
	if end > last {
		return end - last
	}
	return end
}

// classOf classifies characters. Characters of the same class form words.
func classOf(c rune) int {
	switch {
	case unicode.IsSpace(c):
		return 0
	case unicode.IsLetter(c):
		return 1
	case unicode.IsNumber(c):
		return 2
	}
	return 3
}
