package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// TestWhereAgreesWithMatch compares the posts that SQL selects with those that Match accepts, for
// random conditions of the whole language.
func TestWhereAgreesWithMatch(t *testing.T) {
	r := newWhereRandom(1)
	var posts []*earshot.Post
	for i := range 400 {
		posts = append(posts, r.post(i))
	}
	table := newWhereTable(t, posts)
	rounds := 250 // the engine needs 10 ms or more for each
	if testing.Short() {
		rounds = 60
	}
	compiled, exact, matched := 0, 0, 0
	approximated := map[string]int{}
	for range rounds {
		cond, text, ok := r.condition()
		if !ok {
			continue
		}
		compiled++
		found, isExact := table.check(t, cond, text)
		if matched += found; isExact {
			exact++
		} else {
			approximated[kindsOf(cond)]++
		}
	}
	t.Logf("%d of %d conditions are exact, %d posts match; approximated: %v", exact, compiled, matched, approximated)
	if compiled < rounds/2 || exact < compiled*3/5 || matched < compiled {
		t.Error("the cases are not varied enough, or too many are approximated")
	}
}

// condition returns a random condition and its text, or false if it is invalid.
func (r whereRandom) condition() (cond *watchlist.Condition, text string, ok bool) {
	m := r.monitor()
	cond, err := watchlist.CompileMonitor(m)
	if err != nil {
		return nil, "", false
	}
	if r.often(10) {
		f := &earshot.Filter{ID: 2, Criteria: r.criteria()}
		if cond, err = watchlist.CompileFilter(m, f); err != nil {
			return nil, "", false
		}
		text = fmt.Sprintf("%+v ", f.Criteria)
	}
	if r.often(20) {
		cond = cond.OwnPosts()
		text += "own posts of "
	}
	return cond, text + fmt.Sprintf("%+v %+v", m.Criteria, m.Account), true
}

// kindsOf names the parts of a condition that SQL approximates.
func kindsOf(cond *watchlist.Condition) string {
	var kinds []string
	for f := cond.Formula(); f != nil; f = f.Within {
		if f.Account != nil && f.Account.AnyMention {
			kinds = append(kinds, "mention")
		}
		walkFormula(f.Keywords, func(f query.Formula) {
			switch f := f.(type) {
			case query.HasExact:
				kinds = append(kinds, "exact text")
			case query.HasWindow:
				if slices.ContainsFunc(f, func(w query.WindowCase) bool { return w.MayOverlap }) {
					kinds = append(kinds, "window with overlap")
				}
			case query.InText:
				if f.Field != "title" && f.Field != "contents" && f.Field != "author" {
					kinds = append(kinds, "text of other fields")
				}
			case query.InRange:
				if f.Field != "authorFollowers" {
					kinds = append(kinds, "numbers")
				}
			case query.HasValue:
				if idColumns[f.Field] != "" && f.Pattern {
					kinds = append(kinds, "pattern of identifiers")
				}
			}
		})
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), " + ")
}

func walkFormula(f query.Formula, visit func(query.Formula)) {
	visit(f)
	switch f := f.(type) {
	case query.AllOf:
		for _, part := range f {
			walkFormula(part, visit)
		}
	case query.AnyOf:
		for _, part := range f {
			walkFormula(part, visit)
		}
	case query.Not:
		walkFormula(f.Operand, visit)
	case query.HasNear:
		walkFormula(f.Left, visit)
		walkFormula(f.Right, visit)
	case query.HasWindow:
		for _, w := range f {
			for _, p := range w.Parts {
				walkFormula(p.Formula, visit)
			}
		}
	case query.InText:
		walkFormula(f.Operand, visit)
	}
}

// A whereTable is table posts with the columns that conditions read.
type whereTable struct {
	db    *chhttp.Client
	posts []*earshot.Post
	docs  []*query.Document
}

func newWhereTable(t testing.TB, posts []*earshot.Post) *whereTable {
	t.Helper()
	s := chtest.Open(t)
	db, err := chhttp.New(chhttp.Options{URL: s.URL, Database: s.Database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	w := &whereTable{db: db}
	if err := db.Exec(t.Context(), chhttp.Statement{SQL: "CREATE TABLE posts (" + tables[0].columns + ") ENGINE = MergeTree ORDER BY row"}); err != nil {
		t.Fatal(err)
	}
	for chunk := range slices.Chunk(posts, 1000) { // several parts
		w.insert(t, chunk)
	}
	return w
}

func (w *whereTable) insert(t testing.TB, posts []*earshot.Post) {
	t.Helper()
	block := newPostBlock()
	for _, p := range posts {
		block.add(newVersion(p, poststore.SumOf(p.Key()), nil, uint64(len(w.posts)), 0, 0), nil)
		w.posts, w.docs = append(w.posts, p), append(w.docs, query.NewDocument(p))
	}
	if err := w.db.Insert(t.Context(), "posts", "", block.input()); err != nil {
		t.Fatal(err)
	}
}

// check compares what a condition selects with Match, and returns the number of posts that match. It
// compiles conditions with prefixes twice: first without the words that start with them.
func (w *whereTable) check(t testing.TB, cond *watchlist.Condition, text string) (matched int, exact bool) {
	t.Helper()
	prefixes := map[string][]string{}
	matched, exact = w.checkWith(t, compiler{args: new(chhttp.Args), wanted: func(p string) { prefixes[p] = nil }}, cond, text)
	if len(prefixes) == 0 {
		return matched, exact
	}
	for p := range prefixes {
		prefixes[p] = w.wordsWith(t, p)
	}
	return w.checkWith(t, compiler{args: new(chhttp.Args), prefixes: prefixes}, cond, text)
}

func (w *whereTable) checkWith(t testing.TB, c compiler, cond *watchlist.Condition, text string) (matched int, exact bool) {
	t.Helper()
	expr, exact := c.where(cond)
	found, err := w.rows(t.Context(), expr, c.args, quick)
	if err != nil {
		t.Fatalf("%s\n%s\n%v", text, expr, err)
	}
	for i, d := range w.docs {
		want := cond.Match(d)
		if want {
			matched++
		}
		if got := found[uint64(i)]; got != want && (exact || want) {
			t.Fatalf("%s\non post %+v\nwords %q\nmarks %q\nfields %q\n%s (exact %t)\ngot %t, want %t", text, d.Post,
				appendWords(nil, d), marksOf(d), fieldsOf(d), expr, exact, got, want)
		}
	}
	return matched, exact
}

// fieldsOf returns the value of column fields.
func fieldsOf(d *query.Document) (fields []string) {
	eachField(d, func(value []byte) { fields = append(fields, string(value)) })
	return fields
}

// rows returns the rows that a condition selects.
func (w *whereTable) rows(ctx context.Context, expr string, args *chhttp.Args, settings map[string]string) (map[uint64]bool, error) {
	found := map[uint64]bool{}
	var row proto.ColUInt64
	s := chhttp.Statement{SQL: "SELECT row FROM posts WHERE " + expr, Args: args, Settings: settings}
	err := w.db.Query(ctx, s, proto.Results{{Name: "row", Data: &row}}, func(int) error {
		for _, r := range row {
			found[r] = true
		}
		return nil
	})
	return found, err
}

// quick are settings for many different queries on few rows.
var quick = map[string]string{"max_threads": "1", "compile_expressions": "0"}

// TestWhereUsesTheIndex checks that the text index finds the candidates, and that it selects the same
// posts as a scan of the table.
func TestWhereUsesTheIndex(t *testing.T) {
	r := newWhereRandom(2)
	var posts []*earshot.Post
	for i := range 3000 {
		posts = append(posts, r.post(i))
	}
	table := newWhereTable(t, posts)
	prefixes := map[string][]string{}
	for _, prefix := range []string{"ab", "\x01#ab", "none"} { // ab, #ab and none in a query
		prefixes[prefix] = table.wordsWith(t, prefix)
	}
	if len(prefixes["ab"]) == 0 || len(prefixes["none"]) > 0 {
		t.Fatalf("words by prefix: %q", prefixes)
	}
	scan := map[string]string{"use_skip_indexes": "0", "query_plan_direct_read_from_text_index": "0"}
	for _, keywords := range []string{
		"a", "#b", "é", "#東京", "a b -c", `"a b"`, `"#a é"`, "a NEAR/2 (b OR c)", "title:a", "contents:#b", `"a b c"~3`, "{A}", "hashtags:café", "site:example.com", "a OR b OR c",
	} {
		for _, known := range []map[string][]string{nil, prefixes} {
			query := keywords
			if known != nil {
				query += " OR ab* OR #ab* OR none* OR " + keywords
			}
			cond, err := watchlist.Compile(1, earshot.Criteria{Keywords: query})
			if err != nil {
				t.Fatal(err)
			}
			c := compiler{args: new(chhttp.Args), prefixes: known}
			expr, _ := c.where(cond)
			indexed, err := table.rows(t.Context(), expr, c.args, quick)
			if err != nil {
				t.Fatalf("%s: %v", expr, err)
			}
			scanned, err := table.rows(t.Context(), expr, c.args, scan)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(indexed, scanned) {
				t.Errorf("%s: got %d posts, want %d\n%s", keywords, len(indexed), len(scanned), expr)
			}
			if plan := table.explain(t, expr, c.args); !strings.Contains(plan, "wordsIndex") && !strings.Contains(plan, "fieldsIndex") {
				t.Errorf("%s uses no index:\n%s\n%s", keywords, expr, plan)
			}
		}
	}
}

// wordsWith returns the words in the text index that start with a prefix.
func (w *whereTable) wordsWith(t testing.TB, prefix string) []string {
	t.Helper()
	words, err := (&Store{db: w.db}).wordsWith(t.Context(), prefix)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// explain returns the plan of a condition.
func (w *whereTable) explain(t *testing.T, expr string, args *chhttp.Args) string {
	t.Helper()
	var lines proto.ColStr
	var plan strings.Builder
	s := chhttp.Statement{SQL: "EXPLAIN indexes = 1 SELECT row FROM posts WHERE " + expr, Args: args}
	err := w.db.Query(t.Context(), s, proto.Results{{Name: "explain", Data: &lines}}, func(rows int) error {
		for i := range rows {
			plan.WriteString(lines.Row(i) + "\n")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
