package insight_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/watchlist"
)

const coffee = earshot.MonitorID(7)

func coffeeMonitor(keywords string) *earshot.Monitor {
	return &earshot.Monitor{
		ID: coffee, Team: 3, Type: earshot.Buzz, Timezone: "UTC", Start: date(1), Enabled: true,
		Criteria: earshot.Criteria{Keywords: keywords},
	}
}

// march is the first ten days of the monitor.
var march = earshot.Days{Start: date(1), End: date(11)}

// said returns posts with the texts in a language, all on March 2.
func said(language string, texts ...string) (posts []earshot.Post) {
	for i, text := range texts {
		p := post(fmt.Sprint(language, i), "2026-03-02T12:00:00Z", text)
		p.Language = language
		posts = append(posts, p)
	}
	return posts
}

// watched returns a service whose store has posts of the monitor coffee, and the store.
func watched(t *testing.T, posts ...earshot.Post) (*insight.Service, *memory.Store) {
	t.Helper()
	s := memory.New()
	appendPosts(t, s, 1, posts...)
	now := func() time.Time { return time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC) }
	return &insight.Service{Store: s, Now: now}, s
}

func appendPosts(t *testing.T, s *memory.Store, at earshot.Position, posts ...earshot.Post) {
	t.Helper()
	var matched []poststore.MatchedPost
	for _, p := range posts {
		matched = append(matched, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(coffee)}})
	}
	if err := s.Append(t.Context(), at, matched); err != nil {
		t.Fatal(err)
	}
}

// cloudOf returns the cloud as text, in alphabetical order.
func cloudOf(t *testing.T, s *insight.Service, narrow poststore.Selection, conditions string) string {
	t.Helper()
	cloud, err := s.WordCloud(t.Context(), coffeeMonitor("coffee"), march, narrow, conditions)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, word := range slices.Sorted(maps.Keys(cloud)) {
		list = append(list, fmt.Sprintf("%s:%d", word, cloud[word]))
	}
	return strings.Join(list, " ")
}

func TestWordCloud(t *testing.T) {
	f := func(name, want string, posts ...earshot.Post) {
		t.Helper()
		s, _ := watched(t, posts...)
		if got := cloudOf(t, s, poststore.Selection{}, ""); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	f("no posts", "")
	f("occurrences count", "coffee:3 tea:1", said("en", "Coffee, COFFEE and tea", "more coffee")...)
	f("title and contents", "coffee:2", earshot.Post{Source: earshot.News, GUID: "a", Time: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Title: "Coffee", Contents: "coffee"})
	f("tags include their sigil", "#coffee:1 $sbux:1 @bean:1 coffee:1", said("en", "coffee #coffee @bean $SBUX")...)
	f("URLs", "coffee:1 shop:1", said("en", "coffee https://example.com/espresso?x=milk www.milk.example shop")...)
	f("remnants of retweets and markup", "bread:1 coffee:1", said("en", "RT @b: coffee &amp; bread via http")...)
	f("numbers, signs and emoji", "2nd:1 5g:1 coffee:1", said("en", "coffee 10 1,000 3.5 #1 !!! 😀 2nd 5G")...)
	f("letters", "café:1 水:1 집:1", said("", "café b é ж 水 か 집 ก")...)
	f("operators of queries", "coffee:1", said("en", "coffee AND OR NOT near")...)
	f("apostrophes", "coffee:1 joes:1", said("en", "I don't think it’s Joe's coffee")...)
	f("days without results", "coffee:1",
		post("a", "2026-02-28T12:00:00Z", "before"), post("b", "2026-03-09T12:00:00Z", "coffee"), post("c", "2026-03-10T12:00:00Z", "tomorrow"))
}

func TestWordCloudExcludesStopWords(t *testing.T) {
	f := func(name, want string, posts ...[]earshot.Post) {
		t.Helper()
		s, _ := watched(t, slices.Concat(posts...)...)
		if got := cloudOf(t, s, poststore.Selection{}, ""); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	f("German", "kaffee:1 ruhe:1 stark:1", said("de", "Der Kaffee, die Ruhe und wir: er war stark"))
	f("French", "café:1 soir:1", said("fr", "C'est le café qu'il y a pour nous ce soir"))
	f("Russian", "кофе:1 утром:1", said("ru", "Это не тот кофе, который был утром"))
	f("English, in any language", "kaffee:1 stores:1", said("de", "the Kaffee of our stores"))
	f("unknown language", "die:1 kaffee:1 und:1", said("", "the Kaffee und die"))
	f("stop words of another language remain", "die:1 war:1", said("en", "war and die"))
	f("two languages", "kaffee:1", said("en", "war and die"), said("de", "Kaffee"))
	f("a tag is not a stop word", "#the:1 coffee:1", said("en", "the coffee #the"))

	// Two posts out of forty are too few to exclude all German stop words, but enough to exclude
	// those that occur at most twice.
	english := said("en", strings.Split(strings.Repeat("war;", 38)+"war", ";")...)
	f("a rare language", "kaffee:2 war:39", english, said("de", "die Kaffee", "die Kaffee"))
	f("frequent words that are its stop words", "die:3 kaffee:2 war:39", english, said("de", "die Kaffee", "die die Kaffee"))
}

func TestWordCloudHasMostFrequentWords(t *testing.T) {
	var words []string
	for i := range 310 {
		words = append(words, fmt.Sprintf("word%03d", i))
	}
	s, _ := watched(t, said("en", strings.Join(words, " "), "word309 word308 word309")...)
	cloud, err := s.WordCloud(t.Context(), coffeeMonitor("coffee"), march, poststore.Selection{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(cloud) != 300 || cloud["word309"] != 3 || cloud["word308"] != 2 || cloud["word297"] != 1 || cloud["word298"] != 0 {
		t.Errorf("got %d words, %v, want 300: word309 three times, word308 twice, and word000 to word297", len(cloud), cloud)
	}
}

func TestWordCloudOfRefinement(t *testing.T) {
	s, store := watched(t, said("en", "coffee milk", "coffee sugar")...)
	where, err := watchlist.Compile(3, earshot.Criteria{Keywords: "milk"})
	if err != nil {
		t.Fatal(err)
	}
	milk := poststore.Selection{Where: where}
	f := func(narrow poststore.Selection, conditions, want string) {
		t.Helper()
		if got := cloudOf(t, s, narrow, conditions); got != want {
			t.Errorf("%q: got %q, want %q", conditions, got, want)
		}
	}
	f(poststore.Selection{}, "", "coffee:2 milk:1 sugar:1")
	f(milk, "milk", "coffee:1 milk:1")
	f(poststore.Selection{}, "", "coffee:2 milk:1 sugar:1")
	appendPosts(t, store, 2, post("new", "2026-03-03T12:00:00Z", "coffee milk"))
	f(milk, "milk", "coffee:2 milk:2")
	f(poststore.Selection{}, "", "coffee:3 milk:2 sugar:1")
}
