package query

import (
	"bytes"
	"strings"
)

// A Formula is the meaning of a query as a tree, for engines that cannot call [Query.Match] for
// every post, such as a database that compiles the query to its own language. An engine that
// evaluates the tree as documented here selects exactly the posts that Match accepts. A node that
// an engine cannot evaluate is undecided: what the engine returns for it must contain every post
// that Match may accept, and Match decides those.
//
// A Formula is an [AllOf], [AnyOf], [Not], [HasWord], [HasPhrase], [HasExact], [HasNear],
// [HasWindow], [InText], [HasValue] or [InRange].
//
// The formula of `"new york" -title:pizza country:us` is
//
//	AllOf{
//		HasPhrase{{Plain: "new", …}, {Plain: "york", …}},
//		Not{InText{"title", HasWord{{Plain: "pizza", …}}}},
//		HasValue{Field: "country", Plain: "us", Text: "us"},
//	}
//
// Words, phrases and distances are about the tokens of a text, which [Document.Token] lists by
// position: those of title and contents, or of a field inside an InText. A match of HasWord,
// HasPhrase, HasExact, HasNear, HasWindow, or of an AnyOf of these is a span: a start position and
// a width.
type Formula interface{ isFormula() }

type (
	// AllOf holds if all formulas hold.
	AllOf []Formula

	// AnyOf holds if at least one formula holds. It has the spans of all its formulas.
	AnyOf []Formula

	// Not holds if its operand does not.
	Not struct{ Operand Formula }

	// HasWord holds if a token of the text matches. Its spans start at these tokens and have the
	// pattern's width.
	HasWord struct{ Pattern TokenPattern }

	// HasPhrase holds if tokens match the patterns one after another: each starts where the
	// previous one ends. Its spans have the sum of the widths.
	HasPhrase []TokenPattern

	// HasExact holds if a text contains Text verbatim, as whole words. Tokens do not say how they
	// are written, so they cannot decide it. If Words is not empty, the text has them as a phrase
	// wherever HasExact has a span.
	HasExact struct {
		Text  string
		Words []TokenPattern
	}

	// HasNear holds if a span of one operand ends and a span of the other starts after at most
	// Distance positions. If Ordered, Left comes first. If an operand is itself a HasNear, it has
	// several spans: see the methods of near in node_near.go, which an engine must follow.
	HasNear struct {
		Left, Right Formula
		Distance    int
		Ordered     bool
	}

	// HasWindow holds if one of its cases does.
	HasWindow []WindowCase

	// InText holds if the operand holds for the tokens of the named field alone, for example title
	// or contents. The operand is a formula with spans.
	InText struct {
		Field   string
		Operand Formula
	}

	// HasValue holds if the field of the post has a value that equals the wanted one or, if Pattern
	// is set, that matches it. [Document.Values] lists the values. Text is compared with the text of
	// a value if it has accents, that is, if it differs from Plain. Otherwise Plain is compared with
	// the value's plain spelling.
	HasValue struct {
		Field       string
		Plain, Text string
		Pattern     bool // * stands for any run of characters, ? for one
	}

	// InRange holds if the post states a number in the field, and the number is in [From, To]. The
	// bounds may be infinite.
	InRange struct {
		Field    string
		From, To float64
	}
)

// A WindowCase holds if all parts have spans within Length positions, each part Count of them. No
// two spans may start at the same position. Unless MayOverlap is set, the spans of different parts
// never do.
type WindowCase struct {
	Parts      []WindowPart
	Length     int
	MayOverlap bool
}

// A WindowPart is a part of a window. All spans of its formula have this width.
type WindowPart struct {
	Formula Formula
	Width   int
	Count   int
}

// A TokenPattern matches tokens. A token matches if its sigil is the pattern's, unless that is 0,
// if its width is the pattern's, and if its text equals Text or, where Text has no accents and is
// thus equal to Plain, if its plain spelling equals Plain.
//
// If Wildcard is set, * in Text and Plain stands for any run of characters and ? for one. A match
// has the width 1 then. The token may be wider if the pattern has a sigil.
type TokenPattern struct {
	Sigil       byte // '#', '@' or '$', or 0
	Plain, Text string
	Width       int
	Wildcard    bool
}

// HasAccents reports whether the pattern matches the text of tokens, not their plain spelling.
func (p TokenPattern) HasAccents() bool { return p.Text != p.Plain }

// Prefix returns the part of Text before the first wildcard, and whether only one * follows.
func (p TokenPattern) Prefix() (prefix string, only bool) {
	i := strings.IndexAny(p.Text, "*?")
	if !p.Wildcard || i < 0 {
		return p.Text, false
	}
	return p.Text[:i], p.Text[i:] == "*"
}

func (AllOf) isFormula()     {}
func (AnyOf) isFormula()     {}
func (Not) isFormula()       {}
func (HasWord) isFormula()   {}
func (HasPhrase) isFormula() {}
func (HasExact) isFormula()  {}
func (HasNear) isFormula()   {}
func (HasWindow) isFormula() {}
func (InText) isFormula()    {}
func (HasValue) isFormula()  {}
func (InRange) isFormula()   {}

// Formula returns the meaning of the query.
func (q *Query) Formula() Formula { return formulaOf(q.root) }

func formulaOf(n node) Formula {
	switch n := n.(type) {
	case and:
		return AllOf(formulasOf(n))
	case or:
		return AnyOf(formulasOf(n))
	case *not:
		return Not{formulaOf(n.operand)}
	case *word:
		return HasWord{patternOf(n.matcher)}
	case *phrase:
		return HasPhrase(patternsOf(n.matchers))
	case *exact:
		return HasExact{n.text, patternsOf(n.matchers())}
	case *near:
		return HasNear{Left: formulaOf(n.left), Right: formulaOf(n.right), Distance: n.distance, Ordered: n.ordered}
	case *window:
		return windowFormula(n)
	case *textField:
		return InText{n.field.name, formulaOf(n.leaf)}
	case *valueField:
		return n.formula()
	case *rangeField:
		return InRange{n.field.name, n.from, n.to}
	}
	panic("query: unknown node")
}

func formulasOf(nodes []node) []Formula {
	made := make([]Formula, len(nodes))
	for i, n := range nodes {
		made[i] = formulaOf(n)
	}
	return made
}

func windowFormula(n *window) HasWindow {
	made := make(HasWindow, len(n.cases))
	for i, c := range n.cases {
		made[i] = WindowCase{Length: c.length, MayOverlap: c.mayOverlap}
		for _, p := range c.parts {
			made[i].Parts = append(made[i].Parts, WindowPart{formulaOf(p.node), p.width, p.count})
		}
	}
	return made
}

func patternsOf(matchers []tokenMatcher) []TokenPattern {
	made := make([]TokenPattern, len(matchers))
	for i, m := range matchers {
		made[i] = patternOf(m)
	}
	return made
}

func patternOf(m tokenMatcher) TokenPattern {
	switch m := m.(type) {
	case *term:
		return TokenPattern{Sigil: m.sigil, Plain: m.plain, Text: m.text, Width: m.tokenWidth}
	case *wildcard:
		return TokenPattern{Sigil: m.sigil, Plain: m.plain, Text: m.text, Width: 1, Wildcard: true}
	}
	panic("query: unknown matcher")
}

// formula returns the meaning of the node. Hosts are compared as they are, with their accents.
func (n *valueField) formula() HasValue {
	made := HasValue{Field: n.field.name, Plain: n.plain, Text: n.text, Pattern: n.pattern}
	if n.field.kind == kindHosts {
		made.Plain = n.text
	}
	if made.Field == "pubType" { // another name of source
		made.Field = "source"
	}
	return made
}

// A DocumentToken is a token of a document. It shares the document's memory.
type DocumentToken struct {
	KeyToken     // the Width of the gap between title and contents is 0
	Position int // of its first word
}

// Positions returns the number of positions in title and contents. A gap between them counts.
func (d *Document) Positions() int { return len(d.main.words) }

// Token returns token i of title and contents, below [Document.Len]: first the token at each
// position, then the tags of several words. It is valid until the next Reset.
func (d *Document) Token(i int) DocumentToken {
	tok := d.main.token(i)
	return DocumentToken{
		KeyToken: KeyToken{Plain: d.main.bytes(tok.plain), Text: d.main.bytes(tok.text), Sigil: tok.sigil, Width: int(tok.width)},
		Position: int(tok.position),
	}
}

// ContentsStart returns the position of the first token of the contents.
func (d *Document) ContentsStart() int {
	switch pieces := d.main.pieces; {
	case d.Post.Title == "":
		return 0
	case len(pieces) == 1:
		return len(d.main.words)
	default:
		return int(pieces[1].first)
	}
}

// A ValueField is a field that [HasValue] searches. Fields of identifiers, which are compared as they
// are, are not among them: guid, parentGuid and pageId.
type ValueField struct{ field *field }

// ValueFields returns all fields of values.
func ValueFields() (found []ValueField) {
	for i := range fields {
		if f := &fields[i]; (f.kind == kindValues || f.kind == kindHosts) && f.name != "pubType" {
			found = append(found, ValueField{f})
		}
	}
	return found
}

// Name returns the name of the field as in [HasValue].
func (f ValueField) Name() string { return f.field.name }

// Values calls yield for each value of a field, with its spelling without accents and its full
// spelling. A host has a value for each of its parent domains. The spellings are valid until yield
// returns, and yield must not use d.
func (d *Document) Values(of ValueField, yield func(plain, text []byte)) {
	v := &d.values
	if v.visit == nil {
		v.visit = d.visitValue
	}
	v.field, v.yield = of.field, yield
	of.field.values(d.Post, v.visit)
	v.yield = nil
}

// A valueVisitor is the state of [Document.Values]. It is part of the document because functions that
// are made for each call take longer than most fields.
type valueVisitor struct {
	field *field
	yield func(plain, text []byte)
	visit func(value string) // visitValue
	plain []byte
}

func (d *Document) visitValue(value string) {
	v := &d.values
	switch {
	case value == "":
	case v.field.kind == kindHosts:
		v.plain = append(v.plain[:0], strings.ToLower(value)...)
		for host, ok := v.plain, true; ok; _, host, ok = bytes.Cut(host, []byte(".")) {
			v.yield(host, host)
		}
	default:
		folded := d.main.fold(value)
		v.plain = appendPlain(v.plain[:0], folded)
		v.yield(v.plain, folded)
	}
}
