package watchlist

import (
	"strings"
	"testing"

	"earshot"
	"earshot/internal/query"
)

func TestSpansIncludeFilterAndMonitor(t *testing.T) {
	doc := query.NewDocument(&earshot.Post{Title: "Coffee", Contents: "hot coffee or cold tea"})
	f := func(monitor, filter, want string) {
		t.Helper()
		m := &earshot.Monitor{Team: 1, Type: earshot.Buzz, Criteria: earshot.Criteria{Keywords: monitor}}
		c, err := CompileFilter(m, &earshot.Filter{Criteria: earshot.Criteria{Keywords: filter}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range c.Spans(doc) {
			text := doc.Post.Contents
			if s.Title {
				text = doc.Post.Title
			}
			got = append(got, text[s.From:s.To])
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%q within %q: got %s, want %s", filter, monitor, got, want)
		}
	}
	f("coffee", "tea", "Coffee|coffee|tea")
	f("tea", "coffee", "Coffee|coffee|tea")
	f("coffee", "", "Coffee|coffee")
	f("", "tea", "tea")
	f("", "", "")
	f("coffee", "milk", "Coffee|coffee")
	f(`"cold tea"`, "tea", "cold tea")
}
