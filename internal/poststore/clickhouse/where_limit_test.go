package clickhouse

import (
	"fmt"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/query/watchlist"
)

// TestWhereOfLongQueries checks conditions that reach the limits of the compiler or the server.
func TestWhereOfLongQueries(t *testing.T) {
	r := newWhereRandom(3)
	var posts []*earshot.Post
	for i := range 100 {
		posts = append(posts, r.post(i))
	}
	posts = append(posts, &earshot.Post{GUID: "long", Contents: strings.Repeat("w1 w2 é #c ", 20_000)})
	table := newWhereTable(t, posts)
	list := func(n int, operator string, part func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, part(i))
		}
		return strings.Join(parts, operator)
	}
	f := func(keywords string, exact bool) {
		t.Helper()
		cond, err := watchlist.Compile(1, earshot.Criteria{Keywords: keywords})
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%.60s…", keywords)
		if _, got := table.check(t, cond, name); got != exact {
			t.Errorf("%s: exact is %t, want %t", name, got, exact)
		}
	}
	f(list(9000, " OR ", func(i int) string { return fmt.Sprintf("w%d", i) })+" OR a", true)
	f(list(3000, " ", func(i int) string { return fmt.Sprintf("w%d", i) }), true)
	f(list(4000, " OR ", func(i int) string { return fmt.Sprintf(`"a w%d"`, i) })+` OR "a b"`, true)
	f(list(2000, " OR ", func(i int) string { return fmt.Sprintf(`"a w%d c"`, i) })+` OR "a b c" OR "a b"`, true)
	f(list(2000, " OR ", func(i int) string { return fmt.Sprintf("wx%d*", i) })+` OR ab*`, true)
	f(list(3000, " OR ", func(i int) string { return fmt.Sprintf("(a NEAR/3 w%d)", i) })+" OR (a NEAR/3 b)", false)
	f(`"`+list(3000, " ", func(i int) string { return "w1 w2" })+`"`, true)
	f(`"`+list(3000, " ", func(i int) string { return "é #c" })+`"`, false)
	f("(w1 OR w2) NEAR/5 (é OR #c)", true)
	f("w1 NEAR/1000000 w2", true)
	f(`"w1 w2 é"~1000000`, true)
	f(strings.Repeat("(a OR (b AND ", 70)+"c"+strings.Repeat("))", 70), false)
	f(strings.Repeat("(a NEAR/1 ", 12)+"b"+strings.Repeat(")", 12), false)
}

// FuzzWhere compares the posts that SQL selects with those that Match accepts for hostile queries and
// texts.
func FuzzWhere(f *testing.F) {
	f.Add("a OR {b}", "a b", "c")
	f.Add(`"new york" NEAR/3 #é`, "New York \x01#é", "\x02")
	f.Add(`' OR 1=1 --`, `' OR 1=1 --`, "{p1:String}")
	f.Add(`country:"' \\ %"`, "\\x01", "\xff\x00")
	f.Add("a?b* OR (a.*)", "a+b(c", "[^ ]")
	f.Fuzz(func(t *testing.T, keywords, title, contents string) {
		if len(keywords)+len(title)+len(contents) > 10_000 {
			return
		}
		cond, err := watchlist.Compile(1, earshot.Criteria{Keywords: keywords})
		if err != nil {
			return
		}
		table := newWhereTable(t, []*earshot.Post{
			{GUID: "1", Title: title, Contents: contents, Hashtags: []string{title}, Site: contents},
			{GUID: "2", Contents: title + " " + keywords},
			{GUID: "3", Title: keywords, Place: earshot.Place{Country: title, City: contents}},
		})
		table.check(t, cond, keywords)
	})
}
