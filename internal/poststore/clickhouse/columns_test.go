package clickhouse

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
)

// TestSharedTerms checks that posts with the same authors, places, sites and other attributes have the
// same rows in a block with all of them as in a block of their own.
func TestSharedTerms(t *testing.T) {
	r := newWhereRandom(2)
	gens := map[poststore.SetID]uint64{1: 4, 2: 5, 3: 6}
	all := newPostBlock()
	for range 3 {
		all.reset()
		var versions []*version
		for i := range 1000 {
			v := newVersion(sharedPost(r, i), poststore.KeySum{byte(i)}, []poststore.SetID{3, 1, 2}[:r.IntN(4)], uint64(i), uint64(i), earshot.Position(i))
			versions = append(versions, v)
			all.add(v, gens)
		}
		all.finish()
		got := rowsOf(all)
		want, copies := make([]string, 0, len(got)), map[poststore.SetID][]string{}
		for _, v := range versions {
			own := newPostBlock()
			own.add(v, gens)
			own.finish()
			rows := rowsOf(own)
			want = append(want, rows[0])
			slices.Sort(v.Sets)
			for i, set := range v.Sets {
				copies[set] = append(copies[set], rows[i+1])
			}
		}
		want = slices.Concat(want, copies[1], copies[2], copies[3])
		if len(got) != len(want) {
			t.Fatalf("got %d rows, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("row %d: got\n%s\nwant\n%s", i, got[i], want[i])
			}
		}
	}
}

// sharedPost returns a post with few values of attributes, which many posts share.
func sharedPost(r whereRandom, n int) *earshot.Post {
	p := r.post(n)
	p.Time = time.Unix(1_700_000_000+int64(n)*1000, int64(r.IntN(3)))
	p.Author = r.of(p.Author, "Ann García", "ann (Ann Smith)", "@Ann", " ann ", "\u017Fmith", "a\xffb", "İx")
	p.Site = r.of(p.Site, "news.bbc.co.uk", "WWW.bbc.co.uk", "1.2.3.4")
	p.Location = r.of("", "Europe", "as", "Paris")
	p.Place.Country = r.of(p.Place.Country, p.Place.Country, "Europe")
	if r.often(20) {
		p.Interests, p.AuthorInterests = []earshot.InterestID{3, 4, 3}, []earshot.InterestID{4, 500}
	}
	return p
}

// rowsOf returns the rows of a block as text.
func rowsOf(b *postBlock) []string {
	rows := make([]strings.Builder, b.rows())
	for _, c := range b.columns() {
		for i, value := range valuesOf(c.data) {
			fmt.Fprintf(&rows[i], "%s: %s\n", c.name, value)
		}
	}
	texts := make([]string, len(rows))
	for i := range rows {
		texts[i] = rows[i].String()
	}
	return texts
}

// valuesOf returns the values of a column as text.
func valuesOf(c proto.ColInput) (values []string) {
	list := func(ends []uint64, elements []string) {
		from := uint64(0)
		for _, to := range ends {
			values, from = append(values, fmt.Sprintf("%q", elements[from:to])), to
		}
	}
	switch c := c.(type) {
	case *textColumn:
		return stringsIn(c)
	case *termColumn:
		terms := stringsIn(&c.terms)
		for _, n := range c.rows {
			values = append(values, terms[n])
		}
	case *listColumn[*textColumn]:
		list(c.ends, valuesOf(c.elements))
	case *listColumn[*termColumn]:
		list(c.ends, valuesOf(c.elements))
	default:
		for numbers, i := reflect.ValueOf(c).Elem(), 0; i < numbers.Len(); i++ {
			values = append(values, fmt.Sprint(numbers.Index(i)))
		}
	}
	return values
}
