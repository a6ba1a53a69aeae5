package query

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"earshot"
)

func TestBuild(t *testing.T) {
	f := func(form Form, want string) {
		t.Helper()
		got, err := Build(form)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v:\ngot  %s\nwant %s", form, got, want)
		}
	}
	f(Form{}, ``)
	f(Form{All: []string{" ", ""}, Any: [][]string{{}, {""}}, Near: []Near{{}}}, ``)
	f(Form{All: []string{"coffee", "Milk"}}, `coffee AND Milk`)
	f(Form{All: []string{"coffee", "COFFEE", "cafe", "café"}}, `coffee AND cafe AND café`)
	f(Form{Phrases: []string{"cold brew", `"iced tea"`}}, `"cold brew" AND "iced tea"`)
	f(Form{Any: [][]string{{"Kelvarro", "new york"}}}, `Kelvarro OR "new york"`)
	f(Form{Any: [][]string{{"kelvarro", "#kelvarro"}, {"price", "cost"}}, None: []string{"job", "we are hiring"}},
		`(kelvarro OR #kelvarro) AND (price OR cost) AND NOT (job OR "we are hiring")`)
	f(Form{All: []string{"coffee"}, None: []string{"job"}}, `coffee AND NOT job`)
	f(Form{All: []string{"@ann", "$ACME", "coff*", "{BT}", "author:ann", "author:Joe Smith", "authorFollowers:[100 TO *]", "custom.size:xl"}},
		`@ann AND $ACME AND coff* AND {BT} AND author:ann AND author:"Joe Smith" AND authorFollowers:[100 TO *] AND custom.size:xl`)
	f(Form{Near: []Near{{Groups: [][]string{{"coffee"}, {"cold brew", "price"}}, Distance: 5}}}, `coffee NEAR/5 ("cold brew" OR price)`)
	f(Form{All: []string{"cup"}, Near: []Near{{Groups: [][]string{{"a"}, {"b"}, {"c", "d"}}, Distance: 3}, {Groups: [][]string{{"a"}, {"b"}, {"c"}}, Ordered: true}}},
		`cup AND (a AND b AND (c OR d))~3 AND ((a ONEAR/0 b) ONEAR/0 c)`)

	// What looks like syntax is a phrase.
	f(Form{All: []string{"AND", "or", "NEAR/5", "-coffee", "!tea", "a OR b", "(x", "andd", "re:invent"}},
		`"AND" AND "or" AND "NEAR/5" AND "-coffee" AND "!tea" AND "a OR b" AND "(x" AND "andd" AND "re:invent"`)
	f(Form{All: []string{`say "hi" now`, `5" screen`, `back\`, `a <<<b>>>`}}, `"say hi now" AND "5 screen" AND back\ AND "a <<<b>>>"`)
	f(Form{Phrases: []string{`ends with \`, `"quoted`}}, `"ends with" AND "quoted"`)

	f(Form{None: []string{"job"}}, "Invalid request body: the form only excludes posts; add a word or phrase to search for")
	f(Form{All: []string{"..."}}, `Invalid request body: "...": "..." has no letters or digits to search for`)
	f(Form{All: []string{"*ing"}}, `Invalid request body: "*ing": a word cannot start with a wildcard`)
	f(Form{Near: []Near{{Groups: [][]string{{"a"}, {}}}}}, "Invalid request body: words near each other need at least two groups, but there is only a")
	f(Form{Near: []Near{{Groups: [][]string{{"a"}, {"author:b"}}}}}, `Invalid request body: "author:b": only words and phrases without a field can be near others`)
	f(Form{Near: []Near{{Groups: [][]string{{"a"}, {"b"}}, Distance: -1}}}, "Invalid request body: the distance -1 is not a number from 0 to 1,000,000")
	f(Form{All: make([]string, maxTerms+1)}, "Invalid request body: a form has at most 10,000 terms, but this one has 10001")
}

func TestFormOf(t *testing.T) {
	f := func(text string, want Form) {
		t.Helper()
		got, err := FormOf(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", text, got, err, want)
		}
	}
	f(" ", Form{})
	f(`Coffee`, Form{All: []string{"Coffee"}})
	f(`Coffee "Cold  Brew" o1-preview 東京 "latte"`, Form{All: []string{"Coffee", "o1-preview", "東京", "latte"}, Phrases: []string{"Cold Brew"}})
	f(`(a OR b) AND c NOT d`, Form{All: []string{"c"}, Any: [][]string{{"a", "b"}}, None: []string{"d"}})
	f(`(a OR (b OR "c d")) (e OR f) -g -(h OR i) NOT "j k"`, Form{Any: [][]string{{"a", "b", "c d"}, {"e", "f"}}, None: []string{"g", "h", "i", "j k"}})
	f(`a OR title:(b OR "c d") OR title:"e f"`, Form{Any: [][]string{{"a", "title:b", "title:c d", "title:e f"}}})
	f(`site:www.example.com author:"Joe Smith" authorFollowers:[5 TO 5] language:EN hashtags:"#a b"`,
		Form{All: []string{"site:www.example.com", "author:Joe Smith", "authorFollowers:5", "language:EN", "hashtags:#a b"}})
	f(`"AND" AND "author:joe" AND {BT} AND raw:"Google+" AND raw:"a{b"`, Form{All: []string{"AND", `"author:joe"`, "{BT}", "{Google+}", `{a{b}`}})
	f(`a NEAR/5 b`, Form{Near: []Near{{Groups: [][]string{{"a"}, {"b"}}, Distance: 5}}})
	f(`(a AND b)~5`, Form{Near: []Near{{Groups: [][]string{{"a"}, {"b"}}, Distance: 5}}})
	f(`("x y" OR a) NEAR/5f b c`, Form{All: []string{"c"}, Near: []Near{{Groups: [][]string{{"x y", "a"}, {"b"}}, Distance: 5, Ordered: true}}})
	f(`"a b"~2 AND "Red Green Blue"~4`, Form{Near: []Near{{Groups: [][]string{{"a"}, {"b"}}, Distance: 2}, {Groups: [][]string{{"Red"}, {"Green"}, {"Blue"}}, Distance: 4}}})
	f(`a ONEAR/1 b ONEAR/1 c`, Form{Near: []Near{{Groups: [][]string{{"a"}, {"b"}, {"c"}}, Distance: 1, Ordered: true}}})

	tooRich := func(text, want string) {
		t.Helper()
		if got, err := FormOf(text); err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %+v, %v\nwant %s", text, got, err, want)
		}
	}
	uses := func(text, what string) {
		t.Helper()
		tooRich(text, "This query uses "+what+", which the form cannot show. Edit it as text.")
	}
	uses(`(a AND b) OR c`, "AND inside OR")
	uses(`a OR NOT b`, "NOT inside OR")
	uses(`a NOT (b AND c)`, "AND inside NOT")
	uses(`a OR b NEAR/3 c`, "NEAR inside OR")
	uses(`a NOT (b NEAR/3 c)`, "NEAR inside NOT")
	uses(`a AND NOT (NOT b)`, "NOT inside NOT")
	uses(`(a NEAR/3 b) NEAR/5 c`, "NEAR inside NEAR")
	uses(`(a ONEAR/3 b) ONEAR/5 c`, "NEAR inside NEAR")
	uses(`title:(a NEAR/3 b)`, "NEAR in the field title inside AND")
	uses(`a <<< why >>> b`, "a comment")
	tooRich(`(a`, "Invalid keywords at position 1: unclosed parenthesis opened at 1")
}

// TestFormRoundTrip checks on random forms that FormOf reads what Build writes.
func TestFormRoundTrip(t *testing.T) {
	g := newFormGenerator()
	for range 3_000 {
		form := g.form()
		text, err := Build(form)
		if err != nil {
			if !strings.Contains(err.Error(), "only excludes") {
				t.Fatalf("%+v: %v", form, err)
			}
			continue
		}
		if got, err := FormOf(text); err != nil || !reflect.DeepEqual(got, form) {
			t.Fatalf("%s:\ngot  %+v, %v\nwant %+v", text, got, err, form)
		}
	}
}

// A formGenerator generates forms in the shape that FormOf returns: without repeated terms, and with
// phrases and groups of one term where they belong.
type formGenerator struct {
	generator
	single, spannable []string // terms that stay in All, and those that can be near others
}

var formTerms = []string{
	"a", "B", "abc", "é", "#a", "@c", "$d", "東京", "o1-b", "wendy's", "ab*", "a?c", "{A}", "{a  b}", "😂", "AND", "or", "NEAR/3", "-q", "a OR b",
	"author:a", "author:a b", "title:ab*", "language:en", "rating:[1 TO 3]", "rating:4", "site:a.b", "custom.x:b", `"author:a"`, "and:or", "(z", "c) OR (d", `raw:"{"`,
}

func newFormGenerator() formGenerator {
	g := formGenerator{generator: generator{rand.New(rand.NewPCG(3, 4))}}
	for _, term := range formTerms {
		_, n, err := writeTerm(term)
		if err != nil {
			panic(err)
		}
		if isPhrase := strings.Contains(term, " ") && hasWidth(n) && !strings.HasPrefix(term, "{"); !isPhrase {
			g.single = append(g.single, term)
		}
		if hasWidth(n) {
			g.spannable = append(g.spannable, term)
		}
	}
	return g
}

func (g formGenerator) terms(from []string, n int) []string {
	var terms []string
	for _, i := range g.Perm(len(from))[:n] {
		terms = append(terms, from[i])
	}
	return terms
}

func (g formGenerator) form() (f Form) {
	f.All = g.terms(g.single, g.IntN(3))
	f.Phrases = g.terms([]string{"a b", "b C d", "AND a", "author:a b", "(a b", "a ab*"}, g.IntN(2))
	f.None = g.terms(formTerms, g.IntN(3))
	for range g.IntN(3) {
		f.Any = append(f.Any, g.terms(formTerms, 2+g.IntN(3)))
	}
	for range g.IntN(2) {
		near := Near{Distance: g.IntN(9), Ordered: g.IntN(2) == 0}
		for range 2 + g.IntN(2) {
			near.Groups = append(near.Groups, g.terms(g.spannable, 1+g.IntN(2)))
		}
		f.Near = append(f.Near, near)
	}
	return f
}

// TestFormSelectsTheSame checks on random queries that the query of their form selects the same
// posts.
func TestFormSelectsTheSame(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(5, 6))}
	read, matched := 0, 0
	for range 6_000 {
		text := g.query(g.IntN(4))
		q, err := Parse(text)
		if err != nil {
			continue
		}
		form, err := FormOf(text)
		if err != nil {
			continue
		}
		read++
		built, err := Build(form)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := Parse(built)
		if err != nil {
			t.Fatalf("%s builds %s: %v", text, built, err)
		}
		for range 5 {
			d := NewDocument(g.post())
			if q.Match(d) != again.Match(d) {
				t.Fatalf("%s builds %s, which differs on %q, %q", text, built, d.Post.Title, d.Post.Contents)
			}
			if q.Match(d) {
				matched++
			}
		}
	}
	if read < 2_000 || matched < 2_000 {
		t.Errorf("%d queries are forms and %d posts match: the cases are not varied enough", read, matched)
	}
}

// FuzzForm checks that FormOf reads every form that Build accepts, and that building it again changes
// nothing.
func FuzzForm(f *testing.F) {
	for _, term := range formTerms {
		f.Add(term, "b c", term, term)
	}
	for _, q := range testQueries(f) {
		f.Add(q, q, "c", "d")
	}
	f.Fuzz(func(t *testing.T, all, phrase, any, none string) {
		for _, form := range []Form{
			{All: []string{all, "x"}, Phrases: []string{phrase}, Any: [][]string{{any, "y", phrase}}, None: []string{none, phrase}},
			{Near: []Near{{Groups: [][]string{{all, "x"}, {any}}, Distance: 2}, {Groups: [][]string{{phrase}, {any}, {all}}, Ordered: true}, {Groups: [][]string{{phrase}, {any}, {all}}}}},
		} {
			text, err := Build(form)
			if err != nil {
				continue
			}
			read, err := FormOf(text)
			if err != nil {
				t.Fatalf("%+v builds %s: %v", form, text, err)
			}
			built, err := Build(read)
			if err != nil {
				t.Fatalf("%s reads as %+v: %v", text, read, err)
			}
			again, err := FormOf(built)
			if err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", read) {
				t.Fatalf("%s builds %s, which reads as\n%+v, %v, not\n%+v", text, built, again, err, read)
			}
			a, b := mustParse(t, text), mustParse(t, built)
			for _, contents := range []string{all, phrase, any, none, all + " x " + phrase + " y " + any} {
				d := NewDocument(&earshot.Post{Title: any, Contents: contents})
				if a.Match(d) != b.Match(d) {
					t.Fatalf("%s builds %s, which differs on %q, %q", text, built, any, contents)
				}
			}
		}
	})
}

func mustParse(t *testing.T, text string) *Query {
	q, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}
