package query

import (
	"math/rand/v2"
	"testing"

	"earshot"
)

// TestFormulaAgreesWithMatch evaluates formulas as their documentation says, with the exported view
// of documents only, and compares the result with Match.
func TestFormulaAgreesWithMatch(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(3, 4))}
	decided, matched := 0, 0
	for range 3_000 {
		q, err := Parse(g.query(g.IntN(4)))
		if err != nil {
			continue
		}
		f := q.Formula()
		for range 2 {
			d := NewDocument(g.post())
			e := formulaReader{d: d, to: d.Positions()}
			got := e.holds(f)
			if e.undecided {
				continue
			}
			decided++
			want := q.Match(d)
			if want {
				matched++
			}
			if got != want {
				t.Fatalf("%s on %q, %q: got %t, want %t", q, d.Post.Title, d.Post.Contents, got, want)
			}
		}
	}
	if decided < 2_000 || matched < 500 {
		t.Errorf("%d cases are decided and %d match: they are not varied enough", decided, matched)
	}
}

// A formulaReader evaluates formulas on the positions [from, to) of a document.
type formulaReader struct {
	d         *Document
	from, to  int
	undecided bool // a part is exact text, or about another field or a number
}

func (e *formulaReader) holds(f Formula) bool {
	switch f := f.(type) {
	case AllOf:
		for _, part := range f {
			if !e.holds(part) {
				return false
			}
		}
		return true
	case AnyOf:
		for _, part := range f {
			if e.holds(part) {
				return true
			}
		}
		return false
	case Not:
		return !e.holds(f.Operand)
	case InText:
		part := formulaReader{d: e.d, to: e.d.ContentsStart()}
		switch f.Field {
		case "contents":
			part.from, part.to = part.to, e.d.Positions()
		case "title":
		default:
			e.undecided = true
		}
		held := part.holds(f.Operand)
		e.undecided = e.undecided || part.undecided
		return held
	case HasValue:
		found := false
		for _, field := range ValueFields() {
			e.d.Values(field, func(plain, text []byte) {
				value, want := plain, f.Plain
				if f.Text != f.Plain {
					value, want = text, f.Text
				}
				found = found || field.Name() == f.Field && (string(value) == want || f.Pattern && glob(want, value))
			})
		}
		return found
	case InRange:
		e.undecided = true
		return false
	}
	return len(e.matches(f)) > 0
}

// matches returns the matches of a formula with spans, as in referenceNearMatches.
func (e *formulaReader) matches(f Formula) map[referenceNearMatch]bool {
	found := map[referenceNearMatch]bool{}
	add := func(from, to int) {
		s := referenceSpan{from, to}
		found[referenceNearMatch{s, s, s, s}] = true
	}
	switch f := f.(type) {
	case HasWord:
		return e.matches(HasPhrase{f.Pattern})
	case HasPhrase:
		for at := e.from; at < e.to; at++ {
			end, ok := at, true
			for _, p := range f {
				ok = ok && e.matchesAt(p, end)
				end += p.Width
			}
			if ok {
				add(at, end)
			}
		}
	case AnyOf:
		for _, part := range f {
			for m := range e.matches(part) {
				found[m] = true
			}
		}
	case HasNear:
		n := near{distance: f.Distance}
		for a := range e.matches(f.Left) {
			for b := range e.matches(f.Right) {
				if f.Ordered {
					if n.reaches(a.last, b.first) {
						found[referenceNearMatch{a.first, b.last, a.last, b.first}] = true
					}
					continue
				}
				for _, x := range []referenceSpan{a.met, a.metToo} {
					for _, y := range []referenceSpan{b.met, b.metToo} {
						if n.reaches(x, y) {
							found[referenceNearMatch{x, y, x, y}] = true
						}
						if n.reaches(y, x) {
							found[referenceNearMatch{y, x, y, x}] = true
						}
					}
				}
			}
		}
	case HasWindow:
		for _, w := range f {
			e.window(w, nil, add)
		}
	default:
		e.undecided = true
	}
	return found
}

// matchesAt reports whether a token at a position matches.
func (e *formulaReader) matchesAt(p TokenPattern, at int) bool {
	for i := range e.d.Len() {
		t := e.d.Token(i)
		if t.Position != at || at >= e.to || t.Width == 0 || p.Sigil != 0 && p.Sigil != t.Sigil {
			continue
		}
		text, want := t.Plain, p.Plain
		if p.HasAccents() {
			text, want = t.Text, p.Text
		}
		if !p.Wildcard && t.Width == p.Width && string(text) == want || p.Wildcard && (t.Width == 1 || p.Sigil != 0) && glob(want, text) {
			return true
		}
	}
	return false
}

// window tries every combination of spans. Parts that need several spans are repeated.
func (e *formulaReader) window(w WindowCase, chosen []referenceSpan, add func(from, to int)) {
	n := 0
	for _, p := range w.Parts {
		if n += p.Count; n > len(chosen) {
			for m := range e.matches(p.Formula) {
				taken := m.first.to-m.first.from != p.Width
				for _, other := range chosen {
					taken = taken || other.from == m.first.from || max(other.to, m.first.to)-min(other.from, m.first.from) > w.Length
				}
				if !taken {
					e.window(w, append(chosen[:len(chosen):len(chosen)], m.first), add)
				}
			}
			return
		}
	}
	for _, s := range chosen {
		add(s.from, s.to)
	}
}

func TestFormulaOfValues(t *testing.T) {
	d := NewDocument(&earshot.Post{Site: "News.Example.com", Hashtags: []string{"Café"}, Place: earshot.Place{City: "São Paulo"}})
	f := func(query string, want bool) {
		t.Helper()
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		e := formulaReader{d: d}
		if got := e.holds(q.Formula()); got != want || got != q.Match(d) {
			t.Errorf("%s: got %t, want %t, Match %t", query, got, want, q.Match(d))
		}
	}
	f("site:example.com", true)
	f("site:ample.com", false)
	f("site:*.example.com", true)
	f("hashtags:cafe", true)
	f("hashtags:café", true)
	f("hashtags:càfe", false)
	f("hashtags:caf?", true)
	f(`city:"sao paulo"`, true)
	f("authorGender:unknown", true)
	f("pubType:news", false)
}
