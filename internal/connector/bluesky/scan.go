package bluesky

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// members calls member for each member of a JSON object, with its undecoded key and value, in order.
// It reports whether data is an object and nothing else. It checks only as much syntax as it needs
// to find where values end, so that skipping a value costs little; the user of a value decodes and
// validates it. Slices passed to member are parts of data.
func members(data []byte, member func(key, value []byte)) bool {
	i := skipSpace(data, 0)
	if i == len(data) || data[i] != '{' {
		return false
	}
	if i = skipSpace(data, i+1); i < len(data) && data[i] == '}' {
		return skipSpace(data, i+1) == len(data)
	}
	for i < len(data) && data[i] == '"' {
		keyEnd := skipString(data, i)
		if keyEnd < 0 {
			return false
		}
		key := data[i+1 : keyEnd-1]
		if i = skipSpace(data, keyEnd); i == len(data) || data[i] != ':' {
			return false
		}
		i = skipSpace(data, i+1)
		end := skipValue(data, i)
		if end < 0 {
			return false
		}
		member(key, data[i:end])
		if i = skipSpace(data, end); i == len(data) {
			return false
		}
		switch data[i] {
		case ',':
			i = skipSpace(data, i+1)
		case '}':
			return skipSpace(data, i+1) == len(data)
		default:
			return false
		}
	}
	return false
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the end of the string that starts at i, or -1 if it does not end.
func skipString(data []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		escapes := 0
		for data[i-1-escapes] == '\\' { // stops at the opening quote at the latest
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// skipValue returns the end of the value that starts at i, or -1 if there is none or it does not
// end.
func skipValue(data []byte, i int) int {
	if i == len(data) {
		return -1
	}
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		return skipNested(data, i)
	}
	end := i
	for end < len(data) && !isDelimiter(data[end]) {
		end++
	}
	if end == i {
		return -1
	}
	return end
}

// skipNested returns the end of the object or array that starts at i, or -1 if it does not end. It
// counts levels instead of recursing, because a hostile record may have a million.
func skipNested(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			if i = skipString(data, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

func isDelimiter(c byte) bool {
	switch c {
	case ',', '}', ']', ':', '"', '{', '[', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// plain returns the text of a JSON string. Most strings have no escapes, so it rarely copies. It
// returns nil for any other value.
func plain(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1]
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return nil
	}
	return []byte(s)
}

// integer returns the value of a JSON number, or 0 if it is not a whole number.
func integer(value []byte) int64 {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
