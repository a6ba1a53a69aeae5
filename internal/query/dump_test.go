package query

import (
	"fmt"
	"strings"
)

// dump spells out a tree with all node types. Two trees are equal if and only if their dumps are.
func dump(n node) string {
	list := func(nodes []node) string {
		var parts []string
		for _, n := range nodes {
			parts = append(parts, dump(n))
		}
		return strings.Join(parts, ", ")
	}
	switch n := n.(type) {
	case and:
		return "and(" + list(n) + ")"
	case or:
		return "or(" + list(n) + ")"
	case *not:
		return "not(" + dump(n.operand) + ")"
	case *word:
		return dumpMatcher(n.matcher)
	case *phrase:
		var parts []string
		for _, e := range n.matchers {
			parts = append(parts, dumpMatcher(e))
		}
		return "phrase(" + strings.Join(parts, ", ") + ")"
	case *exact:
		return fmt.Sprintf("raw(%q, %d, %d)", n.text, n.lead, n.width())
	case *near:
		return fmt.Sprintf("near(%s, %s, %d, %t)", dump(n.left), dump(n.right), n.distance, n.ordered)
	case *window:
		var parts []node
		for _, p := range n.parts {
			parts = append(parts, p)
		}
		return fmt.Sprintf("window(%s, %d, %t)", list(parts), n.distance, n.quoted)
	case *textField:
		return n.field.name + "(" + dump(n.leaf) + ")"
	case *valueField:
		return fmt.Sprintf("%s(%q, %q)", n.field.name, n.text, n.plain)
	case *rangeField:
		return fmt.Sprintf("%s(%v, %v)", n.field.name, n.from, n.to)
	}
	return fmt.Sprintf("%T", n)
}

func dumpMatcher(e tokenMatcher) string { return fmt.Sprintf("%+v", e) }
