package watchlist

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/query"
)

// random generates random monitors and posts from few words, so that many of them match.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

func (r random) of(choices ...string) string { return choices[r.IntN(len(choices))] }

// often returns true with a probability in percent.
func (r random) often(percent int) bool { return r.IntN(100) < percent }

func (r random) word() string {
	return r.of("apple", "Apfel", "pie", "tart", "café", "cafe", "straße", "東京", "o1-preview", "don't", "the", "a", "appliance", "привет", "10,000", "🔥", "acme")
}

func (r random) words() string {
	n := 1 + r.IntN(3)
	var words []string
	for range n {
		words = append(words, r.word())
	}
	return strings.Join(words, " ")
}

// leaf returns a query without operators.
func (r random) leaf() string {
	switch r.IntN(12) {
	case 0, 1:
		return `"` + r.words() + `"`
	case 2:
		return r.of("app*", "appl*", "ca?e", "t*rt", "appliances*", "при*", "#app*", "thee*")
	case 3:
		return r.of("{Apple}", "{apple pie}", "{Apfel}", "{!}")
	case 4:
		return r.of("#", "@") + r.of("apple", "acme", "pie")
	case 5:
		return fmt.Sprintf(`"%s"~%d`, r.words()+" "+r.word(), r.IntN(4))
	}
	return r.word()
}

func (r random) field() string {
	return r.of("title:apple", "contents:(apple OR pie)", `title:"apple pie"`, "author:joe", "site:example.com",
		"language:en", "authorFollowers:[1 TO 10]", "source:News", "hashtags:apple", "contents:app*", "url:pie")
}

// operand returns an operand of NEAR.
func (r random) operand() string {
	if r.often(30) {
		return "(" + r.word() + " OR " + `"` + r.words() + `")`
	}
	return r.word()
}

func (r random) query(depth int) string {
	if depth == 0 {
		return r.leaf()
	}
	sub := func() string { return "(" + r.query(r.IntN(depth)) + ")" }
	switch r.IntN(8) {
	case 0, 1:
		return sub() + " OR " + sub()
	case 2, 3:
		return sub() + " AND " + sub()
	case 4:
		return sub() + " AND NOT " + sub()
	case 5:
		return sub() + " OR NOT " + sub()
	case 6:
		return r.operand() + r.of(" NEAR/2 ", " ONEAR/1 ", " NEAR/3f ") + r.operand()
	}
	return r.field()
}

func (r random) criteria() earshot.Criteria {
	var c earshot.Criteria
	if r.often(90) {
		c.Keywords = r.query(r.IntN(4))
	}
	if r.often(15) {
		c.Sources = []string{r.of("Twitter", "News", "Survey")}
	}
	if r.often(15) {
		c.Languages = earshot.Choice{Exclude: r.often(50), Values: []string{r.of("EN", "DE"), "FR"}}
		if r.often(30) {
			c.Languages.Values = earshot.Languages
		}
	}
	if r.often(10) {
		c.Places = earshot.Choice{Exclude: r.often(50), Values: []string{r.of("USA", "DEU", "USA.CA")}}
		if r.often(30) {
			c.Places.Values = allCountries
		}
	}
	if r.often(10) {
		c.Gender = earshot.Female
	}
	return c
}

func (r random) monitor(id earshot.MonitorID) *earshot.Monitor {
	m := &earshot.Monitor{ID: id, Enabled: r.often(90), Team: earshot.TeamID(r.IntN(3)), Criteria: r.criteria()}
	if !m.Enabled {
		m.DisabledAt = earshot.Position(r.IntN(8))
	}
	if r.often(15) {
		m.Type = earshot.Social
		m.Account = earshot.Account{
			Network: earshot.Source(r.of("Twitter", "Instagram", "Facebook")),
			Handle:  r.of("acme", "@Acme_Co", "acme.co", "kösel", "skunk", "a b", "-"),
			PageID:  r.of("1", "2"),
		}
		if r.often(60) {
			m.Criteria = earshot.Criteria{}
		}
	}
	for i := range r.IntN(3) {
		m.Filters = append(m.Filters, earshot.Filter{ID: 1000*(id+1) + earshot.MonitorID(i), Criteria: r.criteria()})
	}
	return m
}

func (r random) post() *earshot.Post {
	var text []string
	for range r.IntN(12) {
		word := r.word()
		switch r.IntN(12) {
		case 0:
			word = r.of("#", "@", "$") + word
		case 1:
			word = strings.ToUpper(word)
		case 2:
			word = r.of("@acme", "joe@acme", "@ACME.CO", "@acme_co", "@SKUN\u212A", "@\u017Fkunk", "@KÖSEL", "@@acme", "@a b", "@-")
		case 3:
			word += r.of("!", "s", ".", " x y z")
		}
		text = append(text, word)
	}
	p := &earshot.Post{
		Source:         earshot.Source(r.of("Twitter", "News", "Survey", "Instagram", "Facebook")),
		Contents:       strings.Join(text, " "),
		Language:       r.of("en", "de", "fr", "tl", ""),
		AuthorUsername: r.of("", "joe", "Acme", "@acme.co", "\u017Fkunk", "kösel"),
		Author:         r.of("acme_co (Acme)", "Joe", ""),
		Site:           r.of("", "www.example.com"),
		URL:            r.of("", "https://example.com/pie"),
		Gender:         earshot.Gender(r.of("", "F", "M")),
		PageID:         r.of("", "1", "2"),
		Followers:      earshot.Counted(int64(r.IntN(20))),

		AuthorProfileID: r.of("", "1", "2"),
	}
	if r.often(30) {
		p.Title = r.of("", "@acme ", "by @acme.co, ") + r.words()
	}
	if r.often(50) {
		p.Place = earshot.Place{Country: r.of("USA", "DEU", "XYZ"), State: r.of("", "CA")}
	}
	if r.often(10) {
		p.Team = earshot.TeamID(r.IntN(3))
	}
	return p
}

func (r random) monitors(n int) []*earshot.Monitor {
	var monitors []*earshot.Monitor
	for id := range n {
		monitors = append(monitors, r.monitor(earshot.MonitorID(id+1)))
	}
	return monitors
}

// compare matches random posts against the list and against a loop over its monitors. It returns
// the number of matches.
func compare(t *testing.T, r random, l *List, loop linearList, monitors []*earshot.Monitor, posts int) int {
	t.Helper()
	matched := 0
	var d query.Document
	for range posts {
		p := r.post()
		d.Reset(p)
		want := loop.match(&d, nil)
		if got := l.Match(&d, nil); !slices.Equal(got, want) {
			t.Fatalf("post %+v:\n got %v\nwant %v%s", p, got, want, differing(monitors, got, want))
		}
		matched += len(want)
	}
	return matched
}

// differing lists the monitors that are on only one side.
func differing(monitors []*earshot.Monitor, a, b []earshot.MonitorID) string {
	var text string
	for _, m := range monitors {
		if slices.Contains(a, m.ID) != slices.Contains(b, m.ID) {
			text += fmt.Sprintf("\n%d %s %+v %+v", m.ID, m.Type, m.Criteria, m.Account)
		}
	}
	return text
}

func TestListAgreesWithLinearScan(t *testing.T) {
	for seed := range uint64(20) {
		r := newRandom(seed)
		monitors := r.monitors(300)
		l, _ := New(monitors, 3)
		if compare(t, r, l, newLinearList(monitors, 3), monitors, 100) == 0 {
			t.Error("no post matched")
		}
	}
}

func TestEveryRandomQueryParses(t *testing.T) {
	r := newRandom(1)
	failed := 0
	for range 1000 {
		text := r.query(r.IntN(4))
		if _, err := query.Parse(text); err != nil {
			if failed++; failed == 1 {
				t.Logf("%s: %v", text, err)
			}
		}
	}
	if failed > 100 { // some queries only exclude
		t.Errorf("%d of 1000 do not parse", failed)
	}
}

// TestChangesAgreeWithNewList derives lists from one another many times, while slots, chunks and
// kinds come and go and the journal position advances.
func TestChangesAgreeWithNewList(t *testing.T) {
	for seed := range uint64(5) {
		r := newRandom(seed)
		all := map[earshot.MonitorID]*earshot.Monitor{}
		l, _ := New(nil, 0)
		for step := range 60 {
			at := earshot.Position(step / 6)
			var changed []*earshot.Monitor
			var removed []earshot.MonitorID
			for range r.IntN(20) {
				id := earshot.MonitorID(1 + r.IntN(200))
				if r.often(60) {
					all[id] = r.monitor(id)
					changed = append(changed, all[id])
				} else if !slices.ContainsFunc(changed, func(m *earshot.Monitor) bool { return m.ID == id }) {
					delete(all, id)
					removed = append(removed, id)
				}
			}
			changed = slices.DeleteFunc(changed, func(m *earshot.Monitor) bool { return all[m.ID] != m })
			l, _ = l.With(changed, removed, at)
			var monitors []*earshot.Monitor
			for id := range earshot.MonitorID(201) {
				if m := all[id]; m != nil {
					monitors = append(monitors, m)
				}
			}
			loop := newLinearList(monitors, at)
			compare(t, r, l, loop, monitors, 20)
			l = l.Reindex(50)
			compare(t, r, l, loop, monitors, 5)
			check(t, l)
		}
	}
}

// check verifies the internal consistency of a list.
func check(t *testing.T, l *List) {
	t.Helper()
	var users [kindCount]int32
	indexed, expiring := 0, 0
	for slot := range l.used {
		e := l.entries.at(slot)
		if e.entryMeta == nil {
			continue
		}
		indexed += len(e.features)
		if e.lastPosition != earshot.EndOfJournal {
			expiring++
		}
		for t := range kindCount {
			if e.kinds.has(t) {
				users[t]++
			}
		}
		if got, ok := l.findSlot(e.id); !ok || got != slot {
			t.Fatalf("monitor %d is in slot %d, but findSlot returned %d, %t", e.id, slot, got, ok)
		}
	}
	if users != l.kindUsers || expiring != len(l.expiries) {
		t.Fatalf("users of kinds: got %v, want %v; expiries: got %d, want %d", l.kindUsers, users, len(l.expiries), expiring)
	}
	if got := count(l.postings); got != indexed {
		t.Fatalf("got %d postings, want %d", got, indexed)
	}
}

func count(x *index) int {
	n := 0
	for _, block := range x {
		for _, bucket := range block {
			for _, l := range bucket.lists {
				for range l.all() {
					n++
				}
			}
		}
	}
	return n
}
