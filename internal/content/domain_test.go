package content_test

import (
	"fmt"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/ingest/item"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

// news returns documents that look like news.
func news(first, n int) []item.Item {
	var items []item.Item
	for i := first; i < first+n; i++ {
		items = append(items, item.Item{
			GUID: fmt.Sprint("n", i), Date: "2026-01-02T03:04:05", Language: "en",
			Contents: fmt.Sprintf(`The agency said on Tuesday that %d workers of Morvessa in New Haven would lose their jobs, according to a report by the Labor Department. “We regret the decision,” a company spokesman said.`, 100+i),
		})
	}
	return items
}

func (w *world) domain() (earshot.TextDomain, bool) {
	src, err := w.FindSource(w.caller, w.source.ID)
	if err != nil {
		return "", false
	}
	return src.Domain, src.DomainChosen
}

func TestUploadGuessesDomain(t *testing.T) {
	w := newWorld(t)
	upload := func(items []item.Item) {
		t.Helper()
		if _, err := w.Upload(t.Context(), w.caller, content.Upload{Source: w.source.ID, Items: items}); err != nil {
			t.Fatal(err)
		}
	}
	upload(news(0, 49))
	if d, _ := w.domain(); d != "" {
		t.Errorf("got domain %q from 49 documents, want none", d)
	}
	upload(news(0, 60))
	if d, chosen := w.domain(); d != earshot.NewsTexts || chosen {
		t.Errorf("got domain %q, chosen %t, want a guess of news", d, chosen)
	}
	if got := w.Domain(w.source.Team, earshot.Source(w.source.Name)); got != earshot.NewsTexts {
		t.Errorf("got domain %q by name, want news", got)
	}
	if got := w.Domain(w.source.Team+1, earshot.Source(w.source.Name)); got != "" {
		t.Errorf("got domain %q in another team, want none", got)
	}
}

// TestStoredDocumentsGuessDomain guesses the domains of sources whose documents were uploaded before sources
// had domains.
func TestStoredDocumentsGuessDomain(t *testing.T) {
	w := newWorld(t)
	store := func(at earshot.Position, first, n int) {
		t.Helper()
		var posts []poststore.MatchedPost
		for _, x := range news(first, n) {
			posts = append(posts, poststore.MatchedPost{Post: earshot.Post{ContentSource: w.source.ID, GUID: x.GUID, Contents: x.Contents, Language: "en"}})
		}
		if err := w.Store.(*memory.Store).Append(t.Context(), at, posts); err != nil {
			t.Fatal(err)
		}
	}
	want := func(domain earshot.TextDomain) {
		t.Helper()
		if err := w.GuessDomains(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d, chosen := w.domain(); d != domain || chosen {
			t.Errorf("got domain %q, chosen %t, want a guess of %q", d, chosen, domain)
		}
	}
	want("")
	store(1, 0, 49)
	want("")
	store(2, 49, 11)
	want(earshot.NewsTexts)
	chosen, none := earshot.ReviewTexts, earshot.TextDomain("")
	if _, err := w.EditSource(t.Context(), w.caller, w.source.ID, content.SourceChange{Domain: &chosen}); err != nil {
		t.Fatal(err)
	}
	src, err := w.EditSource(t.Context(), w.caller, w.source.ID, content.SourceChange{Domain: &none})
	if err != nil || src.Domain != earshot.NewsTexts || src.DomainChosen {
		t.Errorf("guess again: got %+v, %v; want news", src, err)
	}
}

func TestUploadKeepsChosenDomain(t *testing.T) {
	w := newWorld(t)
	chosen := earshot.SurveyTexts
	if _, err := w.EditSource(t.Context(), w.caller, w.source.ID, content.SourceChange{Domain: &chosen}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Upload(t.Context(), w.caller, content.Upload{Source: w.source.ID, Items: news(0, 60)}); err != nil {
		t.Fatal(err)
	}
	if d, byPerson := w.domain(); d != earshot.SurveyTexts || !byPerson {
		t.Errorf("got domain %q, chosen %t, want survey, chosen", d, byPerson)
	}
}

func TestEditSourceRefusesUnknownDomain(t *testing.T) {
	w := newWorld(t)
	for _, d := range []earshot.TextDomain{"News", "blogs", "\x00"} {
		_, err := w.EditSource(t.Context(), w.caller, w.source.ID, content.SourceChange{Domain: &d})
		if !earshot.IsKind(err, earshot.Invalid) || !strings.Contains(err.Error(), "is not one of social, news, reviews, forums, survey, other") {
			t.Errorf("%q: got %v, want an error that lists the domains", d, err)
		}
		if _, err := w.AddSource(t.Context(), w.caller, earshot.ContentSource{Team: w.source.Team, Name: "other", Domain: d}); !earshot.IsKind(err, earshot.Invalid) {
			t.Errorf("%q: got %v, want an error", d, err)
		}
	}
	stranger := earshot.NewCaller(&earshot.User{Teams: []earshot.TeamID{99}})
	if _, err := w.EditSource(t.Context(), stranger, w.source.ID, content.SourceChange{}); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("got %v for another team, want not found", err)
	}
}
