package main

import (
	"strings"
	"testing"

	"earshot/internal/app"
)

const (
	namedTeams    = `{"items":[{"id":5,"name":"Sales"},{"id":6,"name":"R&D"}]}`
	namedChannels = `{"items":[{"id":41,"name":"#alerts"},{"id":42,"name":"Newsroom"},{"id":43,"name":"newsroom"}]}`
)

func TestNamesBecomeIDs(t *testing.T) {
	f := func(args, answers string, requests ...string) {
		t.Helper()
		s := newServer(t, ok(strings.Split(answers, "\n")...)...)
		got := (world{}).run(t.Context(), s.URL, strings.Fields(args)...)
		if sent := strings.Join(s.requests, "\n"); got.code != exitOK || sent != strings.Join(requests, "\n") {
			t.Errorf("%s: exit %d with %q\ngot  %s\nwant %s", args, got.code, got.err, sent, strings.Join(requests, "\n"))
		}
	}
	const teams, channels = "GET /manage/v1/teams?limit=1000", "GET /manage/v1/channels?limit=1000"
	none := "\n" + `{"items":[]}`
	f("monitor add --name x --team sales", namedTeams+"\n{}", teams, `POST /manage/v1/monitors {"name":"x","team":5}`)
	f("monitor edit 21 --team R&D", namedTeams+"\n{}", teams, `PATCH /manage/v1/monitors/21 {"team":6}`)
	f("monitor list --team sales", namedTeams+none, teams, "GET /manage/v1/monitors?limit=1000&team=5")
	f("stream create --name x --team Sales", namedTeams+"\n{}", teams, `POST /manage/v1/streams {"name":"x","team":5}`)
	f("stream list --team sales", namedTeams+none, teams, "GET /manage/v1/streams?limit=1000&team=5")
	f("report list --team sales", namedTeams+none, teams, "GET /manage/v1/reports?limit=1000&team=5")
	f("report add --team Sales --channels 42,#Alerts", namedTeams+"\n"+namedChannels+"\n{}", teams, channels, `POST /manage/v1/reports {"channels":[42,41],"team":5}`)
	f("feed add --kind signals --team Sales", namedTeams+"\n{}", teams, `POST /manage/v1/feeds {"kind":"signals","team":5}`)
	f("feed list --team sales", namedTeams+none, teams, "GET /manage/v1/feeds?limit=1000&team=5")
	f("signal list --team sales", namedTeams+none, teams, "GET /manage/v1/signals?limit=1000&team=5")
	f("channel list --team sales", namedTeams+none, teams, "GET /manage/v1/channels?limit=1000&team=5")
	f("user add --username a --teams Sales,7", namedTeams+"\n{}", teams, `POST /manage/v1/users {"teams":[5,7],"username":"a"}`)
	f("user edit 9 --teams=", "{}", `PATCH /manage/v1/users/9 {"teams":[]}`)
	f("rule add --monitor 21 --kind post --channels #ALERTS", namedChannels+"\n{}", channels, `POST /manage/v1/rules {"channels":[41],"kind":"post","monitor":21}`)
	f("rule edit 61 --channels 42,43", "{}", `PATCH /manage/v1/rules/61 {"channels":[42,43]}`)
}

func TestNamesThatAreNotUniqueOrUnknown(t *testing.T) {
	f := func(args, answer, want string) {
		t.Helper()
		s := newServer(t, ok(answer)...)
		got := (world{}).run(t.Context(), s.URL, strings.Fields(args)...)
		if got.code != exitFailed || got.err != "earshot: "+want+"\n" || len(s.requests) != 1 {
			t.Errorf("%s: exit %d with %q and %d requests, want %q", args, got.code, got.err, len(s.requests), want)
		}
	}
	f("monitor add --team Shop", namedTeams, `there is no team "Shop"; the teams are Sales, R&D`)
	f("monitor list --team Shop", `{"items":[]}`, `there is no team "Shop"; add it with earshot team add --name "Shop"`)
	f("rule add --channels Newsroom", namedChannels, `there are several channels named "Newsroom"; give one of the IDs 42, 43`)
	f("rule add --channels Phone", namedChannels, `there is no channel "Phone"; the channels are #alerts, Newsroom, newsroom`)
	f("rule add --channels Phone", `{"items":[]}`, `there is no channel yet`)
	f("import --source Survey --team Shop x.csv", namedTeams, `there is no team "Shop"; the teams are Sales, R&D`)
}

func TestHelpListsEveryKindOfSources(t *testing.T) {
	got := (world{}).run(t.Context(), "", "source", "add", "--help")
	for _, k := range app.SourceKinds() {
		if !strings.Contains(got.out, "\n  "+k.Name+" ") || !strings.Contains(got.out, k.Description+"\n") {
			t.Errorf("the help lacks %s: %s\n%s", k.Name, k.Description, got.out)
		}
	}
}
