package watchlist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/query"
)

func TestMatchDoesNotAllocate(t *testing.T) {
	r := newRandom(1)
	monitors := r.monitors(500)
	monitors = slices.DeleteFunc(monitors, func(m *earshot.Monitor) bool {
		return strings.Contains(m.Criteria.Keywords, ":") // matching fields allocates
	})
	for _, m := range monitors {
		m.Filters = nil
	}
	l, _ := New(monitors, 0)
	var m matcher
	var documents []*query.Document
	for range 100 {
		documents = append(documents, query.NewDocument(r.post()))
	}
	ids := make([]earshot.MonitorID, 0, len(monitors))
	got := testing.AllocsPerRun(20, func() {
		for _, d := range documents {
			ids = m.match(l, d, ids[:0])
		}
	})
	if m.bloom != (bloomFilter{}) {
		t.Error("the Bloom filter is not empty after the last post")
	}
	if got != 0 {
		t.Errorf("matching %d posts: got %v allocations, want none", len(documents), got)
	}
}

func TestMonitorIsCheckedOncePerPost(t *testing.T) {
	l, _ := New([]*earshot.Monitor{watching(1, "apple OR app* OR pie OR #tart"), watching(2, "(apple OR pie) AND (tart OR cake)")}, 1)
	var m matcher
	got := m.match(l, query.NewDocument(&earshot.Post{Contents: "apple pie apple apples #tart"}), nil)
	if want := []earshot.MonitorID{1, 2}; !slices.Equal(got, want) || m.entriesChecked != 2 {
		t.Errorf("got %v after checking %d, want %v after checking 2", got, m.entriesChecked, want)
	}
}

func TestMonitorsThatCannotMatchAreNotChecked(t *testing.T) {
	social := &earshot.Monitor{ID: 8, Enabled: true, Type: earshot.Social, Account: earshot.Account{Network: earshot.Twitter, Handle: "acme"}}
	page := &earshot.Monitor{ID: 9, Enabled: true, Type: earshot.Social, Account: earshot.Account{Network: earshot.Facebook, PageID: "1"}}
	survey := &earshot.Monitor{ID: 10, Enabled: true, Criteria: earshot.Criteria{Sources: []string{"Survey"}}}
	l, errs := New([]*earshot.Monitor{
		watching(1, "apple"),
		watching(2, `"pie tart"`),
		watching(3, "pie AND (apple OR cake)"),
		watching(4, "pi AND pie"),
		watching(5, "pies*"),
		watching(6, "tart NEAR/2 pie"),
		watching(7, "apple OR tart OR (cake AND pie)"),
		social, page, survey,
		watching(11, "title:apple AND contents:pie"),
	}, 1)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var m matcher
	got := m.match(l, query.NewDocument(&earshot.Post{Source: earshot.Twitter, Contents: "pie with cream by @acmes"}), nil)
	if len(got) != 0 || m.entriesChecked != 0 {
		t.Errorf("got %v after checking %d, want none after checking none", got, m.entriesChecked)
	}
}

// TestLongPost matches a post that exceeds the initial sizes of all buffers, with many repeated
// words.
func TestLongPost(t *testing.T) {
	var text strings.Builder
	var monitors []*earshot.Monitor
	var want []earshot.MonitorID
	for i := range 20_000 {
		fmt.Fprintf(&text, "word%d ", i%9_000)
		if i%1000 == 0 {
			monitors = append(monitors, watching(earshot.MonitorID(i+1), fmt.Sprintf("word%d AND wor*", i)))
			if i < 9_000 {
				want = append(want, earshot.MonitorID(i+1))
			}
		}
	}
	l, _ := New(monitors, 1)
	if got := matches(l, text.String()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := matches(l, "word1 word0"); !slices.Equal(got, want[:1]) {
		t.Errorf("a short post after it: got %v, want %v", got, want[:1])
	}
}

func TestPostCounterWrapsAround(t *testing.T) {
	l, _ := New([]*earshot.Monitor{watching(1, "pie")}, 1)
	d := query.NewDocument(&earshot.Post{Contents: "pie"})
	m := matcher{post: 1<<32 - 3}
	m.lastPost = make([]uint32, 1000)
	for range 5 {
		if got := m.match(l, d, nil); len(got) != 1 {
			t.Fatalf("got %v, want [1]", got)
		}
	}
}
