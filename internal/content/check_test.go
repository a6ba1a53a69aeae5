package content_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/ingest/item"
)

// TestCheckAgreesWithUpload uploads each item alone and compares the messages.
func TestCheckAgreesWithUpload(t *testing.T) {
	w := newWorld(t)
	wrong := func(change func(it *item.Item)) item.Item {
		it := document("g")
		change(&it)
		return it
	}
	items := []item.Item{
		wrong(func(it *item.Item) { it.Date = "yesterday" }),
		wrong(func(it *item.Item) { it.Date = "1066-10-14" }),
		wrong(func(it *item.Item) { it.Contents = " " }),
		wrong(func(it *item.Item) { it.Contents = strings.Repeat("x", 20_000) }),
		wrong(func(it *item.Item) { it.GUID = "" }),
		wrong(func(it *item.Item) { it.Gender = "x" }),
		wrong(func(it *item.Item) { it.Geolocation = &item.Geolocation{ID: "Atlantis"} }),
	}
	for i := range items {
		alone := items[i]
		_, err := w.upload(alone)
		found, _ := w.Check(w.caller, w.source.ID, []*item.Item{&items[i]})
		if err == nil || len(found) != 1 || err.Error() != "Invalid request body: items[0]."+found[0].Message {
			t.Errorf("item %d: upload returns %v, check returns %v", i, err, found)
		}
	}
}

func TestCheckReportsEveryItem(t *testing.T) {
	w := newWorld(t)
	many := document("b")
	many.Custom = map[string]*string{}
	for i := range 10 {
		many.Custom[fmt.Sprint("field", i)] = new(string)
	}
	more := document("c")
	more.Custom = map[string]*string{"another": new(string)}
	first, again, undated := document("a"), document("a"), item.Item{GUID: "d", Contents: "x"}
	got, err := w.Check(w.caller, w.source.ID, []*item.Item{&undated, &first, nil, &many, &again, &more})
	want := []content.Problem{
		{Item: 0, Message: "date is missing"},
		{Item: 4, Message: "guid 'a' is there twice, also in items[1]"},
		{Item: 5, Message: "custom would give the content source 11 different fields, at most 10 are allowed"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if src, err := w.FindSource(w.caller, w.source.ID); err != nil || len(src.CustomFields) > 0 || len(w.ledger.entries) > 0 {
		t.Errorf("after a check: %v, %v and %d entries", src, err, len(w.ledger.entries))
	}
}

func TestCheckEnforcesRequestLimits(t *testing.T) {
	w := newWorld(t)
	f := func(c *earshot.Caller, n int, want string) {
		t.Helper()
		if _, err := w.Check(c, w.source.ID, make([]*item.Item, n)); err == nil || err.Error() != want {
			t.Errorf("%d items: got %v, want %s", n, err, want)
		}
	}
	f(w.caller, 0, "Invalid request body: items must list at least one document")
	f(w.caller, 1001, "The request has 1001 documents; send at most 1000 in one request")
	f(earshot.NewCaller(&earshot.User{}), 1, fmt.Sprintf("Content source %d does not exist", w.source.ID))
}

func TestScriptsAreNotLinks(t *testing.T) {
	w := newWorld(t)
	f := func(change func(*item.Item), want string) {
		t.Helper()
		it := document("a")
		change(&it)
		if _, err := w.upload(it); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	f(func(it *item.Item) { it.URL = " JavaScript:alert(1)" }, "' JavaScript:alert(1)' is not a link")
	f(func(it *item.Item) { it.MediaURLs = []string{"http://a", "data:text/html,x"} }, "'data:text/html,x' is not a link")
	f(func(it *item.Item) { it.Images = []earshot.Image{{URL: "javascript:x"}} }, "'javascript:x' is not a link")
}

func TestUsage(t *testing.T) {
	w := newWorld(t)
	f := func(want content.Usage) {
		t.Helper()
		if got, err := w.Usage(t.Context()); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	f(content.Usage{})
	if err := w.Catalog.SetContract(t.Context(), earshot.Contract{DocumentsPerDay: 50}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.upload(document("a"), document("b")); err != nil {
		t.Fatal(err)
	}
	f(content.Usage{Used: 2, Contracted: 50})
}

func TestVisibleSources(t *testing.T) {
	w := newWorld(t)
	if got := w.VisibleSources(w.caller, 0); len(got) != 1 || got[0].ID != w.source.ID {
		t.Errorf("got %v, want %d", got, w.source.ID)
	}
	if got := w.VisibleSources(earshot.NewCaller(&earshot.User{Teams: []earshot.TeamID{2}}), 0); len(got) > 0 {
		t.Errorf("monitor of another team: got %v", got)
	}
	if err := w.RemoveSource(t.Context(), w.caller, w.source.ID); err != nil {
		t.Fatal(err)
	}
	if got := w.VisibleSources(w.caller, 0); len(got) > 0 {
		t.Errorf("after its removal: got %v", got)
	}
}
