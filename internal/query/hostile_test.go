package query

import (
	"fmt"
	"strings"
	"testing"

	"earshot"
)

// hostileCases are queries and posts designed to be as expensive as possible. None of the queries
// selects its post, so that no evaluation ends early. No two parts of a query are the same.
var hostileCases = []struct {
	name  string
	query string
	post  func(size int) string
}{
	{"nested parentheses", strings.Repeat("(", 50_000) + strings.Repeat(")", 50_000), times("x ")},
	{"200 levels", strings.Repeat("(a OR (b AND ", 100) + "zz" + strings.Repeat("))", 100), times("c ")},
	{"10,000 OR terms", numbered("x%d OR ", 10_000), times("x ")},
	{"wildcards with the same prefix", numbered("aa*%dz OR ", 7_000), thousands("aa%06dy ")},
	{"wildcards with gaps", numbered("aa*x*%dy OR ", 6_000), thousands("aa%06dy ")},
	{"wildcards of the same letters", lettered("ab%s*bbaa OR ", 5_000), times("ababa ababb abbaa abbab abaab ")},
	{"phrases with the same wildcard", numbered(`"ab* x%d" OR `, 6_000), times("abcd x ")},
	{"a wildcard with many stars", strings.Repeat("a*", 99) + "b", times("a")},
	{"wildcards with many stars", lettered("a*a*a*a*a*%s OR ", 3_000), times("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac ")},
	{"a chain of NEAR", strings.Repeat("a NEAR/1 ", 199) + "zz", after("a ", "zz")},
	{"many chains of NEAR", numbered("(zz NEAR/%d "+strings.Repeat("a NEAR/1 ", 180)+"zz) OR ", 50), after("a b ", "b zz b")},
	{"nested ONEAR", strings.Repeat("a ONEAR/1 (", 60) + "zz" + strings.Repeat(" ONEAR/1 b)", 60), after("a b ", "zz")},
	{"ONEAR nested on both sides", "zz ONEAR/1 " + strings.Repeat("((a ONEAR/1 ", 90) + "a" + strings.Repeat(") ONEAR/1 a)", 90), after("a b ", "zz")},
	{"NEAR pairs", numbered("a NEAR/2 (b OR q%d) OR ", 3_300), times("a x x x b x x x ")},
	{"NEAR pairs far apart", numbered("a NEAR/300 (b OR q%d) OR ", 3_300), apart("a ", "x ", "b ")},
	{"NEAR of long groups", "(" + numbered("a OR q%d OR ", 2_400) + ") NEAR/0 (" + numbered("b OR r%d OR ", 2_400) + ")", times("a x b x ")},
	{"hashtags that do not occur", numbered(`"#ab %d" OR `, 8_000), times("ab ")},
	{"accents that do not occur", numbered(`"áb %d" OR `, 8_000), times("ab ")},
	{"windows", numbered(`"a a b%d"~1 OR `, 3_000), after("a a x x ", numbered("b%d x x x ", 3_000))},
	{"windows far apart", numbered(`"a a b"~%d OR `, 400), apart("a ", "x ", "b ")},
	{"windows of two widths", numbered(`((a OR "a a") AND (b OR "b b") AND (c OR "c c") AND d%d)~9 OR `, 1_400), after("a b c x x x x x x x x x x x x x ", numbered("d%d ", 1_400))},
	{"a window of many words", `"` + numbered("w%d ", 99) + ` zz"~900`, after(numbered("w%d x x x x x x x x x x ", 99), "zz")},
	{"windows of wildcards", numbered(`(ab* AND abc* AND zz%d)~0 OR `, 3_000), after("abcd x ", numbered("x zz%d x ", 3_000))},
	{"phrases that almost match", numbered(`"`+strings.Repeat("a ", 3_900)+`b%d" OR `, 12), after("a ", numbered("b%d ", 12))},
	{"a word of a million characters", "x OR y*z", times("a")},
	{"exact text in other cases", inCases("%s OR ", 6_000), times("aaaaaaaaaaaaaa ")},
	{"exact symbols everywhere", numbered("{++-%d} OR ", 9_000), times("+")},
	{"combining marks", "x", times("\u0301\u0316")},
	{"one endless joined emoji", "x", times("👩\u200D")},
	{"invalid UTF-8", "x", times("\xff")},
	{"custom fields", numbered("custom.f%d:x OR ", 6_000), times("x ")},
	{"title words", numbered("title:(a NEAR/1 (b OR q%d)) OR ", 3_000), times("a x x b x x ")},
}

// times returns a function that repeats text up to about size bytes.
func times(text string) func(size int) string {
	return func(size int) string { return strings.Repeat(text, size/len(text)) }
}

// after is times with another text at the end.
func after(text, last string) func(size int) string {
	return func(size int) string { return strings.Repeat(text, size/len(text)) + " x x x x x x x x " + last }
}

// apart returns a function that repeats the first text, then the second, then the third.
func apart(first, second, third string) func(size int) string {
	return func(size int) string {
		n := size / 4
		return strings.Repeat(first, n/len(first)) + strings.Repeat(second, 2*n/len(second)) + strings.Repeat(third, n/len(third))
	}
}

// thousands returns a function that repeats a numbered word up to about size bytes.
func thousands(format string) func(size int) string {
	return func(size int) string { return numbered(format, size/(len(fmt.Sprintf(format, 100_000))+1)) }
}

// numbered repeats a text with a running number, up to the maximum length of a query.
func numbered(format string, n int) string {
	return repeat(n, func(i int) string { return fmt.Sprintf(format, i) })
}

// lettered is numbered with binary numbers written in the letters a and b.
func lettered(format string, n int) string {
	letters := strings.NewReplacer("0", "a", "1", "b")
	return repeat(n, func(i int) string { return fmt.Sprintf(format, letters.Replace(fmt.Sprintf("%b", i+1))) })
}

// inCases repeats an exact text, each time with different letters in uppercase.
func inCases(format string, n int) string {
	return repeat(n, func(i int) string {
		word := []byte("{aaaaaaaaaaaaaA}")
		for bit := range 13 {
			if i>>bit&1 == 1 {
				word[1+bit] = 'A'
			}
		}
		return fmt.Sprintf(format, word)
	})
}

func repeat(n int, part func(i int) string) string {
	const most = 99_000
	var b strings.Builder
	for i := 0; i < n && b.Len() < most; i++ {
		b.WriteString(part(i))
	}
	return strings.TrimSuffix(strings.TrimSuffix(b.String(), " OR "), " ")
}

// BenchmarkHostile parses each query and matches it against a post of one megabyte.
func BenchmarkHostile(b *testing.B) {
	for _, bb := range hostileCases {
		b.Run(bb.name, func(b *testing.B) {
			post := bb.post(1 << 20)
			b.ReportAllocs()
			for b.Loop() {
				runHostile(bb.query, post)
			}
		})
	}
}

// runHostile reports whether the query selects the post.
func runHostile(query, post string) (selected bool, err error) {
	q, err := Parse(query)
	if err != nil {
		return false, err
	}
	return q.Match(NewDocument(&earshot.Post{Title: post[:len(post)/4], Contents: post, Custom: map[string]string{"x": "x"}})), nil
}

// TestHostileInput checks on smaller posts that the cases are as hostile as intended: all queries
// parse, except the one that is too deep, and none selects its post.
func TestHostileInput(t *testing.T) {
	for _, tt := range hostileCases {
		selected, err := runHostile(tt.query, tt.post(4_000))
		if tooMuch := tt.name == "nested parentheses"; (err != nil) != tooMuch || selected {
			t.Errorf("%s: got %t, error %v", tt.name, selected, err)
		}
	}
}
