package manage

import "testing"

func TestTextsAreNoFormulas(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := harmless(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", " ", "a", "a=1", "1-2", "5 + 5", " b", "\u00a0b", "'=1", "日本", "#a"} {
		f(text, text)
	}
	for _, text := range []string{
		"=1", "+1", "-1", "@SUM(A1)", " =1", "  \u00a0+1", "\tx", "\rx", "\nx", " \t", " \r\n=1", "＝1", "＋1", "－1", "＠a",
		"=HYPERLINK(\"http://example.com\",\"a\")", "-2+3+cmd|' /C calc'!A0",
	} {
		f(text, "'"+text)
	}
}
