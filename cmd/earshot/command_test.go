package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const monitorResponse = `{"id":21,"name":"Coffee","type":"BUZZ","languages":{"type":"include","values":["EN"]},"tags":["a","b"],"enabled":true}`

const monitorShown = `id         21
name       Coffee
type       BUZZ
languages  {"type":"include","values":["EN"]}
tags       a, b
enabled    true
`

func TestCommandsSendOneRequestAndPrintTheResponse(t *testing.T) {
	tests := []struct {
		name    string
		args    string // words separated by spaces; ~ stands for a space within a word
		answer  response
		request string
		out     string
	}{
		{
			name:    "teams are listed as a table",
			args:    "team list",
			answer:  response{status: 200, body: `{"items":[{"id":5,"name":"Sales","monitorLimit":3},{"id":2147483650,"name":"R\u001b[2J&D"}]}`},
			request: "GET /manage/v1/teams?limit=1000",
			out:     "ID          NAME     MONITORLIMIT\n5           Sales    3\n2147483650  R [2J&D  \n",
		},
		{
			name:    "a list prints JSON with --json",
			args:    "team list --json",
			answer:  response{status: 200, body: `{"items":[{"id":5,"name":"R&D"}]}`},
			request: "GET /manage/v1/teams?limit=1000",
			out:     "[\n  {\n    \"id\": 5,\n    \"name\": \"R&D\"\n  }\n]\n",
		},
		{
			name:    "an empty list is an empty array",
			args:    "user list --json",
			answer:  response{status: 200, body: `{"items":[]}`},
			request: "GET /manage/v1/users?limit=1000",
			out:     "[]\n",
		},
		{
			name:    "a team is created",
			args:    "team add --name R&D --monitor-limit 4",
			answer:  response{status: 201, body: `{"id":5,"name":"R&D","monitorLimit":4}`},
			request: `POST /manage/v1/teams {"monitorLimit":4,"name":"R\u0026D"}`,
			out:     "id            5\nname          R&D\nmonitorLimit  4\n",
		},
		{
			name:    "an invalid number is sent for the server to reject",
			args:    "team edit 5 --monitor-limit many",
			answer:  response{status: 200, body: `{}`},
			request: `PATCH /manage/v1/teams/5 {"monitorLimit":"many"}`,
		},
		{
			name:    "a team is shown",
			args:    "team show 5",
			answer:  response{status: 200, body: `{"id":5,"name":"Sales"}`},
			request: "GET /manage/v1/teams/5",
			out:     "id    5\nname  Sales\n",
		},
		{
			name:    "a team is removed",
			args:    "team remove 5",
			answer:  response{status: 204},
			request: "DELETE /manage/v1/teams/5",
			out:     "Deleted team 5\n",
		},
		{
			name:    "a user is created with every field",
			args:    "user add --username ann --password pw --email a@b.example --first-name Ann --last-name Lee --teams 5,6 --api-access --permissions content,streams",
			answer:  response{status: 201, body: `{"id":9,"username":"ann","teams":[5,6]}`},
			request: `POST /manage/v1/users {"apiAccess":true,"email":"a@b.example","firstName":"Ann","lastName":"Lee","password":"pw","permissions":["content","streams"],"teams":[5,6],"username":"ann"}`,
			out:     "id        9\nusername  ann\nteams     5, 6\n",
		},
		{
			name:    "a list is cleared and a switch turned off",
			args:    "user edit 9 --permissions= --api-access=false",
			answer:  response{status: 200, body: `{"id":9}`},
			request: `PATCH /manage/v1/users/9 {"apiAccess":false,"permissions":[]}`,
			out:     "id  9\n",
		},
		{
			name: "a monitor is created with all criteria",
			args: "monitor add --name Coffee --description Machines --type BUZZ --team 5 --keywords morvessa~AND~NOT~ad --languages EN,DE --exclude-languages " +
				"--geolocations USA.CA.San~Diego --gender F --sources Twitter,Blogs --timezone Europe/Berlin --start 2024-01-31 --tags a,b --target-hashtags lumo",
			answer: response{status: 201, body: monitorResponse},
			request: `POST /manage/v1/monitors {"description":"Machines","gender":"F","geolocations":{"type":"include","values":["USA.CA.San Diego"]},` +
				`"keywords":"morvessa AND NOT ad","languages":{"type":"exclude","values":["EN","DE"]},"name":"Coffee","sources":["Twitter","Blogs"],` +
				`"start":"2024-01-31","tags":["a","b"],"targetHashtags":["lumo"],"team":5,"timezone":"Europe/Berlin","type":"BUZZ"}`,
			out: monitorShown,
		},
		{
			name:    "an opinion monitor has categories, some grouped, some hidden",
			args:    "monitor edit 21 --categories Taste,Money/Price --hidden-categories Spam",
			answer:  response{status: 200, body: monitorResponse},
			request: `PATCH /manage/v1/monitors/21 {"categories":[{"hidden":false,"name":"Taste"},{"group":"Money","hidden":false,"name":"Price"},{"hidden":true,"name":"Spam"}]}`,
			out:     monitorShown,
		},
		{
			name:    "a social monitor has an account",
			args:    "monitor edit 21 --account-network Facebook --account-page 77 --account-handle x",
			answer:  response{status: 200, body: monitorResponse},
			request: `PATCH /manage/v1/monitors/21 {"account":{"handle":"x","network":"Facebook","pageId":"77"}}`,
			out:     monitorShown,
		},
		{
			name:    "monitors of a team are listed",
			args:    "monitor list --team 5",
			answer:  response{status: 200, body: `{"items":[` + monitorResponse + `]}`},
			request: "GET /manage/v1/monitors?limit=1000&team=5",
			out:     "ID  NAME    TYPE  TEAM  ENABLED  START  TIMEZONE\n21  Coffee  BUZZ        true            \n",
		},
		{
			name:    "a monitor is enabled",
			args:    "monitor enable 21",
			answer:  response{status: 200, body: monitorResponse},
			request: "POST /manage/v1/monitors/21/enable",
			out:     monitorShown,
		},
		{
			name:    "a monitor is disabled",
			args:    "monitor disable 21",
			answer:  response{status: 200, body: monitorResponse},
			request: "POST /manage/v1/monitors/21/disable",
			out:     monitorShown,
		},
		{
			name:    "a monitor is reset from its start",
			args:    "monitor reset 21",
			answer:  response{status: 200, body: monitorResponse},
			request: "POST /manage/v1/monitors/21/reset",
			out:     monitorShown,
		},
		{
			name:    "a monitor is reset from a day",
			args:    "monitor reset 21 --from 2024-02-01",
			answer:  response{status: 200, body: monitorResponse},
			request: `POST /manage/v1/monitors/21/reset {"from":"2024-02-01"}`,
			out:     monitorShown,
		},
		{
			name:    "the progress of a monitor is shown",
			args:    "monitor progress 21",
			answer:  response{status: 200, body: `{"state":"running","done":30,"total":400,"startedAt":"2024-02-01T10:00:00Z","message":"Matching stored posts"}`},
			request: "GET /manage/v1/monitors/21/progress",
			out:     "state      running\ndone       30\ntotal      400\nstartedAt  2024-02-01T10:00:00Z\nmessage    Matching stored posts\n",
		},
		{
			name:    "progress without a start",
			args:    "monitor progress 21 --json",
			answer:  response{status: 200, body: `{"state":"idle","done":0,"total":0,"startedAt":null,"message":""}`},
			request: "GET /manage/v1/monitors/21/progress",
			out:     "{\n  \"state\": \"idle\",\n  \"done\": 0,\n  \"total\": 0,\n  \"startedAt\": null,\n  \"message\": \"\"\n}\n",
		},
		{
			name:    "filters of a monitor are listed",
			args:    "filter list --monitor 21",
			answer:  response{status: 200, body: `{"items":[{"id":22,"name":"Women","gender":"F","sources":["Twitter"]}]}`},
			request: "GET /manage/v1/monitors/21/filters?limit=1000",
			out:     "ID  NAME   KEYWORDS  GENDER  SOURCES\n22  Women            F       Twitter\n",
		},
		{
			name:    "a filter is created in a monitor",
			args:    "filter add --monitor 21 --name Women --gender F",
			answer:  response{status: 201, body: `{"id":22}`},
			request: `POST /manage/v1/monitors/21/filters {"gender":"F","name":"Women"}`,
			out:     "id  22\n",
		},
		{
			name:    "a filter is changed by its own ID",
			args:    "filter edit 22 --keywords tea",
			answer:  response{status: 200, body: `{"id":22}`},
			request: `PATCH /manage/v1/filters/22 {"keywords":"tea"}`,
			out:     "id  22\n",
		},
		{
			name:    "a content source is created",
			args:    "source create --team 5 --name Survey --description 2024",
			answer:  response{status: 200, body: `{"contentSource":{"id":31,"name":"Survey"},"status":"success"}`},
			request: `POST /api/content/sources {"description":"2024","name":"Survey","teamid":"5"}`,
			out:     "id    31\nname  Survey\n",
		},
		{
			name:    "a content source is deleted",
			args:    "source delete 31",
			answer:  response{status: 200, body: `{"status":"success"}`},
			request: "DELETE /api/content/sources?documentType=31",
			out:     "Deleted source 31\n",
		},
		{
			name:    "the contract is shown",
			args:    "contract show",
			answer:  response{status: 200, body: `{"documentsPerDay":1000,"queriesPerYear":0}`},
			request: "GET /manage/v1/contract",
			out:     "documentsPerDay  1000\nqueriesPerYear   0\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.answer)
			var args []string
			for _, word := range strings.Fields(tt.args) {
				args = append(args, strings.ReplaceAll(word, "~", " "))
			}
			got := world{}.run(context.Background(), s.URL, args...)
			if got.code != exitOK || got.err != "" {
				t.Errorf("exit %d with %q", got.code, got.err)
			}
			if len(s.requests) != 1 || s.requests[0] != tt.request {
				t.Errorf("requests are %q\nwant %q", s.requests, tt.request)
			}
			if got.out != tt.out {
				t.Errorf("output is\n%s\nwant\n%s", got.out, tt.out)
			}
		})
	}
}

func TestEditingTheContractKeepsOtherFields(t *testing.T) {
	s := newServer(t,
		response{status: 200, body: `{"documentsPerDay":1000,"queriesPerYear":50,"periodStart":"2024-01-01"}`},
		response{status: 200, body: `{"documentsPerDay":2000}`})
	got := world{}.run(context.Background(), s.URL, "contract", "edit", "--documents-per-day", "2000")
	if got.code != exitOK || got.out != "documentsPerDay  2000\n" {
		t.Errorf("got %+v", got)
	}
	want := `PUT /manage/v1/contract {"documentsPerDay":2000,"periodStart":"2024-01-01","queriesPerYear":50}`
	if len(s.requests) != 2 || s.requests[1] != want {
		t.Errorf("requests are %q, want the last to be %q", s.requests, want)
	}
}

func TestFromSendsAFileUnchanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "team.json")
	if err := os.WriteFile(file, []byte(`{ "name":"Sales" , "extra":1 }`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, response{status: 201, body: `{"id":5}`})
	if got := (world{}).run(context.Background(), s.URL, "team", "add", "--from", file); got.code != exitOK {
		t.Fatalf("got %+v", got)
	}
	if got := (world{in: `{"name":"x"}`}).run(context.Background(), s.URL, "team", "edit", "5", "--from", "-"); got.code != exitOK {
		t.Fatalf("got %+v", got)
	}
	want := []string{`POST /manage/v1/teams { "name":"Sales" , "extra":1 }`, `PATCH /manage/v1/teams/5 {"name":"x"}`}
	for i := range want {
		if s.requests[i] != want[i] {
			t.Errorf("request is %q, want %q", s.requests[i], want[i])
		}
	}
	got := world{in: `{"name":`}.run(context.Background(), s.URL, "team", "create", "--from", "-")
	if got.code != exitFailed || got.err != "earshot: - is not JSON: unexpected end of JSON input\n" {
		t.Errorf("got %+v", got)
	}
}

func TestTheTokenComesFromTheFlagOrTheEnvironment(t *testing.T) {
	s := newServer(t, response{status: 200, body: `{"items":[],"auth":"abc"}`})
	w := world{environ: []string{"EARSHOT_TOKEN=fromenv", "EARSHOT_PASSWORD=pw"}}
	w.run(context.Background(), s.URL, "team", "list")
	w.run(context.Background(), s.URL, "team", "list", "--token", "fromflag")
	w.run(context.Background(), s.URL, "login", "--username", "ann")
	if want := []string{"Bearer fromenv", "Bearer fromflag", ""}; !slices.Equal(s.tokens, want) {
		t.Errorf("tokens are %q, want %q", s.tokens, want)
	}
}

func TestLoginPrintsTheToken(t *testing.T) {
	s := newServer(t, response{status: 201, body: `{"auth":"abc.def","expires":"2024-01-01T00:00:00Z"}`})
	w := world{environ: []string{"EARSHOT_PASSWORD=pw"}}
	got := w.run(context.Background(), s.URL, "login", "--username", "ann")
	if got.code != exitOK || got.out != "abc.def\n" {
		t.Errorf("got %+v", got)
	}
	w = world{in: "from stdin\nmore\n"}
	got = w.run(context.Background(), s.URL, "login", "--username", "ann", "--no-expiration", "--force", "--json")
	if got.code != exitOK || got.out != "{\n  \"auth\": \"abc.def\",\n  \"expires\": \"2024-01-01T00:00:00Z\"\n}\n" {
		t.Errorf("got %+v", got)
	}
	want := []string{
		`POST /manage/v1/tokens {"force":false,"noExpiration":false,"password":"pw","username":"ann"}`,
		`POST /manage/v1/tokens {"force":true,"noExpiration":true,"password":"from stdin","username":"ann"}`,
	}
	if len(s.requests) != 2 || s.requests[0] != want[0] || s.requests[1] != want[1] {
		t.Errorf("requests are %q, want %q", s.requests, want)
	}
	got = world{}.run(context.Background(), s.URL, "login", "--username", "ann")
	if got.code != exitFailed || got.err != "earshot: no password: set EARSHOT_PASSWORD or pass it on standard input\n" {
		t.Errorf("got %+v", got)
	}
}

func TestCreateAndDeleteAreOtherNamesOfAddAndRemove(t *testing.T) {
	s := newServer(t, response{status: 201, body: `{"id":5}`}, response{status: 204})
	for _, args := range []string{"monitor create --name Coffee", "monitor delete 5"} {
		if got := (world{}).run(context.Background(), s.URL, strings.Fields(args)...); got.code != exitOK {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if want := []string{`POST /manage/v1/monitors {"name":"Coffee"}`, "DELETE /manage/v1/monitors/5"}; !slices.Equal(s.requests, want) {
		t.Errorf("requests are %q, want %q", s.requests, want)
	}
}

func TestCommandsPrintTheServersError(t *testing.T) {
	s := newServer(t, response{status: 404, body: `{"message":"Team 5 does not exist","status":"error"}`})
	got := world{}.run(context.Background(), s.URL, "team", "delete", "5")
	if want := (result{exitFailed, "", "earshot: Team 5 does not exist\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestUnreachableServer(t *testing.T) {
	s := newServer(t, response{status: 200})
	s.Close()
	got := world{}.run(context.Background(), s.URL, "team", "list")
	if got.code != exitFailed || !strings.HasPrefix(got.err, "earshot: call "+s.URL+": dial tcp ") {
		t.Errorf("got %+v", got)
	}
}

func TestInvalidCommandLinesExitWith2(t *testing.T) {
	f := func(args, want string) {
		t.Helper()
		got := world{}.run(context.Background(), "http://127.0.0.1:1", strings.Fields(args)...)
		if first, _, _ := strings.Cut(got.err, "\n"); got.code != exitUsage || first != "earshot: "+want {
			t.Errorf("%s: exit %d with %q, want exit 2 with %q", args, got.code, first, want)
		}
	}
	f("bogus", `unknown command "bogus" for "earshot"`)
	f("team", "earshot team requires a command")
	f("team bogus", `unknown command "bogus" for "earshot team"`)
	f("team show", "missing argument ID; 'earshot team list' prints the IDs")
	f("channel test", "missing argument ID; 'earshot channel list' prints the IDs")
	f("team show 1 2", `unexpected argument "2"; the command takes ID`)
	f("team list --bogus", "unknown flag: --bogus")
	f("team add", "nothing to send: set at least one field, or use --from FILE")
	f("team add --name x --from y.json", "--from sends the file unchanged: it cannot be combined with other fields")
	f("filter list", `required flag(s) "monitor" not set`)
	f("source add", "missing argument KIND")
	f("source add feed --set feeds", `--set requires a setting and a value, such as --set hashtags=coffee, not "feeds"`)
	f("source add feed --secret-file x --secret-stdin", "use either --secret-file or --secret-stdin")
	f("source edit 7", "nothing to change: set at least one flag")
	f("source opml", "earshot source opml requires a command")
	f("author erase", "missing argument AUTHOR")
	f("label", "missing argument MONITOR")
	f("label set 21 News:1", "missing argument SENTIMENT|CATEGORY")
	f("login", `required flag(s) "username" not set`)
	f("monitor edit 1 --exclude-languages", "--exclude-languages requires --languages")
	f("user add --api-access=maybe", `invalid argument "maybe" for "--api-access" flag: strconv.ParseBool: parsing "maybe": invalid syntax`)
	f("import", "missing argument FILE...")
	f("query", "earshot query requires a command")
	f("query lint", "missing argument FILE|-")
	f("query match x", `unknown command "x" for "earshot query match"`)
	f("monitor train 21 x.csv", `required flag(s) "category" not set`)
	f("monitor train 21 --category Like", "missing argument FILE...")
	f("monitor untrain 21", "missing argument POST...")
	f("import x --team 5", "--team requires --source")
}

func TestHelpAndVersionSucceed(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"team", "--help"}, {"version"}, {"version", "--json"}, {}} {
		if got := (world{}).run(context.Background(), "http://127.0.0.1:1", args...); got.code != exitOK || got.out == "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
