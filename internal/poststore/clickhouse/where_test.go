package clickhouse

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// TestWhere compares the SQL of keywords with that in testdata/where.txt. Run it with -update to
// rewrite the file, and review the difference.
func TestWhere(t *testing.T) {
	var b strings.Builder
	for _, keywords := range []string{
		"apple", "apple pie", "apple OR pie OR tart", "apple -pie", "#apple", "café", "#café", "#東京", "東京",
		`"apple pie"`, `"apple pie" OR "apple tart"`, `"apple #pie"`, `"apple pi* tart"`, `"apple pi*"`,
		"app*", "a?ple", "#app*", "caf*é", "title:apple", "contents:#apple", `title:"apple pie"`,
		"apple NEAR/3 pie", "apple ONEAR/3 (pie OR tart)", `"apple pie tart"~4`, "{Apple}", "{Apple Pie}", "{!} apple", "tart -{Apple}",
		"country:us", "city:münchen", "site:example.com", "language:e*", "guid:abc", "guid:abc*", "guid:a?c -guid:b?c",
		"author:ann", `author:"ann lee"`, `author:"ann leé"`, "author:(ann NEAR/2 lee)", "authorFollowers:[10 TO 99.5]", "rating:[1 TO 2]", "bio:ann apple", "apple OR bio:ann", "apple -bio:ann",
	} {
		cond, err := watchlist.Compile(7, earshot.Criteria{Keywords: keywords})
		if err != nil {
			t.Fatal(err)
		}
		c := compiler{args: new(chhttp.Args)}
		expr, exact := c.where(cond)
		fmt.Fprintf(&b, "# %s: exact: %t\n%s\n\n", keywords, exact, expr)
	}
	path := filepath.Join("testdata", "where.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got conditions that differ from %s:\n%s", path, b.String())
	}
}

func TestWords(t *testing.T) {
	f := func(title, contents, words string, marks ...string) {
		t.Helper()
		d := query.NewDocument(&earshot.Post{Title: title, Contents: contents})
		if got := string(appendWords(nil, d)); got != words {
			t.Errorf("%q, %q: got words %q, want %q", title, contents, got, words)
		}
		if got := marksOf(d); !slices.Equal(got, marks) {
			t.Errorf("%q, %q: got marks %q, want %q", title, contents, got, marks)
		}
	}
	f("", "", " \x02 ")
	f("Apple", "", " apple \x02 ")
	f("", "Apple pie", " \x02 apple pie ")
	f("!", "Pie!", " \x02 pie ")
	f("Pie", "!", " pie \x02 ")
	f("Café", "Das #Müller!", " cafe \x02 das muller \x01#=müller \x01#muller \x01=café \x01=müller ",
		"", " \x01=café ", "", "", " \x01#muller \x01=müller \x01#=müller ")
	f("", "a #東京", " \x02 a 東 京 \x01#東京\x012 ", "", "", "", " \x01#東京\x012 ")
	f("", "\x01#a \x02 b\x00", " \x02 a b \x01#a ", "", "", " \x01#a ")
}

// FuzzWords checks that tokens cannot be mistaken for the gap or for marks.
func FuzzWords(f *testing.F) {
	f.Add("Café", "Das #Müller, #東京! 😂 #️⃣ \x01 \x02 ½ =a #=b")
	f.Fuzz(func(t *testing.T, title, contents string) {
		d := query.NewDocument(&earshot.Post{Title: title, Contents: contents})
		words, marks := strings.Split(string(appendWords(nil, d)), " "), marksOf(d)
		if words[0] != "" || words[len(words)-1] != "" || len(marks) > len(words) {
			t.Fatalf("words %q, marks %q", words, marks)
		}
		var want []string
		for i := range d.Len() {
			tok := d.Token(i)
			text := string(tok.Plain) + string(tok.Text)
			if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' }) || strings.HasPrefix(string(tok.Plain), "=") || strings.HasPrefix(string(tok.Text), "=") {
				t.Fatalf("token %q", text)
			}
			if i < d.Positions() && tok.Width > 0 {
				want = append(want, string(tok.Plain))
			}
		}
		var got []string
		gaps := 0
		for i, w := range words[1 : len(words)-1] {
			switch {
			case w == gapToken:
				gaps++
			case w == "":
				t.Fatalf("empty word in %q", words)
			case !strings.HasPrefix(w, markByte):
				got = append(got, w)
			case i+1 < len(marks):
				t.Fatalf("mark before position %d of %q", len(marks), words)
			}
		}
		if gaps != 1 || !slices.Equal(got, want) {
			t.Fatalf("got %q in %q, want %q", got, words, want)
		}
	})
}
