package jsonvalue

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendString appends s as a quoted JSON string, like encoding/json without HTML escaping. It
// replaces invalid UTF-8.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		size := 1
		if c < utf8.RuneSelf {
			b = append(b, s[start:i]...)
			b = appendEscaped(b, c)
			start = i + 1
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' { // JavaScript treats the last two as line terminators
				b = append(b, s[start:i]...)
				b = appendUnicode(b, r)
				start = i + size
			}
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// plain marks the ASCII characters that do not need escaping.
var plain = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// appendEscaped appends the escape sequence of a character.
func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return appendUnicode(b, rune(c))
}

func appendUnicode(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// AppendNumber appends f as JSON, like encoding/json. f must be finite.
func AppendNumber(b []byte, f float64) []byte {
	if n := int(f*100 + 0.5); n >= 0 && n < 100 && float64(n)/100 == f && !math.Signbit(f) {
		return appendHundredths(b, n) // most numbers are scores
	}
	if abs := math.Abs(f); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // encoding/json writes 1e-7, not 1e-07
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// appendHundredths appends n/100, for n from 0 to 99.
func appendHundredths(b []byte, n int) []byte {
	b = append(b, '0')
	if n > 0 {
		b = append(b, '.', '0'+byte(n/10))
	}
	if n%10 > 0 {
		b = append(b, '0'+byte(n%10))
	}
	return b
}
