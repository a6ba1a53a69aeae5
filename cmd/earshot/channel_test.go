package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	slackChannel   = `{"id":41,"name":"#alerts","kind":"slack","target":"hooks.slack.com","enabled":true,"waiting":2,"failed":0,"lastError":"status 500"}`
	webhookChannel = `{"id":42,"name":"Robot","kind":"webhook","target":"example.com","enabled":true,"secret":"whsec_AAAA"}`
)

func TestAChannelIsAdded(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	address := file("url", "https://hooks.slack.com/services/x\n")
	runSources(t, world{}, ok(oneTeam, slackChannel), "channel add slack --name #alerts --url-file "+address+" --template "+file("template", "{{.Title}}")+" --per-hour 9",
		[]string{"GET /manage/v1/teams?limit=1000", `POST /manage/v1/channels {"kind":"slack","name":"#alerts","perHour":9,"team":5,"template":"{{.Title}}","url":"https://hooks.slack.com/services/x"}`},
		"Channel 41 #alerts (slack) sends to hooks.slack.com\n")
	runSources(t, world{}, ok(oneTeam, slackChannel), "channel add email --recipients a@example.com,b@example.com",
		[]string{"GET /manage/v1/teams?limit=1000", `POST /manage/v1/channels {"kind":"email","name":"email","recipients":["a@example.com","b@example.com"],"team":5}`},
		"Channel 41 #alerts (slack) sends to hooks.slack.com\n")
	runSources(t, world{in: "https://ntfy.example/topic\n"}, ok(oneTeam, slackChannel), "channel add ntfy --url-stdin --token-file "+file("token", "tk\n")+" --username u --password-file "+file("password", "p\n"),
		[]string{"GET /manage/v1/teams?limit=1000", `POST /manage/v1/channels {"kind":"ntfy","name":"ntfy","password":"p","team":5,"token":"tk","url":"https://ntfy.example/topic","username":"u"}`},
		"Channel 41 #alerts (slack) sends to hooks.slack.com\n")
	runSources(t, world{}, ok(oneTeam, webhookChannel), "channel add webhook --url https://example.com/hook",
		[]string{"GET /manage/v1/teams?limit=1000", `POST /manage/v1/channels {"kind":"webhook","name":"webhook","team":5,"url":"https://example.com/hook"}`},
		"Channel 42 Robot (webhook) sends to example.com\n\nVerify signatures with this key. It is not shown again:\n\nwhsec_AAAA\n")
	if got := (world{}).run(t.Context(), newServer(t).URL, "channel", "add", "slack", "--url", "x", "--url-stdin"); got.code == exitOK || !strings.Contains(got.err, "use one of --url, --url-file and --url-stdin") {
		t.Errorf("got %d %q", got.code, got.err)
	}
}

func TestChannelCommands(t *testing.T) {
	f := func(args, answer, request, out string) {
		t.Helper()
		runSources(t, world{}, ok(answer), args, []string{request}, out)
	}
	f("channel list", `{"items":[`+slackChannel+`]}`, "GET /manage/v1/channels?limit=1000",
		"ID  NAME     KIND   TARGET           ENABLED  WAITING  FAILED  LASTSENT  LASTERROR\n41  #alerts  slack  hooks.slack.com  true     2        0                 status 500\n")
	f("channel test 41", `{"state":"sent","error":""}`, "POST /manage/v1/channels/41/test", "Sent a test message\n")
	f("channel log 41", `{"items":[{"id":9,"created":"2026-03-15T12:00:00Z","state":"failed","attempts":10,"title":"Coffee","error":"status 500"}]}`,
		"GET /manage/v1/channels/41/deliveries?limit=1000",
		"ID  CREATED               STATE   ATTEMPTS  TITLE   ERROR\n9   2026-03-15T12:00:00Z  failed  10        Coffee  status 500\n")
	f("channel retry 9", `{"id":9}`, "POST /manage/v1/deliveries/9/retry", "Delivery 9 will be sent now\n")
	f("channel rotate 42", webhookChannel, "POST /manage/v1/channels/42/secret",
		"Channel 42 Robot (webhook) sends to example.com\n\nVerify signatures with this key. It is not shown again:\n\nwhsec_AAAA\n")
	f("channel disable 41", slackChannel, `PATCH /manage/v1/channels/41 {"enabled":false}`, "Channel 41 #alerts (slack) sends to hooks.slack.com\n")
	f("channel remove 41", "", "DELETE /manage/v1/channels/41", "Removed channel 41\n")

	s := newServer(t, ok(`{"state":"failed","error":"no_service"}`)...)
	if got := (world{}).run(t.Context(), s.URL, "channel", "test", "41"); got.code == exitOK || !strings.Contains(got.err, "the test message was not sent: no_service") {
		t.Errorf("got %d %q", got.code, got.err)
	}
}
