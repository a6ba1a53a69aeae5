package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/demo"
	"earshot/internal/state/journal"
	"earshot/internal/test/testenv"
)

// openDemo opens an app without users, because the demo adds its own.
func openDemo(t *testing.T) *App {
	t.Helper()
	options := testOptions(io.Discard)
	options.NoFirstUser = true
	a, err := Open(t.Context(), testConfig(t), options)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestDemo loads the demo, queries every monitor and filter, and loads it again.
func TestDemo(t *testing.T) {
	a := openDemo(t)
	defer a.Close()
	g := demo.Generator{Seed: 1, Days: 20, End: time.Now().UTC().Truncate(time.Hour), PerDay: 200}
	world := demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Journal: a.Journal}
	monitors, err := g.Load(t.Context(), world)
	if err != nil {
		t.Fatal(err)
	}
	ready(t, a)

	tok, err := a.Accounts.SignIn(t.Context(), account.Credentials{Username: "demo", Password: "earshot-demo"})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, m := range monitors {
		kinds[string(m.Type)+" "+string(m.Account.Network)]++
		ids := []earshot.MonitorID{m.ID}
		for _, f := range m.Filters {
			ids = append(ids, f.ID)
		}
		days := m.Results(time.Now())
		for _, id := range ids {
			code, body := get(t, a, fmt.Sprintf("/api/monitor/volume?auth=%s&id=%d&start=%s&end=%s", tok.Text, id, days.Start, days.End))
			if code != 200 || strings.Contains(body, `"groupBy":"DAILY","numberOfDocuments":0,`) {
				t.Errorf("%s, id %d: got %d %.200s", m.Name, id, code, body)
			}
		}
		if m.Type == earshot.Social {
			figures, err := a.posts.Snapshots(t.Context(), m.ID, days)
			if err != nil || len(figures) < 20 {
				t.Errorf("%s has %d account figures, %v", m.Name, len(figures), err)
			}
		}
	}
	want := map[string]int{"BUZZ ": 6, "OPINION ": 1, "SOCIAL Twitter": 1, "SOCIAL Facebook": 1, "SOCIAL Instagram": 1}
	if fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("got monitors %v, want %v", kinds, want)
	}

	byName := map[string]*earshot.Monitor{}
	for _, m := range monitors {
		byName[m.Name] = m
	}
	for _, e := range demoEndpoints {
		m := byName[e.monitor]
		days := m.Results(time.Now())
		code, body := get(t, a, fmt.Sprintf("/api/monitor/%s?auth=%s&id=%d&start=%s&end=%s%s", e.path, tok.Text, m.ID, days.Start.AddDays(1), days.End, e.more))
		if code != 200 || !regexp.MustCompile(e.has).MatchString(body) {
			t.Errorf("%s of %s: got %d %.300s, want a match for %s", e.path, e.monitor, code, body, e.has)
		}
	}

	checkDemoStream(t, a, tok.Text)

	before, err := a.Journal.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := g.Load(t.Context(), world)
	if err != nil || len(again) != len(monitors) {
		t.Errorf("loaded again: %d monitors, %v, want %d", len(again), err, len(monitors))
	}
	if after, _ := a.Journal.Last(t.Context()); after != before {
		t.Errorf("the second load grew the journal from %d to %d", before, after)
	}
}

// checkDemoStream reads the demo's stream from the start without taking posts from it.
func checkDemoStream(t *testing.T, a *App, token string) {
	t.Helper()
	team := a.Accounts.ListTeams(earshot.NewCaller(&earshot.User{Permissions: earshot.Permissions}))[0]
	_, body := get(t, a, fmt.Sprintf("/api/stream/list?auth=%s&teamid=%d", token, team.ID))
	id := regexp.MustCompile(`"streams":\[\{"id":(\d+),"name":"Coffee machines live"`).FindStringSubmatch(body)
	if id == nil {
		t.Fatalf("streams: got %.300s", body)
	}
	code, body := get(t, a, fmt.Sprintf("/api/stream/%s/posts?auth=%s&cursor=0-0", id[1], token))
	for _, has := range []string{`"categoryName":"Reliability","score":0\.\d`, `"emotionName":"Joy"`, `"monitorId":\d+,"guid":"`, `"totalPostsAvailable":\d{2,}`} {
		if code != 200 || !regexp.MustCompile(has).MatchString(body) {
			t.Errorf("stream: got %d %.300s, want a match for %s", code, body, has)
		}
	}
}

// demoEndpoints lists a pattern that the response of each endpoint must match, so that every page
// shows something of interest.
var demoEndpoints = []struct{ path, monitor, more, has string }{
	{"posts", "Morvessa", "", `"totalPostsAvailable":\d{3}`},
	{"posts", "Morvessa", "&geotagged=true", `"geolocation":\{"id":"[A-Z]{3}`},
	{"results", "Morvessa", "", `"Basic Negative","proportion":0\.[1-9]`},
	{"results", "Why people choose a machine", "", `"Service","proportion":0\.[1-9]`},
	{"trainingposts", "Why people choose a machine", "", `"categoryName":"Reliability"`},
	{"volume", "Morvessa", "", `"numberOfDocuments":\d{3}`},
	{"dayandtime", "Morvessa", "&uselocaltime=true", `"18":[1-9]`},
	{"imageresults", "Coffee pictures", "", `"imageClasses":\[\{.*"logoClasses":\[\{`},
	{"sources", "Press and forums", "", `"News":[1-9]`},
	{"interestaffinities", "Coffee machines on Twitter", "", `"Coffee and Tea"`},
	{"wordcloud", "Morvessa", "", `"recall":[1-9]`},
	{"demographics/age", "Morvessa", "", `"totalAgeCount":[1-9]`},
	{"demographics/gender", "Morvessa", "", `"femaleCount":[1-9]`},
	{"geography/cities", "Morvessa", "", `"id":"USA.NY.New York"`},
	{"geography/states", "Morvessa", "&country=USA", `"id":"USA.CA"`},
	{"geography/countries", "Morvessa", "", `"id":"DEU"`},
	{"authors", "Coffee machines on Twitter", "", `"totalImpressions":[1-9]`},
	{"twittermetrics", "Coffee machines on Twitter", "", `"topHashtags":\{".*"isOriginal":true`},
	{"twittersocial/followers", "Morvessa on Twitter", "", `"followers":\d{6}`},
	{"twittersocial/sentposts", "Morvessa on Twitter", "", `"retweets":[1-9].*"totalImpressions":[1-9]`},
	{"twittersocial/totalengagement", "Morvessa on Twitter", "", `"mentions":[1-9]`},
	{"facebook/adminposts", "Morvessa on Facebook", "", `"postLikes":[1-9]`},
	{"facebook/pagelikes", "Morvessa on Facebook", "", `"likes":\d{6}`},
	{"facebook/totalactivity", "Morvessa on Facebook", "", `"userPosts":[1-9]`},
	{"instagram/hashtags", "Coffee pictures", "", `"morvessa":[1-9]`},
	{"instagram/followers", "Morvessa on Instagram", "", `"followerCount":\d{6}`},
	{"instagram/sentmedia", "Morvessa on Instagram", "", `"postTags":"morvessa`},
	{"instagram/totalactivity", "Morvessa on Instagram", "", `"likesOnAdmin":[1-9]`},
	{"topics", "Morvessa", "", `"name":"`},
	{"topicwaves", "Morvessa", "", `"name":"`},
}

func TestDemoPermissions(t *testing.T) {
	a := openDemo(t)
	defer a.Close()
	g := demo.Generator{Seed: 1, Days: 1, End: time.Now().UTC(), PerDay: 5}
	if _, err := g.Load(t.Context(), demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Journal: a.Journal}); err != nil {
		t.Fatal(err)
	}
	ready(t, a)
	f := func(user, password, want string) {
		t.Helper()
		tok, err := a.Accounts.SignIn(t.Context(), account.Credentials{Username: user, Password: password})
		got := "no access"
		if err == nil {
			c, err := a.Accounts.Authenticate(t.Context(), tok.Text)
			if err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprintf("admin %v content %v streams %v monitors %d", c.Admin(), c.May("content"), c.May("streams"), len(a.Monitors.List(c, 0)))
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", user, got, want)
		}
	}
	f("demo", "earshot-demo", "admin true content true streams true monitors 10")
	f("agency", "earshot-agency", "admin false content false streams false monitors 0")
	f("colleague", "earshot-colleague", "no access")
}

func TestDemoRejectsOtherData(t *testing.T) {
	a := open(t, testConfig(t), io.Discard) // which has the user admin
	defer a.Close()
	g := demo.Generator{Seed: 1, Days: 1, End: time.Now().UTC(), PerDay: 5}
	_, err := g.Load(t.Context(), demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Journal: a.Journal})
	if err == nil || !strings.Contains(err.Error(), "choose another with --data") || len(a.Accounts.ListUsers()) != 1 {
		t.Errorf("got %v and %d users, want an error and 1 user", err, len(a.Accounts.ListUsers()))
	}
}

func TestAnInterruptedDemoIsCompleted(t *testing.T) {
	testenv.SkipUnderRace(t)
	a := openDemo(t)
	defer a.Close()
	g := demo.Generator{Seed: 1, Days: 3, End: time.Now().UTC().Truncate(time.Hour), PerDay: 500}
	world := demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Journal: &interruptedJournal{Journal: a.Journal, left: 1}}
	if _, err := g.Load(t.Context(), world); err == nil {
		t.Fatal("the interruption was not reported")
	}
	world.Journal = a.Journal
	later := g
	later.End = g.End.Add(3 * time.Hour)
	if _, err := later.Load(t.Context(), world); err != nil {
		t.Fatal(err)
	}
	ready(t, a)
	want := int64(0)
	for range g.Posts() {
		want++
	}
	if stats, err := a.posts.Stats(t.Context()); err != nil || stats.Posts != want {
		t.Errorf("got %d posts %v, want the %d of an uninterrupted load", stats.Posts, err, want)
	}
}

// interruptedJournal accepts a few entries of posts and then fails.
type interruptedJournal struct {
	journal.Journal
	left int
}

func (i *interruptedJournal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	if i.left--; i.left < 0 {
		return 0, errors.New("interrupted")
	}
	return i.Journal.Append(ctx, e)
}

// TestTheDemoKeepsItsPasswordVisible requests the sign-in page. The page shows the demo's user, and
// the request is not logged, so the password printed at the start stays visible.
func TestTheDemoKeepsItsPasswordVisible(t *testing.T) {
	for _, test := range []struct {
		demo    *Demo
		session string
		logged  bool
	}{
		{&Demo{Username: "demo", Password: "earshot-demo"}, `{"user":null,"csrf":"","version":"test","demo":{"username":"demo","password":"earshot-demo"}}`, false},
		{nil, `{"user":null,"csrf":"","version":"test"}`, true},
	} {
		var log strings.Builder
		options := testOptions(io.Discard)
		options.Log = slog.New(slog.NewTextHandler(&log, nil))
		options.Demo = test.demo
		a, err := Open(t.Context(), testConfig(t), options)
		if err != nil {
			t.Fatal(err)
		}
		ready(t, a)
		_, body := get(t, a, "/manage/v1/session")
		a.Close()
		if strings.TrimSpace(body) != test.session {
			t.Errorf("session: got %s, want %s", body, test.session)
		}
		if logged := strings.Contains(log.String(), "msg=request"); logged != test.logged {
			t.Errorf("request logged: got %t, want %t:\n%s", logged, test.logged, &log)
		}
	}
}
