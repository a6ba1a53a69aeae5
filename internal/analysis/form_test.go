package analysis_test

import (
	"errors"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/state/ledger"
)

// contentSources adds content sources to teams 7, 8 and 9. Teams 7 and 8 both have one named
// Reviews 1.
func (w *world) contentSources(t *testing.T) {
	t.Helper()
	for i, src := range []earshot.ContentSource{
		{Team: 7, Name: "Reviews 1"}, {Team: 7, Name: "Survey"},
		{Team: 8, Name: "reviews 1"}, {Team: 8, Name: "Mails"}, {Team: 9, Name: "Chats"},
		{Team: 7, Name: "Gone", Removed: true},
	} {
		src.ID = earshot.ContentSourceID(100 + i)
		if err := w.catalog.Sources.Add(t.Context(), src.ID, &src); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	someKinds    = "sentiment, volume, emotion, gender, age, ethnicity, location, source, affinity, reach"
	someNetworks = "TWITTER, FACEBOOK, INSTAGRAM, TUMBLR, GOOGLE_PLUS, YOUTUBE, BLOGS, NEWS, FORUMS, REVIEWS, COMMENTS, REDDIT, BLUESKY, MASTODON, THREADS, HACKER_NEWS"
)

func TestInvalidForms(t *testing.T) {
	w := newWorld(t)
	w.contentSources(t)
	s := w.patientService()
	f := func(change func(*analysis.Form), want string) {
		t.Helper()
		form := coffee()
		change(&form)
		_, err := s.Submit(t.Context(), user(1, 7, 8), form)
		if !earshot.IsKind(err, earshot.Invalid) {
			t.Errorf("got %v, want Invalid: %s", err, want)
			return
		}
		var e *earshot.Error
		errors.As(err, &e)
		if e.Message != want {
			t.Errorf("\ngot  %s\nwant %s", e.Message, want)
		}
	}
	kinds := func(names ...string) func(*analysis.Form) {
		return func(f *analysis.Form) { f.Analysis = names }
	}
	f(kinds(), "Invalid request body: analysis is missing")
	f(func(f *analysis.Form) { f.Analysis = []string{} }, "Invalid request body: analysis must list at least one of "+someKinds)
	f(kinds("volume", "age", "mood"), "Invalid request body: analysis[2] 'mood' is not one of "+someKinds)
	f(kinds(""), "Invalid request body: analysis[0] '' is not one of "+someKinds)
	f(kinds("volume", "age", "Volume"), "Invalid request body: analysis[2] 'Volume' is there twice")

	keywords := func(text string) func(*analysis.Form) { return func(f *analysis.Form) { f.Keywords = text } }
	f(keywords(""), "Invalid request body: keywords is missing")
	f(keywords(" \n"), "Invalid request body: keywords is missing")
	f(keywords("coffee (tea"), "Invalid keywords at position 8: unclosed parenthesis opened at 8")
	f(keywords(strings.Repeat("a ", 50_001)), "Invalid keywords at position 100001: the query is longer than 100,000 characters")

	sources := func(names ...string) func(*analysis.Form) {
		return func(f *analysis.Form) { f.Sources = names }
	}
	f(sources(), "Invalid request body: sources is missing")
	f(func(f *analysis.Form) { f.Sources = []string{} }, "Invalid request body: sources must list at least one source")
	f(func(f *analysis.Form) { f.Sources = make([]string, 101) }, "Invalid request body: sources must list at most 100 sources")
	f(sources("TWITTER", "MYSPACE"), "Invalid request body: sources[1] 'MYSPACE' is not one of "+someNetworks+" or CUSTOM:<name of a content source>")
	f(sources("Survey"), "Invalid request body: sources[0] 'Survey' is not one of "+someNetworks+" or CUSTOM:<name of a content source>")
	f(sources("GOOGLE_PLUS", "google plus"), "Invalid request body: sources[1] 'google plus' is there twice")
	f(sources("CUSTOM:survey", "custom:Survey"), "Invalid request body: sources[1] 'custom:Survey' is there twice")
	f(sources("TWITTER", "CUSTOM:Letters"), "Invalid request body: sources[1] 'CUSTOM:Letters' names no content source of your teams")
	f(sources("CUSTOM:Chats"), "Invalid request body: sources[0] 'CUSTOM:Chats' names no content source of your teams")
	f(sources("CUSTOM:Gone"), "Invalid request body: sources[0] 'CUSTOM:Gone' names no content source of your teams")
	f(sources("CUSTOM:"), "Invalid request body: sources[0] 'CUSTOM:' names no content source of your teams")
	f(sources("CUSTOM:Survey", "TWITTER", "CUSTOM:Mails"), "Invalid request body: sources names content sources of different teams; name those of one team alone")

	zone := func(name string) func(*analysis.Form) { return func(f *analysis.Form) { f.Timezone = name } }
	f(zone(""), "Invalid request body: timezone is missing")
	for _, name := range []string{"Mars/Olympus", "Local", "localtime", "../UTC"} {
		f(zone(name), "Invalid request body: timezone '"+name+"' is not a time zone; use a name like UTC or America/New_York")
	}

	span := func(start, end string) func(*analysis.Form) {
		return func(f *analysis.Form) { f.StartDate, f.EndDate = start, end }
	}
	f(span("", "2026-03-01"), "Invalid request body: startDate is missing")
	f(span("2026-03-01", ""), "Invalid request body: endDate is missing")
	f(span("yesterday", "2026-03-01"), "Invalid request body: startDate 'yesterday' is not a time like 2024-01-31T08:30:00")
	f(span("2026-03-01", "2026-02-30"), "Invalid request body: endDate '2026-02-30' is not a time like 2024-01-31T08:30:00")
	f(span("1969-12-31", "1970-01-01"), "Invalid request body: startDate '1969-12-31' is not between 1970 and 2099")
	f(span("2026-03-01", "20026-03-01"), "Invalid request body: endDate '20026-03-01' is not a time like 2024-01-31T08:30:00")
	f(span("2026-03-01T12:00:00", "2026-03-01T12:00:00"), "Invalid request body: endDate must be after startDate")
	f(span("2026-03-02", "2026-03-01"), "Invalid request body: endDate must be after startDate")
	f(span("2026-03-01T00:00:00", "2026-03-02T00:00:01"), "Invalid request body: endDate must be at most 24 hours after startDate")

	choice := func(kind string, values ...string) *analysis.Choice {
		return &analysis.Choice{Type: kind, Values: values}
	}
	f(func(f *analysis.Form) { f.Languages = choice("") }, "Invalid request body: languages.type is missing")
	f(func(f *analysis.Form) { f.Languages = choice("only", "EN") }, "Invalid request body: languages.type must be include or exclude, not 'only'")
	f(func(f *analysis.Form) { f.Languages = choice("include") }, "Invalid request body: languages.values is missing")
	f(func(f *analysis.Form) { f.Locations = &analysis.Choice{Values: []string{}} }, "Invalid request body: locations.type is missing")
	f(func(f *analysis.Form) { f.Locations = choice("exclude") }, "Invalid request body: locations.values is missing")
	f(func(f *analysis.Form) { f.Gender = choice("include") }, "Invalid request body: gender.values is missing")
	f(func(f *analysis.Form) { f.Languages = choice("include", "en", "xx") },
		"Invalid request body: languages.values[1] 'xx' is not a supported language; use some of "+strings.Join(earshot.Languages, ", "))
	f(func(f *analysis.Form) { f.Languages = choice("include", "en", "all") },
		"Invalid request body: languages.values[1] 'all' is not a supported language; use some of "+strings.Join(earshot.Languages, ", "))
	f(func(f *analysis.Form) { f.Locations = choice("include", "USA", "Mars") },
		"Invalid request body: locations.values[1] 'Mars' is not a geography id like USA, USA.CA or USA.CA.San Diego")
	f(func(f *analysis.Form) { f.Locations = choice("include", make([]string, 1001)...) }, "Invalid request body: locations.values must list at most 1000 places")
	f(func(f *analysis.Form) { f.Gender = choice("include", "F", "X") }, "Invalid request body: gender.values[1] 'X' is neither M nor F")
	f(func(f *analysis.Form) { f.Gender = choice("include", "") }, "Invalid request body: gender.values[0] '' is neither M nor F")

	microblogs := "sources must list at least one of TWITTER, BLUESKY, MASTODON, THREADS"
	f(func(f *analysis.Form) { f.Analysis, f.Sources = []string{"affinity"}, []string{"NEWS"} }, "Invalid request body: analysis 'affinity' is of microblog posts; "+microblogs)
	f(func(f *analysis.Form) {
		f.Analysis, f.Sources = []string{"volume", "Reach"}, []string{"CUSTOM:Survey", "TUMBLR"}
	},
		"Invalid request body: analysis 'reach' is of microblog posts; "+microblogs)
	w.used(t, 0, 0)
}

func TestSourcesOfRequests(t *testing.T) {
	w := newWorld(t)
	w.contentSources(t)
	f := func(c *earshot.Caller, names string, team earshot.TeamID, want string) {
		t.Helper()
		form := coffee()
		form.Sources = strings.Split(names, "|")
		r, err := w.patientService().Submit(t.Context(), c, form)
		if err != nil {
			t.Errorf("%s: %v", names, err)
			return
		}
		var got []string
		for _, s := range r.Request.Sources {
			got = append(got, s.Name+"="+string(s.Source))
		}
		if joined := strings.Join(got, "|"); joined != want || r.Request.Team != team {
			t.Errorf("%s: got %s of team %d, want %s of team %d", names, joined, r.Request.Team, want, team)
		}
	}
	f(user(1), "twitter|Google Plus| YOUTUBE", 0, "TWITTER=Twitter|GOOGLE_PLUS=Google Plus|YOUTUBE=YouTube")
	f(user(1, 7), "CUSTOM:SURVEY|TWITTER", 7, "CUSTOM:Survey=Survey|TWITTER=Twitter")
	f(user(1, 7), "custom: reviews 1", 7, "CUSTOM:Reviews 1=Reviews 1")
	// Two teams have it. The first team that has all named sources is used.
	f(user(1, 7, 8), "CUSTOM:REVIEWS 1", 7, "CUSTOM:Reviews 1=Reviews 1")
	f(user(1, 7, 8), "CUSTOM:REVIEWS 1|CUSTOM:Mails", 8, "CUSTOM:reviews 1=reviews 1|CUSTOM:Mails=Mails")
	f(user(1, 8), "CUSTOM:REVIEWS 1", 8, "CUSTOM:reviews 1=reviews 1")
	f(admin(), "CUSTOM:Chats", 9, "CUSTOM:Chats=Chats")
}

func TestResultAccess(t *testing.T) {
	w := newWorld(t)
	w.contentSources(t)
	s := w.patientService()
	f := func(id earshot.ResultID, who string, c *earshot.Caller, want bool) {
		t.Helper()
		_, err := s.Find(t.Context(), c, id)
		if (err == nil) != want || err != nil && !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("%s: got %v, want %v", who, err, want)
		}
	}
	r, err := s.Submit(t.Context(), user(1, 7, 8), coffee())
	if err != nil {
		t.Fatal(err)
	}
	f(r.ID, "the submitter", user(1, 7, 8), true)
	f(r.ID, "the submitter, still in one of the teams", user(1, 8), true)
	f(r.ID, "the submitter, in none of the teams anymore", user(1, 9), false)
	f(r.ID, "a member of one of several teams", user(2, 8, 9), false)
	f(r.ID, "a member of another team", user(2, 9), false)
	f(r.ID, "someone without teams", user(2), false)
	f(r.ID, "an administrator", admin(), true)
	f(r.ID+1, "an administrator with an unknown id", admin(), false)

	own := coffee()
	own.Sources = []string{"CUSTOM:Mails"}
	if r, err = s.Submit(t.Context(), user(1, 7, 8), own); err != nil {
		t.Fatal(err)
	}
	f(r.ID, "a member of the team that owns the content", user(2, 8), true)
	f(r.ID, "a member of another team of the submitter", user(2, 7), false)
	if _, err := s.Find(t.Context(), user(2), 12345); err == nil || err.Error() != "Result 12345 does not exist" {
		t.Errorf("got %v", err)
	}
	if r.State != ledger.Done {
		t.Errorf("got %s", r.State)
	}
}
