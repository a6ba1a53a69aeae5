package watchlist

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/query"
)

// A testIndex is the simplest index of posts. It has only the fields that bind.go uses.
type testIndex struct {
	posts []*earshot.Post
	keys  []string
	words [][]uint32
}

func newTestIndex(posts []*earshot.Post) *testIndex {
	x := &testIndex{posts: posts, keys: []string{""}}
	for _, p := range posts {
		d := query.NewDocument(p)
		for i := range d.Len() {
			x.keys = append(x.keys, string(d.AppendKey(nil, i)))
		}
	}
	slices.Sort(x.keys)
	x.keys = slices.Compact(x.keys)
	for _, p := range posts {
		d := query.NewDocument(p)
		x.words = append(x.words, d.AppendTokenIDs(nil, func(i int) uint32 {
			n, _ := slices.BinarySearch(x.keys, string(d.AppendKey(nil, i)))
			return uint32(n)
		}))
	}
	return x
}

func (x *testIndex) Prefix(prefix string) (from, to uint32) {
	begins := func(key string) bool { return strings.HasPrefix(key, prefix) }
	first, _ := slices.BinarySearch(x.keys, prefix)
	n := slices.IndexFunc(x.keys[first:], func(key string) bool { return !begins(key) })
	if n < 0 {
		n = len(x.keys) - first
	}
	return uint32(first), uint32(first + n)
}

func (x *testIndex) Keys(from, to uint32) iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		for i := from; i < to && yield(i, []byte(x.keys[i])); i++ {
		}
	}
}

func (x *testIndex) All() *roaring.Bitmap {
	return x.rows(nil, func(uint32) bool { return true })
}

func (x *testIndex) Any(tokens []uint32, scope *roaring.Bitmap) *roaring.Bitmap {
	if !slices.IsSorted(tokens) {
		panic("tokens are not in ascending order")
	}
	return x.rows(scope, func(row uint32) bool {
		tags := 2 * x.words[row][0]
		for i, word := range x.words[row][1:] {
			if i := uint32(i); (i >= tags || i%2 == 1) && slices.Contains(tokens, word) {
				return true
			}
		}
		return false
	})
}

func (x *testIndex) Cardinality(tokens []uint32) int {
	return int(x.Any(tokens, nil).GetCardinality())
}

func (x *testIndex) Field(name string, accept func(*earshot.Post) bool, scope *roaring.Bitmap) query.RowSet {
	// Clear all other fields, because a column does not have them.
	only := func(p *earshot.Post) *earshot.Post {
		switch name {
		case fieldTeam:
			return &earshot.Post{Team: p.Team}
		case fieldSource:
			return &earshot.Post{Source: p.Source}
		case fieldLanguage:
			return &earshot.Post{Language: p.Language}
		case fieldPlace:
			return &earshot.Post{Place: p.Place}
		case fieldGender:
			return &earshot.Post{Gender: p.Gender}
		case fieldAuthor:
			return &earshot.Post{AuthorUsername: p.AuthorUsername, Author: p.Author}
		case fieldPage:
			return &earshot.Post{PageID: p.PageID}
		}
		return nil
	}
	if only(x.posts[0]) == nil {
		return query.RowSet{Matches: roaring.New(), Candidates: x.rows(scope, func(uint32) bool { return true })}
	}
	return query.RowSet{Matches: x.rows(scope, func(row uint32) bool { return accept(only(x.posts[row])) })}
}

func (x *testIndex) Scan(rows *roaring.Bitmap, accept func(words []uint32) bool) *roaring.Bitmap {
	return x.rows(rows, func(row uint32) bool { return accept(x.words[row]) })
}

// rows returns the rows in a scope that are accepted. A nil scope means all rows.
func (x *testIndex) rows(scope *roaring.Bitmap, accept func(row uint32) bool) *roaring.Bitmap {
	rows := roaring.New()
	for row := range uint32(len(x.posts)) {
		if (scope == nil || scope.Contains(row)) && accept(row) {
			rows.Add(row)
		}
	}
	return rows
}

// checkBinding compares the selection of a bound condition with Match for each post. It returns the
// number of rows that were decided, and how many of them match.
func checkBinding(t *testing.T, m *earshot.Monitor, c *Condition, x *testIndex, scope *roaring.Bitmap) (decided, matched int) {
	t.Helper()
	found := c.Bind(x).Select(x, scope)
	for row, p := range x.posts {
		row := uint32(row)
		want := (scope == nil || scope.Contains(row)) && c.Match(query.NewDocument(p))
		if found.Candidates != nil && found.Candidates.Contains(row) {
			if found.Matches.Contains(row) || scope != nil && !scope.Contains(row) {
				t.Fatalf("%+v: unexpected candidate row %d", m, row)
			}
			continue
		}
		decided++
		if want {
			matched++
		}
		if got := found.Matches.Contains(row); got != want {
			t.Fatalf("%s %+v %+v on %+v: got %t, want %t", m.Type, m.Criteria, m.Account, p, got, want)
		}
	}
	return decided, matched
}

func TestBindingAgreesWithMatch(t *testing.T) {
	decided, matched := 0, 0
	for seed := range uint64(20) {
		r := newRandom(seed)
		var posts []*earshot.Post
		for range 40 {
			posts = append(posts, r.post())
		}
		x := newTestIndex(posts)
		for _, m := range r.monitors(60) {
			c, err := CompileMonitor(m)
			if len(m.Filters) > 0 {
				c, err = CompileFilter(m, &m.Filters[0])
			}
			if err != nil {
				continue
			}
			if r.often(30) {
				c = c.OwnPosts()
			}
			if r.often(20) {
				c = c.WithGenders(earshot.Choice{Exclude: r.often(50), Values: strings.Fields(r.of("M", "F", "M F", ""))})
			}
			var scope *roaring.Bitmap
			if r.often(40) {
				scope = x.rows(nil, func(uint32) bool { return r.often(60) })
			}
			a, b := checkBinding(t, m, c, x, scope)
			decided, matched = decided+a, matched+b
		}
	}
	if decided < 30_000 || matched < 3_000 {
		t.Errorf("%d rows decided, %d match: the cases are not varied enough", decided, matched)
	}
}

// TestMentionsHaveTokens places mentions next to text that affects where words start and end.
func TestMentionsHaveTokens(t *testing.T) {
	handles := []string{"acme", "Acme_Co", "_acme", "__a", "_1ab", "acme1", "4", "24", "a.b", "acme_", "k", "skunk", "kösel", "東京", "-", "a-b", "x1y2"}
	before := []string{"", " ", "@", "/", "#", ".", "'", "(", "\u0301", "\u200d", "$", "＠", "é ", "a\u200b", "👍", "\xff", "&", "http://x.y/", "1,"}
	after := []string{"", " ", "'s", "’s", ",000", ".co", "-x", "!", "\u0301", "\ufe0f\u20e3", "\u20e3", "\u200d", "👍", "\u0338", "\u0483", "\xff", "/", "@", "#x", "$", "\u200d👍", "\u0e34", "\u3099"}
	mentioned := 0
	for _, handle := range handles {
		m := &earshot.Monitor{Type: earshot.Social, Account: earshot.Account{Network: earshot.Instagram, Handle: handle}}
		c, err := CompileMonitor(m)
		if err != nil {
			t.Fatal(err)
		}
		written := []string{handle, strings.ToUpper(handle), strings.ReplaceAll(handle, "k", "\u212A"), strings.ReplaceAll(handle, "s", "\u017F")}
		var posts []*earshot.Post
		for _, b := range before {
			for _, a := range after {
				for _, w := range written {
					posts = append(posts, &earshot.Post{Source: earshot.Instagram, Contents: "one " + b + "@" + w + a + "two"}, &earshot.Post{Source: earshot.Instagram, Title: b + "@" + w + a})
				}
			}
		}
		x := newTestIndex(posts)
		checkBinding(t, m, c, x, nil)
		for _, p := range posts {
			if c.Match(query.NewDocument(p)) {
				mentioned++
			}
		}
	}
	if mentioned < 5000 {
		t.Errorf("%d posts mention the account: too few to compare", mentioned)
	}
}

func TestPostsWithoutHandleAreNotCandidates(t *testing.T) {
	posts := []*earshot.Post{
		{Source: earshot.Twitter, Contents: "no handle here"},
		{Source: earshot.Twitter, Contents: "hello @Acme_Co!"},
		{Source: earshot.Twitter, Contents: "hello @acme!"},
		{Source: earshot.Twitter, Contents: "hello all", AuthorUsername: "ACME_co"},
		{Source: earshot.News, Contents: "hello @acme_co"},
	}
	c, err := CompileMonitor(&earshot.Monitor{Type: earshot.Social, Account: earshot.Account{Network: earshot.Twitter, Handle: "acme_co"}})
	if err != nil {
		t.Fatal(err)
	}
	x := newTestIndex(posts)
	found := c.Bind(x).Select(x, nil)
	if got, want := found.Matches.ToArray(), []uint32{3}; !slices.Equal(got, want) {
		t.Errorf("matches: got %v, want %v", got, want)
	}
	if got, want := found.Candidates.ToArray(), []uint32{1, 2}; !slices.Equal(got, want) { // both have a word that starts with acme
		t.Errorf("candidates: got %v, want %v", got, want)
	}
}
