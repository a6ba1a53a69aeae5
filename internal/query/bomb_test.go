package query

import (
	"fmt"
	"strings"
	"testing"

	"earshot"
)

// bombs are queries and posts made to cost as much as they can. None of the
// queries selects its post, so nothing ends early.
var bombs = []struct {
	name  string
	query string
	post  string
}{
	{"nested parentheses", strings.Repeat("(", 50_000) + strings.Repeat(")", 50_000), ""},
	{"200 levels", strings.Repeat("(a OR (b AND ", 100) + "zz" + strings.Repeat("))", 100), million("c ")},
	{"10,000 OR terms", numbered("x%d OR ", 10_000), million("x ")},
	{"10,000 OR terms of one word", repeated("zz OR ", 10_000), million("a ")},
	{"wildcards that begin alike", numbered("aa*%dz OR ", 7_000), thousands("aa%06dy ")},
	{"wildcards with gaps", numbered("aa*x*%dy OR ", 6_000), thousands("aa%06dy ")},
	{"a wildcard of many stars", strings.Repeat("a*", 99) + "b", million("a")},
	{"wildcards of many stars", repeated(strings.Repeat("a*", 20)+"b OR ", 2_000), million("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ")},
	{"a chain of NEAR", strings.Repeat("a NEAR/1 ", 199) + "zz", million("a ") + "zz"},
	{"many chains of NEAR", repeated("(zz NEAR/0 "+strings.Repeat("a NEAR/1 ", 180)+"zz) OR ", 50), million("a b ") + " b zz b"},
	{"NEAR pairs", repeated("a NEAR/2 b OR ", 5_000), million("a x x x b x x x ")},
	{"NEAR pairs far apart", repeated("a NEAR/99999 b OR ", 5_000), strings.Repeat("a ", 100_000) + strings.Repeat("x ", 150_000) + strings.Repeat("b ", 100_000)},
	{"NEAR of long groups", "(" + repeated("a OR ", 4_000) + ") NEAR/0 (" + repeated("b OR ", 4_000) + ")", million("a x b x ")},
	{"windows", repeated(`"a a b"~1 OR `, 3_000), million("a a x x b x x ")},
	{"a window of many words", `"` + numbered("w%d ", 200) + `"~900`, thousands("w%d ")},
	{"windows of wildcards", repeated(`(ab* AND abc* AND abcd*)~0 OR `, 3_000), million("abcd x ")},
	{"phrases that almost match", repeated(`"`+strings.Repeat("a ", 3_900)+`b" OR `, 12), million("a ") + " b"},
	{"a word of a million characters", "x OR y*z", million("a")},
	{"exact text everywhere", repeated("{A A} OR ", 9_000), million("a a ")},
	{"exact signs everywhere", repeated("{++-} OR ", 9_000), million("+")},
	{"combining marks", "x", "x" + million("\u0301\u0316")},
	{"emoji joined without end", "x", million("👩\u200D")},
	{"bad UTF-8", "x", million("\xff")},
	{"title words", repeated("title:(a NEAR/1 b) OR ", 4_500), million("a x x b ")},
}

// million repeats text to about a million bytes.
func million(text string) string { return strings.Repeat(text, 1_000_000/len(text)) }

// thousands is a million bytes of numbered words.
func thousands(format string) string {
	return numbered(format, 1_000_000/(len(fmt.Sprintf(format, 100_000))+1))
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return strings.TrimSuffix(b.String(), " OR ")
}

func repeated(text string, n int) string {
	return strings.TrimSuffix(strings.Repeat(text, min(n, 99_000/len(text))), " OR ")
}

// BenchmarkBombs reads each query and matches it with its post.
func BenchmarkBombs(b *testing.B) {
	for _, bb := range bombs {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				explode(bb.query, bb.post)
			}
		})
	}
}

// explode reports whether the query selects the post, as title or contents.
func explode(query, post string) bool {
	q, err := Parse(query)
	if err != nil {
		return false
	}
	d := NewDocument(&earshot.Post{Title: post[:len(post)/4], Contents: post})
	return q.Match(d)
}

// TestBombs checks that the bombs are what they are meant to be: queries that are
// read, but for those that are too deep, and that select nothing.
func TestBombs(t *testing.T) {
	for _, tt := range bombs {
		_, err := Parse(tt.query)
		if tooMuch := tt.name == "nested parentheses"; (err != nil) != tooMuch {
			t.Errorf("%s: got error %v", tt.name, err)
		}
	}
}
