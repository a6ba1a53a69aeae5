package geo

import (
	"strings"
	"unicode/utf8"

	"earshot"
)

const (
	firstIndicator = '\U0001F1E6' // stands for A in flags
	lastIndicator  = '\U0001F1FF'
	blackFlag      = '\U0001F3F4' // begins the flags of parts of countries
	tagBase        = '\U000E0000' // tags that follow it stand for letters
	cancelTag      = '\U000E007F'
)

// scanFlag notes the country whose flag text begins with, and returns the length of
// the flag; 0 when there is none.
func (l *location) scanFlag(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	if first == blackFlag {
		return l.scanTags(text)
	}
	second, m := utf8.DecodeRuneInString(text[n:])
	if !isIndicator(first) || !isIndicator(second) {
		return 0
	}
	code := [2]byte{byte('A' + first - firstIndicator), byte('A' + second - firstIndicator)}
	if c, ok := countries()[string(code[:])]; ok {
		l.addFlag(earshot.Place{Country: c.Code})
	}
	return n + m
}

func isIndicator(r rune) bool { return firstIndicator <= r && r <= lastIndicator }

// scanTags reads the flags of England, Scotland and Wales.
func (l *location) scanTags(text string) int {
	var tags [8]byte
	count, length := 0, utf8.RuneLen(blackFlag)
	for length < len(text) && count < len(tags) {
		r, n := utf8.DecodeRuneInString(text[length:])
		if r <= tagBase || r > cancelTag {
			break
		}
		length += n
		if r == cancelTag {
			break
		}
		tags[count] = byte(r - tagBase)
		count++
	}
	switch code := string(tags[:count]); {
	case strings.HasPrefix(code, "gbeng"):
		l.addFlag(earshot.Place{Country: "GBR", State: "England"})
	case strings.HasPrefix(code, "gbsct"):
		l.addFlag(earshot.Place{Country: "GBR", State: "Scotland"})
	case strings.HasPrefix(code, "gbwls"):
		l.addFlag(earshot.Place{Country: "GBR", State: "Wales"})
	}
	return length
}

func (l *location) addFlag(p earshot.Place) {
	if i, found := findIndex(p); found && l.flagCount < maxFlags {
		l.flags[l.flagCount] = i
		l.flagCount++
	}
}
