package export

import "testing"

func TestEscapeFormula(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := escapeFormula(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", " ", "a", "a=1", "1-2", "5 + 5", " b", "\u00a0b", "'=1", "日本", "#a"} {
		f(text, text)
	}
	for _, text := range []string{
		"=1", "+1", "-1", "@SUM(A1)", " =1", "  \u00a0+1", "\tx", "\rx", "\nx", " \t", "＝1", "＋1", "－1", "＠a",
		"=HYPERLINK(\"http://example.com\",\"a\")", "-2+3+cmd|' /C calc'!A0",
	} {
		f(text, "'"+text)
	}
	f("x;=1+1", "x;'=1+1")
	f("x;\"=1+1", "x;'\"=1+1")
	f("x; =1+1;+2;-3", "x;' =1+1;'+2;'-3")
	f("x\n=1+1\r\n@SUM(A1)", "x\n'=1+1\r\n'@SUM(A1)")
	f("x\t=1|=2", "x\t'=1|'=2")
	f(" \r\n=1", "' \r\n'=1")
	f("fine ;-) a;b", "fine ;-) a;b")
}
