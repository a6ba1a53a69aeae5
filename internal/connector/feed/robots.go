package feed

import (
	"bytes"
	"strings"
)

// agent is the name by which rules in robots.txt address this program. It starts its User-Agent.
const agent = "earshot"

// Limits on robots.txt. RFC 9309 requires parsing at least 500 KiB.
const (
	maxRobots      = 512 << 10
	maxRobotsRules = 2000
)

// robots are the rules of a robots.txt file that apply to this program, as defined by RFC 9309.
// The zero value allows everything.
type robots struct{ rules []rule }

// A rule allows or disallows the paths that match a pattern: a prefix in which * matches any
// characters and a final $ the end of the path.
type rule struct {
	pattern string
	allow   bool
}

// disallowAll is used while robots.txt cannot be read.
var disallowAll = robots{[]rule{{"/", false}}}

// parseRobots parses robots.txt. Lines that are not understood are ignored.
func parseRobots(text []byte) robots {
	text = bytes.TrimPrefix(text[:min(len(text), maxRobots)], []byte("\uFEFF"))
	var ours, others []rule
	found := false                   // a group names this program
	inOurs, inOthers := false, false // the current group is for this program, for all programs
	listing := false                 // the last line named a program
	for line := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		name, value, ok := strings.Cut(string(line), ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "user-agent":
			if !listing {
				inOurs, inOthers = false, false
			}
			listing = true
			product, _, _ := strings.Cut(value, "/")
			switch {
			case value == "*":
				inOthers = true
			case strings.EqualFold(strings.TrimSpace(product), agent):
				inOurs, found = true, true
			}
		case "allow", "disallow":
			listing = false
			r := rule{normalizePath(value), name == "allow"}
			if value == "" {
				continue
			}
			if inOurs && len(ours) < maxRobotsRules {
				ours = append(ours, r)
			}
			if inOthers && len(others) < maxRobotsRules {
				others = append(others, r)
			}
		}
	}
	if found {
		return robots{ours}
	}
	return robots{others}
}

// allowed reports whether a path with its query may be fetched. The rule with the longest pattern
// decides. If an allowing and a disallowing rule have the same length, the allowing one does.
func (r robots) allowed(path string) bool {
	path = normalizePath(path)
	if path == "/robots.txt" {
		return true
	}
	longest, allow := -1, true
	for _, rule := range r.rules {
		if n := len(rule.pattern); n >= longest && matchPath(rule.pattern, path) {
			allow = rule.allow || n == longest && allow
			longest = n
		}
	}
	return allow
}

// matchPath reports whether a pattern matches the start of a path. It takes time in proportion to
// the product of their lengths at most.
func matchPath(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	for i, part := range parts[1:] {
		if anchored && i == len(parts)-2 {
			return strings.HasSuffix(rest, part)
		}
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return !anchored || rest == ""
}

// normalizePath makes escapes comparable: characters outside of ASCII are escaped, escapes of
// characters that need none are not, and hexadecimal digits are upper case.
func normalizePath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]):
			if decoded := unhex(path[i+1])<<4 | unhex(path[i+2]); isUnreserved(decoded) {
				b.WriteByte(decoded)
			} else {
				b.WriteString(strings.ToUpper(path[i : i+3]))
			}
			i += 2
		case c > ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		}
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
