package clickhouse

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
)

// TestColumns inserts columns with dictionaries of all sizes, and reads them again.
func TestColumns(t *testing.T) {
	s := chtest.Open(t)
	db, err := chhttp.New(chhttp.Options{URL: s.URL, Database: s.Database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	err = db.Exec(t.Context(), chhttp.Statement{SQL: "CREATE TABLE columns (n UInt64, text String, term LowCardinality(String), texts Array(String), terms Array(LowCardinality(String)))" +
		" ENGINE = MergeTree ORDER BY n"})
	if err != nil {
		t.Fatal(err)
	}
	var n proto.ColUInt64
	var text textColumn
	var term termColumn
	texts, terms := newList(new(textColumn)), newList(new(termColumn))
	in := proto.Input{{Name: "n", Data: &n}, {Name: "text", Data: &text}, {Name: "term", Data: &term}, {Name: "texts", Data: texts}, {Name: "terms", Data: terms}}
	type row struct {
		text, term   string
		texts, terms []string
	}
	for _, count := range []int{1, 255, 256, 257, 65_535, 65_536, 65_537} {
		in.Reset()
		var want []row
		for i := range count {
			r := row{text: fmt.Sprint("text ", i), term: fmt.Sprint("term ", i)}
			if i%3 > 0 {
				r.texts, r.terms = []string{"", r.text}, []string{r.term, fmt.Sprint(i % 10)}
			}
			want = append(want, r)
			text.Append(r.text)
			term.Append(r.term)
			texts.Append(r.texts)
			terms.Append(r.terms)
		}
		rows := []int{count - 1, 0, count / 2}
		text.repeat(rows)
		term.repeat(rows)
		texts.repeat(rows)
		terms.repeat(rows)
		for _, i := range rows {
			want = append(want, want[i])
		}
		text.omit(rows)
		term.omit(rows)
		texts.omit(rows)
		terms.omit(rows)
		want = append(want, make([]row, len(rows))...)
		for i := range want {
			n.Append(uint64(i))
		}
		if err := db.Exec(t.Context(), chhttp.Statement{SQL: "TRUNCATE TABLE columns"}); err != nil {
			t.Fatal(err)
		}
		if err := db.Insert(t.Context(), "columns", "", in); err != nil {
			t.Fatalf("%d rows: %v", count, err)
		}
		var got []row
		var gotText, gotTerm proto.ColStr
		gotTexts, gotTerms := proto.NewArray[string](new(proto.ColStr)), proto.NewArray[string](new(proto.ColStr))
		err := db.Query(t.Context(), chhttp.Statement{SQL: "SELECT text, CAST(term, 'String') AS single, texts, CAST(terms, 'Array(String)') AS several FROM columns ORDER BY n"}, proto.Results{
			{Name: "text", Data: &gotText}, {Name: "single", Data: &gotTerm}, {Name: "texts", Data: gotTexts}, {Name: "several", Data: gotTerms},
		}, func(rows int) error {
			for i := range rows {
				got = append(got, row{gotText.Row(i), gotTerm.Row(i), gotTexts.Row(i), gotTerms.Row(i)})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("got %d rows, want %d", len(got), len(want))
		}
		for i, w := range want {
			if g := got[i]; g.text != w.text || g.term != w.term || !slices.Equal(g.texts, w.texts) || !slices.Equal(g.terms, w.terms) {
				t.Fatalf("%d rows: row %d: got %q, want %q", count, i, g, w)
			}
		}
	}
}
