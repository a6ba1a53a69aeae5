package main

import (
	"context"
	"slices"
	"testing"
)

func TestReportAndFeedCommands(t *testing.T) {
	const (
		report = `{"id":51,"name":"Weekly","schedule":"Mondays at 8:00 AM, UTC","range":"lastweek","disabled":false}`
		feed   = `{"id":61,"name":"Coffee","kind":"posts","target":"Coffee","removed":false`
	)
	tests := []struct {
		args    []string
		answer  response
		request string
		out     string // SERVER is replaced
	}{
		{
			args:    []string{"report", "add", "--team", "5", "--name", "Weekly", "--monitors", "21,22", "--cron", "0 8 * * 1", "--channels", "31", "--pdf"},
			answer:  response{status: 201, body: report},
			request: `POST /manage/v1/reports {"channels":[31],"cron":"0 8 * * 1","monitors":[21,22],"name":"Weekly","pdf":true,"team":5}`,
			out:     "id        51\nname      Weekly\nschedule  Mondays at 8:00 AM, UTC\nrange     lastweek\ndisabled  false\n",
		},
		{
			args:    []string{"report", "list", "--team", "5"},
			answer:  response{status: 200, body: `{"items":[` + report + `]}`},
			request: "GET /manage/v1/reports?limit=1000&team=5",
			out:     "ID  NAME    SCHEDULE                 RANGE     DISABLED\n51  Weekly  Mondays at 8:00 AM, UTC  lastweek  false\n",
		},
		{
			args:    []string{"report", "send", "51", "--period", "2026-11-16T0700Z"},
			answer:  response{status: 200, body: `{"period":"2026-11-16T0700Z","state":"queued"}`},
			request: `POST /manage/v1/reports/51/send {"period":"2026-11-16T0700Z"}`,
			out:     "period  2026-11-16T0700Z\nstate   queued\n",
		},
		{
			args:    []string{"report", "remove", "51"},
			answer:  response{status: 204},
			request: "DELETE /manage/v1/reports/51",
			out:     "Deleted report 51\n",
		},
		{
			args:    []string{"feed", "add", "--kind", "posts", "--monitor", "21"},
			answer:  response{status: 201, body: feed + `,"path":"/feed/v1/abc"}`},
			request: `POST /manage/v1/feeds {"kind":"posts","monitor":21}`,
			out:     "SERVER/feed/v1/abc\n",
		},
		{
			args:    []string{"feed", "list"},
			answer:  response{status: 200, body: `{"items":[` + feed + `}]}`},
			request: "GET /manage/v1/feeds?limit=1000",
			out:     "ID  NAME    KIND   TARGET  REMOVED\n61  Coffee  posts  Coffee  false\n",
		},
		{
			args:    []string{"feed", "remove", "61"},
			answer:  response{status: 204},
			request: "DELETE /manage/v1/feeds/61",
			out:     "Deleted feed 61\n",
		},
	}
	for _, test := range tests {
		s := newServer(t, test.answer)
		got := world{}.run(context.Background(), s.URL, test.args...)
		want := result{out: test.out}
		if test.out == "SERVER/feed/v1/abc\n" {
			want.out = s.URL + "/feed/v1/abc\n"
		}
		if got != want {
			t.Errorf("%v: got %+v\nwant %+v", test.args, got, want)
		}
		if !slices.Equal(s.requests, []string{test.request}) {
			t.Errorf("%v: requests are %q, want %q", test.args, s.requests, test.request)
		}
	}
}
