package query

import "testing"

func TestCut(t *testing.T) {
	f := func(text, before, after string, found bool) {
		t.Helper()
		b, a, ok := Cut(text, '|')
		if b != before || a != after || ok != found {
			t.Errorf("%q: got %q, %q, %t, want %q, %q, %t", text, b, a, ok, before, after, found)
		}
	}
	f(`a OR b`, `a OR b`, ``, false)
	f(`a|b|c`, `a`, `b|c`, true)
	f(`a|`, `a`, ``, true)
	f(``, ``, ``, false)
	f(`"a|b" OR “c|d”|e`, `"a|b" OR “c|d”`, `e`, true)
	f(`\"a|b\"|c`, `\"a|b\"`, `c`, true)
	f(`"a \"|\" b"|c`, `"a \"|\" b"`, `c`, true)
	f(`{a|b}|c`, `{a|b}`, `c`, true)
	f(`(a|b)`, `(a`, `b)`, true)
	f(`צה"ל|c`, `צה"ל`, `c`, true)
	f(`"a|b`, `"a|b`, ``, false)
	f(`{a|b`, `{a|b`, ``, false)
	f("a\xff\"|b\"", "a\xff\"", `b"`, true)
}
