package query

import (
	"strings"
	"unicode/utf8"
)

// A Use is a word, a phrase or the value of a field where a query has it.
type Use struct {
	UsedWord
	Excluded bool   // below NOT
	Query    *Query // selects the posts that have it

	// Words are the words of a word or phrase that is searched for in titles and contents. They are
	// empty for wildcards, exact texts and other fields.
	Words []UsedWord
}

// A UsedWord is a piece of a query.
type UsedWord struct {
	Text     string `json:"text"`     // as written, without quotes
	Position int    `json:"position"` // in characters, from 1
	Length   int    `json:"length"`   // in characters
}

// Uses returns the words, phrases and values of a query, in order of their nodes, up to a limit. It
// leaves out those that are not written as such, like the text of raw:"…".
func Uses(text string, limit int) ([]Use, error) {
	written := spelling{leaves: map[node]item{}}
	report := lint(text, Lenient, &written)
	if len(report.Errors) > 0 {
		return nil, &report.Errors[0]
	}
	u := useReader{source: []rune(text), written: written.leaves, limit: limit}
	u.walk(report.Query.root, false)
	return u.uses, nil
}

// A useReader collects the leaves of a tree.
type useReader struct {
	source  []rune
	written map[node]item // leaves that were not visited yet
	limit   int
	uses    []Use
}

func (u *useReader) walk(n node, excluded bool) {
	switch n := n.(type) {
	case and:
		u.walkAll(n, excluded)
	case or:
		u.walkAll(n, excluded)
	case *not:
		u.walk(n.operand, !excluded)
	case *near:
		u.walk(n.left, excluded)
		u.walk(n.right, excluded)
	case *window:
		u.walkAll(n.partNodes(), excluded)
	case *textField:
		if isTerm(n) {
			u.add(n, n.leaf, n.inText(), excluded)
		}
	case *word, *phrase:
		u.add(n, n, true, excluded)
	case *exact, *valueField:
		u.add(n, n, false, excluded)
	}
}

func (u *useReader) walkAll(nodes []node, excluded bool) {
	for _, n := range nodes {
		u.walk(n, excluded)
	}
}

// add adds the use of a node that is written as leaf, once.
func (u *useReader) add(n, leaf node, inText, excluded bool) {
	i, ok := u.written[leaf]
	if !ok || len(u.uses) == u.limit {
		return
	}
	delete(u.written, leaf) // NEAR may have copied it
	at, ok := u.find(i)
	if !ok {
		return
	}
	use := Use{UsedWord: UsedWord{Text: i.text, Position: at + 1, Length: utf8.RuneCountInString(i.text)}, Excluded: excluded, Query: &Query{root: n}}
	if inText {
		use.Words = usedWords(leaf, i.text, at)
	}
	u.uses = append(u.uses, use)
}

// find returns the offset of an item's text in the source, after a quotation mark or brace.
func (u *useReader) find(i item) (offset int, ok bool) {
	text := []rune(i.text)
	for at := i.position - 1; at >= 0 && at <= i.position+1; at++ {
		if at+len(text) <= len(u.source) && string(u.source[at:at+len(text)]) == i.text {
			return at, true
		}
	}
	return 0, false
}

// usedWords returns the words of a word or phrase whose text begins at an offset.
func usedWords(leaf node, text string, at int) (words []UsedWord) {
	var matchers []tokenMatcher
	switch n := leaf.(type) {
	case *word:
		matchers = []tokenMatcher{n.matcher}
	case *phrase:
		matchers = n.matchers
	}
	for _, m := range matchers {
		if t, ok := m.(*term); !ok || t.tokenWidth > 1 {
			return nil
		}
	}
	if strings.Contains(text, "://") || len(matchers) == 0 {
		return nil
	}
	var t tokenizer
	t.tokenize(text)
	for i := range t.words {
		tok := &t.words[i]
		from, to := int(tok.from), int(tok.to)
		if tok.sigil != 0 && from > 0 && text[from-1] == tok.sigil {
			from--
		}
		words = append(words, UsedWord{
			Text: text[from:to], Position: at + 1 + utf8.RuneCountInString(text[:from]), Length: utf8.RuneCountInString(text[from:to]),
		})
	}
	return words
}
