package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"earshot"
)

// A path leads from a JSON value to values within it.
type path []step

// A step leads to a member of an object, to an element of a list, or to all its elements.
type step struct {
	name  string
	index int  // if name is empty: -1 for all elements
	root  bool // to the whole body; name is empty
}

func (p path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.root:
			b.WriteByte('$')
		case s.name != "":
			if i > 0 {
				b.WriteByte('.')
			}
			if plainName(s.name) {
				b.WriteString(s.name)
			} else {
				quoted, _ := json.Marshal(s.name) // a string can always be encoded
				b.Write(quoted)
			}
		case s.index < 0:
			b.WriteString("[]")
		default:
			fmt.Fprintf(&b, "[%d]", s.index)
		}
	}
	return b.String()
}

// plainName reports whether a name needs no quotes.
func plainName(name string) bool {
	return name != "" && name != "$" && !strings.ContainsAny(name, " \t.[]\"=#")
}

// parsePath parses a path such as data.posts[].text.
func parsePath(text string) (path, error) {
	var p path
	rest := text
	for rest != "" {
		var s step
		var err error
		switch {
		case rest[0] == '[':
			s, rest, err = parseIndex(rest)
		default:
			if len(p) > 0 {
				var ok bool
				if rest, ok = strings.CutPrefix(rest, "."); !ok {
					return nil, wrongPath(text, "a dot is missing after a quote or bracket")
				}
			}
			s, rest, err = parseName(rest)
		}
		if err == nil && s.root && len(p) > 0 {
			err = errors.New("$ stands for the whole body and must come first")
		}
		if err != nil {
			return nil, wrongPath(text, err.Error())
		}
		if p = append(p, s); len(p) > maxPathSteps {
			return nil, wrongPath(text, fmt.Sprintf("it has more than %d steps", maxPathSteps))
		}
	}
	if len(p) == 0 {
		return nil, errors.New("the path is empty")
	}
	return p, nil
}

func wrongPath(text, why string) error {
	return fmt.Errorf("'%s' is not a path such as data.posts[].text: %s", earshot.Clip(text, 60), why)
}

func parseIndex(text string) (s step, rest string, err error) {
	inside, rest, ok := strings.Cut(text[1:], "]")
	if !ok {
		return s, "", errors.New("a bracket is not closed")
	}
	s.index = -1
	if inside = strings.TrimSpace(inside); inside != "" {
		n, err := strconv.ParseUint(inside, 10, 31)
		if err != nil {
			return s, "", errors.New("brackets must be empty or contain a number such as 0")
		}
		s.index = int(n)
	}
	return s, rest, nil
}

func parseName(text string) (s step, rest string, err error) {
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return s, "", errors.New("a quote is not closed")
		}
		if err := json.Unmarshal([]byte(quoted), &s.name); err != nil || s.name == "" {
			return s, "", errors.New("a quoted name must be a non-empty JSON string")
		}
		return s, text[len(quoted):], nil
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	switch name := text[:end]; {
	case name == "$":
		s.root = true
	case plainName(name):
		s.name = name
	default:
		return s, "", errors.New("a name is empty, or must be quoted because it contains spaces, quotes or brackets")
	}
	return s, text[end:], nil
}

// find returns the values at the path, starting from a value, in order, but at most about limit. Root
// is the whole body.
func (p path) find(root, from any, limit int) []any {
	found := []any{from}
	for _, s := range p {
		var next []any
		for _, v := range found[:min(len(found), limit)] {
			next = s.appendTo(next, root, v, limit)
		}
		found = next
	}
	return found
}

func (s step) appendTo(found []any, root, v any, limit int) []any {
	if s.root {
		return append(found, root)
	}
	if s.name != "" {
		if object, ok := v.(map[string]any); ok {
			if member, ok := object[s.name]; ok {
				return append(found, member)
			}
		}
		return found
	}
	list, _ := v.([]any)
	switch {
	case s.index < 0:
		return append(found, list[:min(len(list), limit)]...)
	case s.index < len(list):
		return append(found, list[s.index])
	}
	return found
}

// exists reports whether there is a value at the path without a final []; an empty list counts.
func (p path) exists(root any) bool {
	if last := len(p) - 1; p[last].name == "" && !p[last].root && p[last].index < 0 {
		for _, v := range p[:last].find(root, root, math.MaxInt) {
			if _, ok := v.([]any); ok {
				return true
			}
		}
		return false
	}
	return len(p.find(root, root, 1)) > 0
}
