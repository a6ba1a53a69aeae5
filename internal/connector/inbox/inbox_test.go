package inbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/inbox"
	"earshot/internal/state/kv"
)

func open(t *testing.T, network string, store kv.Store) *inbox.Inbox {
	t.Helper()
	in, err := inbox.Open(t.Context(), connector.Env{
		Source:   &earshot.LiveSource{ID: 7, Team: 3, Name: "Shop", ContentSource: 9},
		Settings: connector.Settings{"network": network}, Store: store,
	})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

const plain = `"date":"2026-03-01T10:00:00Z","contents":"Coffee","url":"https://www.shop.example/1"`

func TestNetworkDecidesWhatPostsBecome(t *testing.T) {
	f := func(network, text string, want earshot.Post, problem string) {
		t.Helper()
		c, got := open(t, network, kv.NewMemory()).Read([]byte(text))
		p, _ := c.Post()
		if got != problem || p.Source != want.Source || p.ContentSource != want.ContentSource || p.Team != want.Team {
			t.Errorf("network %q, %s: got %+v and %q, want %+v and %q", network, text, p, got, want, problem)
		}
		if problem == "" && (p.Batch != "live/7" || p.Site != "shop.example" || !p.Time.Equal(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC))) {
			t.Errorf("got batch %q, site %q and time %v", p.Batch, p.Site, p.Time)
		}
	}
	f("", `{"guid":"1",`+plain+`}`, earshot.Post{Source: "Shop", ContentSource: 9, Team: 3}, "")
	f("", `{"type":"Twitter","guid":"1",`+plain+`}`, earshot.Post{Source: "Shop", ContentSource: 9, Team: 3}, "")
	f("Hacker News", `{"guid":"1",`+plain+`}`, earshot.Post{Source: earshot.HackerNews}, "")
	f("hacker_news", `{"type":"Twitter","guid":"1",`+plain+`}`, earshot.Post{Source: earshot.HackerNews}, "")
	f("any", `{"type":"reddit","guid":"1",`+plain+`}`, earshot.Post{Source: earshot.Reddit}, "")
	f("any", `{"guid":"1",`+plain+`}`, earshot.Post{}, "type is missing")
	f("any", `{"type":"Telex","guid":"1",`+plain+`}`, earshot.Post{}, "type 'Telex' is not a network")
	f("any", `{"guid":"1","deleted":true}`, earshot.Post{}, "type is missing")
	f("", `{"guid":"1","contents":"x"}`, earshot.Post{}, "date is missing")
	f("", `{"guid":"1","likes":"x"}`, earshot.Post{}, `likes must be a whole number, not "x"`)
	f("", `{"deleted":true}`, earshot.Post{}, "date is missing")
}

func TestCheckNetwork(t *testing.T) {
	for _, network := range []string{"", "any", "News", "HACKER_NEWS"} {
		if err := inbox.CheckNetwork(connector.Settings{"network": network}); err != nil {
			t.Errorf("%s: %v", network, err)
		}
	}
	err := inbox.CheckNetwork(connector.Settings{"network": "Telex"})
	if err == nil || !strings.HasPrefix(err.Error(), "network 'Telex' is not a network: leave it empty for content of the team, or set it to any or to one of Twitter, ") {
		t.Errorf("got %v", err)
	}
}

func TestLaterChangesWin(t *testing.T) {
	in := open(t, "any", kv.NewMemory())
	var b inbox.Batch
	add := func(text string) {
		t.Helper()
		c, problem := in.Read([]byte(text))
		if problem != "" {
			t.Fatal(problem)
		}
		b.Add(c)
	}
	post := func(typ, guid, text string) string {
		return fmt.Sprintf(`{"type":"%s","guid":"%s","date":"2026-03-01","contents":"%s"}`, typ, guid, text)
	}
	add(post("News", "a", "first"))
	add(post("News", "b", "first"))
	add(post("News", "a", "second"))
	add(`{"type":"News","guid":"b","deleted":true}`)
	add(`{"type":"Blogs","guid":"b","deleted":true}`)
	add(`{"type":"News","guid":"c","deleted":true}`)
	add(post("News", "c", "again"))
	got := b.Take("at")
	var posts []string
	for _, p := range got.Posts {
		posts = append(posts, p.GUID+" "+p.Contents)
	}
	if fmt.Sprint(posts) != "[a second c again]" || got.Cursor != "at" {
		t.Errorf("got %q at %s", posts, got.Cursor)
	}
	want := []earshot.Deletion{{Source: "Blogs", Batch: "live/7", GUIDs: []string{"b"}}, {Source: "News", Batch: "live/7", GUIDs: []string{"b", "c"}}}
	if fmt.Sprint(got.Deletions) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got.Deletions, want)
	}
	if !b.Empty() || b.Full() {
		t.Error("the batch is not empty afterwards")
	}
}

func TestBatchesAreLimited(t *testing.T) {
	in := open(t, "", kv.NewMemory())
	f := func(contents string, want int) {
		t.Helper()
		var b inbox.Batch
		n := 0
		for ; !b.Full(); n++ {
			c, problem := in.Read(fmt.Appendf(nil, `{"guid":"%d","date":"2026-03-01","contents":"%s"}`, n, contents))
			if problem != "" {
				t.Fatal(problem)
			}
			b.Add(c)
		}
		if n != want {
			t.Errorf("full with %d posts, want %d", n, want)
		}
	}
	f("short", 1000)
	f(strings.Repeat("x", 16_000), 131)
}

type sink struct{ connector.Sink }

func (sink) Deliver(context.Context, connector.Batch) error { return nil }

func TestCustomFieldsAreLimitedAcrossRestarts(t *testing.T) {
	store := kv.NewMemory()
	in := open(t, "", store)
	text := func(name string) []byte {
		return fmt.Appendf(nil, `{"guid":"1","date":"2026-03-01","contents":"x","custom":{"%s":"v"}}`, name)
	}
	for i := range 10 {
		if _, problem := in.Read(text(fmt.Sprint("f", i))); problem != "" {
			t.Fatal(problem)
		}
	}
	if err := in.Deliver(t.Context(), sink{}, connector.Batch{}); err != nil {
		t.Fatal(err)
	}
	in = open(t, "", store)
	const want = "custom would give the source 11 different fields, at most 10 are allowed"
	if _, problem := in.Read(text("another")); problem != want {
		t.Errorf("got %q, want %q", problem, want)
	}
	if _, problem := in.Read(text("f3")); problem != "" {
		t.Errorf("a known name: got %q", problem)
	}
	if _, problem := open(t, "News", store).Read(text("another")); problem != "" {
		t.Errorf("a network: got %q", problem)
	}
}
