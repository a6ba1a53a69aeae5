package clickhouse

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/query/watchlist"
)

var (
	dayCacheStart = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	dayCacheMonth = poststore.Selection{Set: 1, From: dayCacheStart, To: dayCacheStart.AddDate(0, 0, 5)}
	dayCacheTally = poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}}
)

// A dayCacheTest is a writer and a reader of the same database, whose cache must notice what the
// writer does.
type dayCacheTest struct {
	*testing.T
	client         *chhttp.Client
	writer, reader *Store
	position       earshot.Position
}

func newDayCacheTest(t *testing.T) *dayCacheTest {
	server := chtest.Open(t)
	client, err := chhttp.New(chhttp.Options{URL: server.URL, Database: server.Database})
	check(t, err)
	check(t, Migrate(t.Context(), client, Topology{}, nil))
	d := &dayCacheTest{T: t, client: client}
	d.writer, d.reader = d.open(false), d.open(true)
	return d
}

func (d *dayCacheTest) open(readOnly bool) *Store {
	s, err := Open(d.Context(), Options{Client: d.client, ReadOnly: readOnly})
	check(d.T, err)
	d.Cleanup(func() { check(d.T, s.Close()) })
	return s
}

// add appends a post of a day.
func (d *dayCacheTest) add(guid string, day int, language string, sets ...poststore.SetID) {
	d.Helper()
	d.position++
	check(d.T, d.writer.Append(d.Context(), d.position, []poststore.MatchedPost{{
		Post: earshot.Post{Source: earshot.Twitter, ContentSource: 9, GUID: guid, Author: guid, Time: dayCacheStart.AddDate(0, 0, day).Add(time.Hour), Language: language, Contents: guid}, Sets: sets,
	}}))
}

// days returns what a store says about days, in two ways.
func (d *dayCacheTest) days(s *Store) string {
	d.Helper()
	starts := []time.Time{dayCacheStart}
	for day := range 5 {
		starts = append(starts, dayCacheStart.AddDate(0, 0, day+1))
	}
	days, err := s.Days(d.Context(), poststore.Selection{Set: 1}, starts, []poststore.Tally{dayCacheTally, {By: []poststore.Dim{poststore.BySets}, Sets: []poststore.SetID{poststore.CategorySet(3, 0), 2}}})
	check(d.T, err)
	category, err := s.Days(d.Context(), poststore.Selection{Set: poststore.CategorySet(3, 0)}, starts, []poststore.Tally{{}})
	check(d.T, err)
	sums, err := s.Tallies(d.Context(), dayCacheMonth, []poststore.Tally{dayCacheTally, {By: []poststore.Dim{poststore.ByDay, poststore.ByLanguage}, Sum: []poststore.Measure{poststore.Authors}},
		{Sum: []poststore.Measure{poststore.Authors}}, {By: []poststore.Dim{poststore.ByAuthor}, Top: 3}})
	check(d.T, err)
	return fmt.Sprint(days, category, sums)
}

// TestDayCacheNoticesChanges checks after each kind of change that a process whose cache is filled has
// the same results as one that has just started.
func TestDayCacheNoticesChanges(t *testing.T) {
	d := newDayCacheTest(t)
	for day := range 4 {
		d.add(fmt.Sprint("first", day), day, "en", 1, poststore.CategorySet(3, 0))
		d.add(fmt.Sprint("second", day), day, "en", 1)
	}
	rematch := func(id poststore.SetID, keywords string) {
		where, err := watchlist.Compile(1, earshot.Criteria{Keywords: keywords})
		check(t, err)
		check(t, d.writer.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{id: {Where: where, UpTo: earshot.EndOfJournal}}}))
	}
	before := ""
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"nothing", func() {}},
		{"append", func() { d.add("third", 2, "de", 1, 2) }},
		{"replace", func() { d.add("first1", 1, "fr", 1) }},
		{"replace by one of another day", func() { d.add("second3", 0, "en", 1) }},
		{"replace by one of another set", func() { d.add("second2", 2, "en", 2) }},
		{"delete", func() {
			d.position++
			check(t, d.writer.Delete(t.Context(), d.position, earshot.Deletion{ContentSource: 9, GUIDs: []string{"first3"}}))
		}},
		{"reinfer", func() {
			check(t, d.writer.Reinfer(t.Context(), poststore.Reinfer{Models: 4, Infer: func(posts []earshot.Post) {
				for i := range posts {
					posts[i].InferredBy, posts[i].Language = 4, "it"
				}
			}}))
		}},
		{"rematch", func() { rematch(1, "first0 OR second1 OR third") }},
		{"rematch another set", func() { rematch(2, "second1") }},
		{"categorize", func() {
			check(t, d.writer.Rematch(t.Context(), poststore.Rematch{Categorizations: []poststore.Categorization{{
				Posts: 1, Sets: []poststore.SetID{poststore.CategorySet(3, 0)},
				Categorize: func(sets []poststore.SetID, p *earshot.Post) []poststore.SetID {
					return append(sets, poststore.CategorySet(3, 0))
				},
			}}}))
		}},
		{"append after a rematch", func() { d.add("fourth", 4, "en", 1) }},
		{"expire", func() {
			d.position++
			check(t, d.writer.Delete(t.Context(), d.position, earshot.Deletion{ContentSource: 9, Before: dayCacheStart.AddDate(0, 0, 1)}))
			check(t, d.writer.clean(t.Context(), time.Now().Add(time.Hour), 0))
		}},
	} {
		c.change()
		want := d.days(d.open(true))
		if want == before {
			t.Errorf("%s: changes nothing", c.name)
		}
		for i, s := range []*Store{d.reader, d.writer, d.reader, d.writer} { // count, and then recall
			if got := d.days(s); got != want {
				t.Errorf("%s, query %d:\ngot  %s\nwant %s", c.name, i, got, want)
			}
		}
		before = want
	}
}

// TestDayCacheCountsOnlyChangedDays replaces cached rows by others, which remain where no post has
// changed.
func TestDayCacheCountsOnlyChangedDays(t *testing.T) {
	d := newDayCacheTest(t)
	for day := range 5 {
		d.add(fmt.Sprint(day), day, "en", 1)
	}
	count := func() string {
		t.Helper()
		rows, err := d.reader.Tallies(t.Context(), dayCacheMonth, []poststore.Tally{{By: []poststore.Dim{poststore.ByDay}}})
		check(t, err)
		var posts []int64
		for _, row := range rows[0] {
			posts = append(posts, row.Posts)
		}
		return fmt.Sprint(posts)
	}
	want := func(want string) {
		t.Helper()
		if got := count(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	want("[1 1 1 1 1]")
	for _, e := range d.reader.days.entries {
		e.rows[0].Posts = 7
	}
	want("[7 7 7 7 7]")
	d.add("another", 2, "en", 1)
	want("[7 7 7 7 2]")
	d.add("of another set", 3, "en", 2)
	want("[7 7 7 7 2]")
}

// TestWholeRangeIsCached replaces cached rows of a tally that days do not add up to. They remain until a
// post in the range changes.
func TestWholeRangeIsCached(t *testing.T) {
	d := newDayCacheTest(t)
	for day := range 5 {
		d.add(fmt.Sprint(day), day, "en", 1)
	}
	want := func(of poststore.Selection, want int64) {
		t.Helper()
		rows, err := d.reader.Tallies(t.Context(), of, []poststore.Tally{{Sum: []poststore.Measure{poststore.Authors}}})
		check(t, err)
		if got := rows[0][0].Sums[0]; got != want {
			t.Errorf("got %d authors, want %d", got, want)
		}
	}
	want(dayCacheMonth, 5)
	for _, e := range d.reader.days.entries {
		e.rows[0].Sums[0] = 7
	}
	want(dayCacheMonth, 7)
	part := dayCacheMonth
	part.To = part.To.Add(-time.Nanosecond)
	want(part, 5)
	d.add("later", 6, "en", 1)
	want(dayCacheMonth, 7)
	d.add("another", 4, "en", 1)
	want(dayCacheMonth, 6)
	want(part, 6)
}

// TestDayCacheIsBounded checks that the cache removes entries when it is full, and ignores large ones.
func TestDayCacheIsBounded(t *testing.T) {
	var c dayCache
	rows := []poststore.Row{{Key: []string{string(make([]byte, maxDayEntry/2))}}}
	for n := range 1000 {
		c.put(dayKey{gen: uint64(n)}, state{commit: 1}, rows)
		if _, ok := c.get(dayKey{gen: uint64(n)}, state{commit: 1}); !ok {
			t.Fatalf("entry %d was not stored", n)
		}
	}
	if c.bytes > maxDayCache || c.bytes < maxDayCache/2 {
		t.Errorf("the cache has %d bytes", c.bytes)
	}
	var sum int64
	for _, e := range c.entries {
		sum += e.bytes
	}
	if sum != c.bytes {
		t.Errorf("the entries have %d bytes, and the cache counts %d", sum, c.bytes)
	}
	if _, ok := c.get(dayKey{gen: 999}, state{commit: 2}); ok {
		t.Error("an entry was returned for another state")
	}
	c.put(dayKey{gen: 1000}, state{}, append(rows, rows...))
	if _, ok := c.get(dayKey{gen: 1000}, state{}); ok {
		t.Error("an entry that is too large was stored")
	}
}
