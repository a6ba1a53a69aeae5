package rest

import "strings"

// A query maps the lowercase names of query parameters to their non-empty values. Each has at
// least one.
type query map[string][]string

// parseQuery parses a query string. It deliberately differs from net/url: only '&' separates
// parameters, because filter values contain ';', and an invalid escape sequence is kept as text
// instead of discarding the parameter.
func parseQuery(raw string) query {
	q := query{}
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" {
			continue
		}
		name = strings.ToLower(unescape(name))
		q[name] = append(q[name], unescape(value))
	}
	return q
}

// get returns the first value of a parameter, or "" if it is absent or empty. It ignores the case
// of the name.
func (q query) get(name string) string {
	if values := q[strings.ToLower(name)]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// first returns the value of the first of the named parameters that has one, or "".
func (q query) first(names []string) string {
	for _, name := range names {
		if value := q.get(name); value != "" {
			return value
		}
	}
	return ""
}

func (q query) all(names []string) (values []string) {
	for _, name := range names {
		values = append(values, q[strings.ToLower(name)]...)
	}
	return values
}

// unescape decodes '+' and %XX. It keeps invalid escape sequences.
func unescape(s string) string {
	if !strings.ContainsAny(s, "+%") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b.WriteByte(' ')
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b.WriteByte(fromHex(s[i+1])<<4 | fromHex(s[i+2]))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func fromHex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
