package query

import (
	"fmt"
	"strings"
	"testing"
)

func TestUses(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		uses, err := Uses(text, 100)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		spell := func(w UsedWord) string {
			if at := string([]rune(text)[w.Position-1 : w.Position-1+w.Length]); at != w.Text {
				t.Errorf("%s: %q is written at the position of %q", text, at, w.Text)
			}
			return fmt.Sprint(w.Text, "@", w.Position)
		}
		for _, u := range uses {
			line := spell(u.UsedWord)
			if u.Excluded {
				line = "not " + line
			}
			for i, w := range u.Words {
				line += []string{" [", " "}[min(i, 1)] + spell(w)
			}
			if len(u.Words) > 0 {
				line += "]"
			}
			got = append(got, line+" = "+u.Query.String())
		}
		if joined := strings.Join(got, "; "); joined != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, joined, want)
		}
	}
	f(`Coffee`, "Coffee@1 [Coffee@1] = coffee")
	f(`é (tea OR "Cold  Brew") -#Job`, `é@1 [é@1] = é; tea@4 [tea@4] = tea; Cold  Brew@12 [Cold@12 Brew@18] = "cold brew"; not #Job@26 [#Job@26] = #job`)
	f(`\"cold brew\" o1-preview`, `cold brew@3 [cold@3 brew@8] = "cold brew"; o1-preview@15 [o1@15 preview@18] = "o1 preview"`)
	f(`title:"cold brew" author:ann site:example.com coff* {BT}`,
		`cold brew@8 [cold@8 brew@13] = title:"cold brew"; ann@26 = author:ann; example.com@35 = site:example.com; coff*@47 = coff*; BT@54 = {BT}`)
	f(`a NEAR/3 (b AND c) "x y z"~5`, "a@1 [a@1] = a; b@11 [b@11] = b; c@17 [c@17] = c; x@21 [x@21] = x; y@23 [y@23] = y; z@25 [z@25] = z")
	f(`NOT (NOT a) AND b`, "a@10 [a@10] = a; b@17 [b@17] = b")
	f(`raw:"a b" AND https://example.com/a c`, `https://example.com/a@15 = "https example com a"; c@37 [c@37] = c`)

	if got, _ := Uses("a b c d", 2); len(got) != 2 {
		t.Errorf("got %d uses, want 2", len(got))
	}
	if _, err := Uses("(a", 2); err == nil {
		t.Error("an invalid query: got no error")
	}
}
