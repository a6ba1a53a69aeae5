package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	twoTeams     = `{"items":[{"id":5,"name":"Sales"},{"id":6,"name":"R&D"}]}`
	oneTeam      = `{"items":[{"id":5,"name":"Sales"}]}`
	noSources    = `{"items":[]}`
	surveySource = `{"items":[{"id":31,"teamName":"Sales","name":"Survey","description":"2024","domain":"survey","documents":12}]}`
	someKinds    = `{"items":[{"name":"bluesky"},{"name":"mastodon","rules":true},{"name":"webhook","receives":true}]}`
	notFound     = `{"message":"Source 7 does not exist","status":"error"}`

	blueskySource = `{"id":7,"name":"Bluesky","kind":"bluesky","kindTitle":"Bluesky","team":5,"teamName":"Sales","settings":{"protocol":"v2"},"hasSecret":true,` +
		`"keep":"matched","retentionDays":30,"paused":false,"created":"2026-03-01T08:00:00Z","networks":["Bluesky"],` +
		`"state":{"phase":"catchingUp","lagSeconds":90,"reason":"the connection was lost","since":"2026-03-15T12:00:00Z"},` +
		`"counters":{"events":1000,"posts":20,"deletions":3,"skipped":{"no monitor matches":977},"bytes":5000,"reconnects":2,"gapSeconds":60},` +
		`"lastPost":"2026-03-15T11:59:00Z","activity":[0,1],"gaps":[{"from":"2026-03-14T10:00:00Z","to":"2026-03-14T10:01:00Z","reason":"the network\u001b was down","open":false}]}`

	blueskyShown = `id                7
name              Bluesky
kind              Bluesky
team              Sales
state             catching up, 1m30s behind, since 2026-03-15 12:00:00
reason            the connection was lost
keep              posts that match a monitor
retention         30 days
networks          Bluesky
setting protocol  v2
secret            set
events            1000
posts             20
deletions         3
skipped           977: no monitor matches
bytes             5000
reconnects        2
gaps              1m0s
last post         2026-03-15 11:59:00
gap               2026-03-14 10:00:00 to 2026-03-14 10:01:00: the network  was down
created           2026-03-01 08:00:00
`
)

func ok(bodies ...string) (answers []response) {
	for _, b := range bodies {
		answers = append(answers, response{status: 200, body: b})
	}
	return answers
}

// runSources runs a command line and checks its requests and what it prints.
func runSources(t *testing.T, w world, answers []response, args string, requests []string, out string) result {
	t.Helper()
	s := newServer(t, answers...)
	got := w.run(context.Background(), s.URL, strings.Fields(args)...)
	if got.code != exitOK {
		t.Errorf("%s: exit %d with %q", args, got.code, got.err)
	}
	if !slices.Equal(s.requests, requests) {
		t.Errorf("%s: requests are\n%s\nwant\n%s", args, strings.Join(s.requests, "\n"), strings.Join(requests, "\n"))
	}
	if want := strings.ReplaceAll(out, "SERVER", s.URL); got.out != want {
		t.Errorf("%s: output is\n%s\nwant\n%s", args, got.out, want)
	}
	return got
}

func TestSourcesOfBothTypesAreListed(t *testing.T) {
	live := `{"items":[` + blueskySource + `]}`
	const listed = "ID  NAME     KIND     TEAM   STATE                      POSTS  DOMAIN  DESCRIPTION\n" +
		"7   Bluesky  bluesky  Sales  catching up, 1m30s behind  20             the connection was lost\n" +
		"31  Survey   upload   Sales                             12     survey  2024\n"
	runSources(t, world{}, ok(surveySource, live), "source list --team 5",
		[]string{"GET /manage/v1/content-sources?limit=1000&team=5", "GET /manage/v1/sources?limit=1000&team=5"}, listed)
	waiting := `{"items":[{"id":7,"name":"Sky","kind":"bluesky","teamName":"Sales","state":{"phase":"backingOff","until":"2026-03-15T12:00:00Z","reason":"refused"}}]}`
	runSources(t, world{}, ok(noSources, waiting), "source list --team 5",
		[]string{"GET /manage/v1/content-sources?limit=1000&team=5", "GET /manage/v1/sources?limit=1000&team=5"},
		"ID  NAME  KIND     TEAM   STATE     POSTS  DOMAIN  DESCRIPTION\n7   Sky   bluesky  Sales  retrying  0              refused\n")
	runSources(t, world{}, ok(twoTeams, noSources, live), "source list --team r&d", []string{
		"GET /manage/v1/teams?limit=1000", "GET /manage/v1/content-sources?limit=1000&team=6", "GET /manage/v1/sources?limit=1000&team=6",
	}, strings.Join(strings.SplitAfter(listed, "\n")[:2], ""))
	runSources(t, world{}, ok(surveySource, `{"items":[]}`), "source list --json", []string{
		"GET /manage/v1/content-sources?limit=1000", "GET /manage/v1/sources?limit=1000",
	}, `[
  {
    "id": 31,
    "teamName": "Sales",
    "name": "Survey",
    "description": "2024",
    "domain": "survey",
    "documents": 12,
    "kind": "upload",
    "state": null
  }
]
`)
}

// A webhook or a folder stores its posts in a content source of the same name.
func TestALiveSourceIsListedOnce(t *testing.T) {
	live := `{"items":[{"id":32,"name":"Survey","kind":"webhook","teamName":"Sales","contentSource":31,"state":{"phase":"live"},"counters":{"posts":12}}]}`
	runSources(t, world{}, ok(surveySource, live), "source list --team 5",
		[]string{"GET /manage/v1/content-sources?limit=1000&team=5", "GET /manage/v1/sources?limit=1000&team=5"},
		"ID  NAME    KIND     TEAM   STATE  POSTS  DOMAIN  DESCRIPTION\n"+
			"32  Survey  webhook  Sales  live   12             \n")
}

func TestWithoutThePermissionForUploadsLiveSourcesAreListed(t *testing.T) {
	answers := []response{{status: 403, body: `{"message":"Access is denied"}`}, {status: 200, body: `{"items":[]}`}}
	runSources(t, world{}, answers, "source list --team 5 --json",
		[]string{"GET /manage/v1/content-sources?limit=1000&team=5", "GET /manage/v1/sources?limit=1000&team=5"}, "[]\n")
}

func TestASourceOfEitherTypeIsShown(t *testing.T) {
	runSources(t, world{}, ok(blueskySource), "source show 7", []string{"GET /manage/v1/sources/7"}, blueskyShown)
	runSources(t, world{}, []response{{status: 404, body: notFound}, {status: 200, body: surveySource}}, "source show 31",
		[]string{"GET /manage/v1/sources/31", "GET /manage/v1/content-sources?limit=1000"},
		"id           31\nteamName     Sales\nname         Survey\ndescription  2024\ndomain       survey\ndocuments    12\nkind         upload\nstate        \n")
	runSources(t, world{}, ok(`{"id":31,"domain":"news"}`), "source edit 31 --domain news",
		[]string{`PATCH /manage/v1/content-sources/31 {"domain":"news"}`}, "id      31\ndomain  news\n")
	runSources(t, world{}, ok(`{"id":31,"domain":"news"}`), "source create --team 5 --name Press --domain news",
		[]string{`POST /manage/v1/content-sources {"domain":"news","name":"Press","team":5}`}, "id      31\ndomain  news\n")
	s := newServer(t, response{status: 404, body: notFound}, response{status: 200, body: noSources})
	got := world{}.run(context.Background(), s.URL, "source", "show", "7", "--team", "5")
	if got.code != exitFailed || got.err != "earshot: Source 7 does not exist\n" {
		t.Errorf("got %+v", got)
	}
}

func TestStatesInWords(t *testing.T) {
	f := func(paused bool, phase, want string) {
		t.Helper()
		s := liveState{Paused: paused}
		s.State.Phase = phase
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(true, "live", "paused")
	f(false, "live", "live")
	f(false, "attention", "needs attention")
	f(false, "starting", "starting")
}

func TestASourceIsAdded(t *testing.T) {
	requests := []string{
		"GET /manage/v1/source-kinds", "GET /manage/v1/teams?limit=1000",
		`POST /manage/v1/sources {"keep":"all","kind":"bluesky","name":"Sky","retentionDays":30,"settings":{"protocol":"v2","url":"https://a.example"},"team":5}`,
	}
	runSources(t, world{}, ok(someKinds, oneTeam, blueskySource),
		"source add bluesky --name Sky --team sales --url https://a.example --keep all --retention 30 --set protocol=v2", requests, blueskyShown)
	requests[2] = `POST /manage/v1/sources {"kind":"bluesky","name":"bluesky","settings":{},"team":5}`
	runSources(t, world{}, ok(someKinds, oneTeam, blueskySource), "source add Bluesky", requests, blueskyShown)
}

func TestAddingASourceExplainsWhatIsMissing(t *testing.T) {
	f := func(answers []response, args, want string) {
		t.Helper()
		s := newServer(t, answers...)
		got := world{}.run(context.Background(), s.URL, strings.Fields(args)...)
		if first, _, _ := strings.Cut(got.err, "\n"); got.code == exitOK || first != "earshot: "+want {
			t.Errorf("%s: exit %d with %q, want %q", args, got.code, first, want)
		}
	}
	f(ok(someKinds), "source add myspace", `unknown kind "myspace"; the kinds are bluesky, mastodon, webhook`)
	f(ok(someKinds, twoTeams), "source add bluesky", "there are several teams: choose one with --team NAME")
	f(ok(someKinds, twoTeams), "source add bluesky --team Ops", `there is no team "Ops"; the teams are Sales, R&D`)
	f(ok(someKinds, `{"items":[]}`), "source add bluesky", "there is no team yet; add one with earshot team add --name NAME")
	f(ok(someKinds), "source add bluesky --secret-file /nowhere", "open /nowhere: no such file or directory")
	f(ok(someKinds), "source add bluesky --secret-stdin", "the secret is empty")
	f([]response{{status: 404, body: notFound}}, "source remove 7", "Source 7 does not exist; a content source is deleted with earshot source delete 7")
	f([]response{{status: 404, body: `{"message":"Content source 7 does not exist"}`}, {status: 200, body: blueskySource}}, "source delete 7",
		"source 7 is a live source; remove it with earshot source remove 7")
}

func TestSecretsDoNotComeFromFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from file\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(w world, args, secret string) {
		t.Helper()
		s := newServer(t, ok(someKinds, blueskySource)...)
		got := w.run(context.Background(), s.URL, strings.Fields("source add bluesky --team 5 "+args)...)
		want := fmt.Sprintf(`POST /manage/v1/sources {"kind":"bluesky","name":"bluesky","secret":%q,"settings":{},"team":5}`, secret)
		if got.code != exitOK || s.requests[len(s.requests)-1] != want {
			t.Errorf("%s: exit %d %s, sent %s, want %s", args, got.code, got.err, s.requests[len(s.requests)-1], want)
		}
		if strings.Contains(got.out+got.err, secret) {
			t.Errorf("%s prints the secret: %s%s", args, got.out, got.err)
		}
	}
	f(world{}, "--secret-file "+file, "from file")
	f(world{in: "from stdin\nmore\n"}, "--secret-stdin", "from stdin")
	f(world{environ: []string{"EARSHOT_SOURCE_SECRET=from env"}}, "", "from env")

	// The variable may belong to another source.
	s := newServer(t, ok(blueskySource)...)
	world{environ: []string{"EARSHOT_SOURCE_SECRET=from env"}}.run(context.Background(), s.URL, "source", "edit", "7", "--name", "x")
	if want := []string{`PATCH /manage/v1/sources/7 {"name":"x"}`}; !slices.Equal(s.requests, want) {
		t.Errorf("sent %q, want %q", s.requests, want)
	}
}

const hookSource = `{"id":8,"name":"Shop","kind":"webhook","kindTitle":"Webhook","teamName":"Sales","keep":"all","endpoint":"/ingest/v1/8","created":"2026-03-01T08:00:00Z","state":{"phase":"starting"},"counters":{}}`

func TestAWebhookGetsASecretThatIsPrintedOnce(t *testing.T) {
	s := newServer(t, ok(someKinds, hookSource)...)
	got := world{}.run(context.Background(), s.URL, strings.Fields("source add webhook --name Shop --team 5")...)
	secret := regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`).FindString(got.out)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if got.code != exitOK || err != nil || len(key) != 32 {
		t.Fatalf("got %+v, secret %q: %v", got, secret, err)
	}
	if !strings.Contains(got.out, "endpoint    "+s.URL+"/ingest/v1/8\n") {
		t.Errorf("no endpoint in\n%s", got.out)
	}
	if want := fmt.Sprintf(`"secret":%q`, secret); !strings.Contains(s.requests[1], want) {
		t.Errorf("sent %s without %s", s.requests[1], want)
	}
	s = newServer(t, ok(someKinds, hookSource)...)
	got = world{}.run(context.Background(), s.URL, strings.Fields("source add webhook --name Shop --team 5 --json")...)
	if !regexp.MustCompile(`"secret": "whsec_`).MatchString(got.out) {
		t.Errorf("no secret in %s", got.out)
	}
	s = newServer(t, ok(someKinds, hookSource)...)
	got = world{in: "my own secret\n"}.run(context.Background(), s.URL, strings.Fields("source add webhook --name Shop --team 5 --secret-stdin")...)
	if got.code != exitOK || strings.Contains(got.out, "secret") {
		t.Errorf("with a secret of one's own: %+v", got)
	}
}

const someRules = `{"required":true,"url":"https://m.example/about","items":["Be kind","No ads"],"version":"v1"}`

func TestRulesMustBeAccepted(t *testing.T) {
	const args = "source add mastodon --team 5 --url https://m.example"
	added := []string{
		"GET /manage/v1/source-kinds",
		`POST /manage/v1/sources/rules {"kind":"mastodon","settings":{"url":"https://m.example"},"team":5}`,
		`POST /manage/v1/sources {"kind":"mastodon","name":"mastodon","settings":{"accepted_rules":"v1","url":"https://m.example"},"team":5}`,
	}
	const shown = "The server requires everyone who reads it to follow its rules:\n  1. Be kind\n  2. No ads\nSee also https://m.example/about\n"
	for _, w := range []struct {
		world
		args, err string
	}{
		{world{}, args + " --accept-rules", shown},
		{world{terminal: true, in: "yes\n"}, args, shown + "Do you accept these rules? [y/N] "},
	} {
		got := runSources(t, w.world, ok(someKinds, someRules, blueskySource), w.args, added, blueskyShown)
		if got.err != w.err {
			t.Errorf("printed %q, want %q", got.err, w.err)
		}
	}
	runSources(t, world{}, ok(someKinds, `{"required":false,"items":[]}`, blueskySource), args, []string{added[0], added[1],
		`POST /manage/v1/sources {"kind":"mastodon","name":"mastodon","settings":{"url":"https://m.example"},"team":5}`}, blueskyShown)
	for want, w := range map[string]world{
		"earshot: the rules were not accepted: read them, then add --accept-rules\n": {},
		"earshot: the rules were not accepted; nothing was changed\n":                {terminal: true, in: "no\n"},
	} {
		s := newServer(t, ok(someKinds, someRules)...)
		got := w.run(context.Background(), s.URL, strings.Fields(args)...)
		if got.code != exitFailed || !strings.HasSuffix(got.err, want) || len(s.requests) != 2 {
			t.Errorf("got %+v after %q, want %s", got, s.requests, want)
		}
	}
}

func TestASourceIsChanged(t *testing.T) {
	f := func(args string, requests ...string) {
		t.Helper()
		answers := ok(blueskySource)
		if len(requests) > 1 {
			answers = ok(someRules, blueskySource)
		}
		runSources(t, world{in: "new\n"}, answers, args, requests, blueskyShown)
	}
	f("source pause 7", `PATCH /manage/v1/sources/7 {"paused":true}`)
	f("source resume 7", `PATCH /manage/v1/sources/7 {"paused":false}`)
	f("source edit 7 --name Sky --keep all --retention 0 --set protocol= --url https://a.example --secret-stdin",
		`PATCH /manage/v1/sources/7 {"keep":"all","name":"Sky","retentionDays":0,"secret":"new","settings":{"protocol":"","url":"https://a.example"}}`)
	f("source edit 7 --accept-rules",
		`POST /manage/v1/sources/rules {"id":7,"settings":{}}`,
		`PATCH /manage/v1/sources/7 {"settings":{"accepted_rules":"v1"}}`)
}

func TestASourceIsRemoved(t *testing.T) {
	gone := []response{{status: 204}}
	runSources(t, world{}, gone, "source remove 7", []string{"DELETE /manage/v1/sources/7"}, "Removed source 7\n")
	runSources(t, world{}, gone, "source remove 7 --with-posts", []string{"DELETE /manage/v1/sources/7?withPosts=true"}, "Removed source 7 and its posts\n")
}

func TestASourceIsTested(t *testing.T) {
	const sample = `{"posts":[{"guid":"1","url":"https://a.example/1","date":"2026-03-15T12:00:00Z","author":"ann","title":"News","contents":"tea\nis good","language":"en","source":"Blogs"},` +
		`{"guid":"2","date":"2026-03-15T12:01:00Z","author":"bob","contents":"coffee","source":"Bluesky"}]}`
	const shown = "2026-03-15 12:00:00  Blogs  ann\n  News: tea is good\n  https://a.example/1\n2026-03-15 12:01:00  Bluesky  bob\n  coffee\nNothing was stored.\n"
	runSources(t, world{}, ok(oneTeam, sample), "source test feed --url https://a.example",
		[]string{"GET /manage/v1/teams?limit=1000", `POST /manage/v1/sources/test {"kind":"feed","settings":{"url":"https://a.example"},"team":5}`}, shown)
	runSources(t, world{}, ok(sample), "source test 7 --set protocol=v2", []string{`POST /manage/v1/sources/test {"id":7,"settings":{"protocol":"v2"}}`}, shown)
	runSources(t, world{}, ok(`{"posts":[]}`), "source test 7", []string{`POST /manage/v1/sources/test {"id":7,"settings":{}}`},
		"The source responded, but had no posts to show. Nothing was stored.\n")
	runSources(t, world{}, ok(`{"posts":[]}`), "source test 7 --json", []string{`POST /manage/v1/sources/test {"id":7,"settings":{}}`}, "{\n  \"posts\": []\n}\n")
}

func TestFeedsAreExchanged(t *testing.T) {
	runSources(t, world{}, ok("<opml/>"), "source opml export 7", []string{"GET /manage/v1/sources/7/opml"}, "<opml/>")
	file := filepath.Join(t.TempDir(), "feeds.opml")
	if err := os.WriteFile(file, []byte("<opml>2</opml>"), 0o600); err != nil {
		t.Fatal(err)
	}
	runSources(t, world{}, ok(blueskySource), "source opml import 7 "+file, []string{"POST /manage/v1/sources/7/opml <opml>2</opml>"}, blueskyShown)
	runSources(t, world{in: "<opml/>"}, ok(blueskySource), "source opml import 7 -", []string{"POST /manage/v1/sources/7/opml <opml/>"}, blueskyShown)
}

func TestAnAuthorIsErased(t *testing.T) {
	const (
		counted = `POST /manage/v1/authors/erase {"author":"@ann","dryRun":true}`
		erased  = `POST /manage/v1/authors/erase {"author":"@ann","dryRun":false}`
	)
	answers := ok(`{"posts":12,"training":1}`)
	runSources(t, world{}, answers, "author erase @ann --dry-run", []string{counted}, "12 posts and 1 training post by @ann would be erased\n")
	runSources(t, world{}, answers, "author erase @ann --dry-run --json", []string{counted}, "{\n  \"posts\": 12,\n  \"training\": 1\n}\n")
	runSources(t, world{}, answers, "author erase @ann --yes", []string{erased}, "Erased 12 posts and 1 training post by @ann\n")
	runSources(t, world{}, ok(`{"posts":1,"training":0}`), "author erase @ann --yes --network Bluesky",
		[]string{`POST /manage/v1/authors/erase {"author":"@ann","dryRun":false,"network":"Bluesky"}`}, "Erased 1 post by @ann\n")
	got := runSources(t, world{terminal: true, in: "y\n"}, answers, "author erase @ann", []string{counted, erased}, "Erased 12 posts and 1 training post by @ann\n")
	if want := "12 posts and 1 training post by @ann will be erased, and the author's posts will never be stored again. Continue? [y/N] "; got.err != want {
		t.Errorf("asked %q, want %q", got.err, want)
	}
	for want, w := range map[string]world{
		"earshot: nothing was erased\n": {terminal: true, in: "\n"},
		"earshot: 12 posts and 1 training post by @ann would be erased; add --yes to erase them\n": {},
	} {
		s := newServer(t, answers...)
		got := w.run(context.Background(), s.URL, "author", "erase", "@ann")
		if got.code == exitOK || !strings.Contains(got.err, want) || !slices.Equal(s.requests, []string{counted}) {
			t.Errorf("got %+v after %q, want %s", got, s.requests, want)
		}
	}
}
