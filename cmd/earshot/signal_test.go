package main

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestSignalAndRuleCommandsSendOneRequest(t *testing.T) {
	signal := `{"id":51,"raised":"2026-03-10T14:00:00Z","state":"firing","severity":"warning","title":"Coffee: 42 posts"}`
	tests := []struct {
		name    string
		args    []string
		answer  response
		request string
		out     string // part of the output
	}{
		{
			name:    "open signals are listed as a table",
			args:    []string{"signal", "list", "--state", "open", "--monitor", "21"},
			answer:  response{status: 200, body: `{"items":[` + signal + `]}`},
			request: "GET /manage/v1/signals?limit=1000&monitor=21&state=open",
			out:     "51  2026-03-10T14:00:00Z  firing  warning   Coffee: 42 posts\n",
		},
		{
			name:    "a signal is acknowledged",
			args:    []string{"signal", "ack", "51"},
			answer:  response{status: 200, body: signal},
			request: `PATCH /manage/v1/signals/51 {"acknowledged":true}`,
			out:     "Coffee: 42 posts\n",
		},
		{
			name:    "a signal is marked as over",
			args:    []string{"signal", "resolve", "51"},
			answer:  response{status: 200, body: signal},
			request: `PATCH /manage/v1/signals/51 {"state":"resolved"}`,
			out:     "Coffee: 42 posts\n",
		},
		{
			name:    "a rule is added",
			args:    []string{"rule", "add", "--monitor", "21", "--kind", "threshold", "--name", "Many", "--metric", "negative", "--value", "0.4", "--window-hours", "24"},
			answer:  response{status: 201, body: `{"id":61,"name":"Many"}`},
			request: `POST /manage/v1/rules {"kind":"threshold","monitor":21,"name":"Many","threshold":{"metric":"negative","value":0.4,"windowHours":24}}`,
			out:     "id    61\n",
		},
		{
			name:    "a rule is unmuted",
			args:    []string{"rule", "mute", "61", "--for", "0"},
			answer:  response{status: 200, body: `{"id":61,"name":"Many"}`},
			request: `PATCH /manage/v1/rules/61 {"mutedUntil":null}`,
			out:     "id    61\n",
		},
		{
			name:    "a rule is removed",
			args:    []string{"rule", "remove", "61"},
			answer:  response{status: 204},
			request: "DELETE /manage/v1/rules/61",
			out:     "Deleted rule 61\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.answer)
			got := world{}.run(context.Background(), s.URL, tt.args...)
			if got.code != exitOK || !strings.Contains(got.out, tt.out) {
				t.Errorf("got %+v\nwant %q in the output", got, tt.out)
			}
			if !slices.Equal(s.requests, []string{tt.request}) {
				t.Errorf("requests are %q\nwant %q", s.requests, tt.request)
			}
		})
	}
}
