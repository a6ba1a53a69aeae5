package query

import "strings"

// Accounts returns the usernames that q looks for outside of NOT, in lower case, each once: those
// that it mentions (@acme, at_mentions:acme) and those of authors (author:acme). It leaves out
// patterns and names of several words.
func (q *Query) Accounts() []string {
	var names []string
	seen := map[string]bool{"": true}
	addAccounts(q.root, func(name string) {
		if name = strings.ToLower(strings.TrimLeft(name, "@")); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	})
	return names
}

func addAccounts(n node, add func(name string)) {
	switch n := n.(type) {
	case and:
		for _, part := range n {
			addAccounts(part, add)
		}
	case or:
		for _, part := range n {
			addAccounts(part, add)
		}
	case *textField:
		if name, ok := singleName(n.leaf); ok && n.field.name == "author" {
			add(name)
		}
	case *valueField:
		if n.field.name == "at_mentions" && !n.pattern {
			add(n.text)
		}
	case spanNode:
		if name, ok := singleName(n); ok && strings.HasPrefix(name, "@") {
			add(name)
		}
	}
}

// singleName returns the text of a node that stands for a single word, including its sigil.
func singleName(n spanNode) (name string, ok bool) {
	switch n := n.(type) {
	case *word:
		if t, ok := n.matcher.(*term); ok {
			return string(t.print(nil)), true
		}
	case *exact:
		return n.text, len(n.terms) == 1 && !strings.ContainsAny(n.text, " \t\n")
	}
	return "", false
}
