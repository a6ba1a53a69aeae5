package watchlist

import (
	"slices"
	"testing"

	"earshot"
	"earshot/internal/query"
)

// TestFormulaOfAccount compares formulas of accounts with Match: of random ones, and of handles
// that are hard to find.
func TestFormulaOfAccount(t *testing.T) {
	r := newRandom(5)
	handles := []string{"acme", "@Acme_Co", "acme.co", "kösel", "skunk", "a b", "-", "ι", "a@b.c", "a..b", "\u0345"}
	texts := []string{"@acme", "joe@acme", "@ACME.CO", "@acme_co", "@SKUN\u212A", "@\u017Fkunk", "@KÖSEL", "@@acme", "@a b", "@-", "@acme.", "@acme..co", "@\u0345", "@ι", "@a@b.c", "@acme@", "\xff@acme\xff", "@acme@x"}
	decided, matched := 0, 0
	for range 20_000 {
		a := earshot.Account{Network: earshot.Source(r.of("Twitter", "Instagram", "Facebook")), Handle: r.of(handles...), PageID: r.of("1", "2")}
		c, err := CompileMonitor(&earshot.Monitor{Type: earshot.Social, Account: a})
		if err != nil {
			t.Fatal(err)
		}
		if r.often(30) {
			c = c.OwnPosts()
		}
		p := r.post()
		p.Team = 0
		p.Contents = r.of(texts...) + r.of("", " ", "x") + r.of(texts...)
		f := c.Formula().Account
		if f.AnyMention {
			continue
		}
		decided++
		var mentions []string
		Mentions(p, func(key string) { mentions = append(mentions, key) })
		wrote := f.HandleKey != "" && f.HandleKey == HandleKey(p.Handle()) || f.PageID != "" && IsByPage(p)
		got := p.Source == f.Network
		switch {
		case f.PageID != "":
			got = got && p.PageID == f.PageID && (!f.OwnOnly || wrote)
		case f.OwnOnly:
			got = got && wrote
		default:
			got = got && (wrote || slices.Contains(mentions, f.MentionKey))
		}
		want := c.Match(query.NewDocument(p))
		if want {
			matched++
		}
		if got != want {
			t.Fatalf("%+v, %+v: got %t, want %t", f, p, got, want)
		}
	}
	if decided < 8_000 || matched < 500 {
		t.Errorf("%d cases are decided and %d match: they are not varied enough", decided, matched)
	}
}

func TestFormulaOfCondition(t *testing.T) {
	m := &earshot.Monitor{Team: 7, Criteria: earshot.Criteria{
		Keywords:  "apple",
		Sources:   []string{"News"},
		Languages: earshot.Choice{Exclude: true, Values: []string{"EN"}},
		Places:    earshot.Choice{Values: []string{"DEU", "USA.CA"}},
		Gender:    earshot.Female,
	}}
	c, err := CompileFilter(m, &earshot.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	f := c.Formula()
	if f.Team != 7 || f.Sources != nil || f.Languages != nil || f.Genders != nil || f.Places != nil || f.Account != nil || f.Keywords != nil || f.Within == nil {
		t.Errorf("filter without criteria: got %+v", f)
	}
	w := f.Within
	if w.Team != 7 || !slices.Equal(w.Sources, []earshot.Source{"News"}) || w.Keywords == nil || w.Within != nil {
		t.Errorf("monitor: got %+v", w)
	}
	if l := w.Languages; l == nil || !l.Exclude || l.Any || !slices.Equal(l.Values, []string{"en"}) {
		t.Errorf("languages: got %+v", l)
	}
	if g := w.Genders; g == nil || g.Exclude || !slices.Equal(g.Values, []string{"F"}) {
		t.Errorf("genders: got %+v", g)
	}
	if p := w.Places; p == nil || p.Exclude || p.Any || !slices.Equal(p.Countries, []string{"DEU"}) || !slices.Equal(p.Parts, []earshot.Place{{Country: "USA", State: "CA"}}) {
		t.Errorf("places: got %+v", p)
	}
}
