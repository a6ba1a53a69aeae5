package main

import (
	"context"
	"slices"
	"strings"
	"testing"
)

const labelsResponse = `{"samples":[{"id":31}],"posts":50,"labeled":12,"remaining":40,
"people":[{"name":"ann","labels":10,"skipped":1},{"name":"be\u001bn","labels":5,"skipped":0}],"compared":4,"agreed":3,"disagreements":[],
"start":"2026-02-13","end":"2026-03-15","labels":12,"advice":["Label at least 30 posts."],
"categories":[{"id":4,"name":"Basic Positive","share":0.4123,"low":0.35,"high":0.474}],"emotions":[{"id":9,"name":"Joy","share":0.3,"low":0.2,"high":0.4}]}`

const labelsShown = `samples         1
posts           50
labeled         12
remaining       40
by ann          10, could not tell 1
by be n         5, could not tell 0
agreement       3 of 4
days            2026-02-13 to 2026-03-15
calibrated      12 labels
Basic Positive  0.41 (0.35 to 0.47)
Joy             0.30 (0.20 to 0.40)
Label at least 30 posts.
`

func TestLabelCommandsSendOneRequestAndPrintTheShares(t *testing.T) {
	f := func(args, request string) {
		t.Helper()
		s := newServer(t, response{status: 200, body: labelsResponse})
		got := world{}.run(context.Background(), s.URL, strings.Fields(args)...)
		if want := (result{exitOK, labelsShown, ""}); got != want {
			t.Errorf("%s: got %+v, want %+v", args, got, want)
		}
		if !slices.Equal(s.requests, []string{request}) {
			t.Errorf("%s: requests are %q, want %q", args, s.requests, request)
		}
	}
	f("label 21", "GET /manage/v1/monitors/21/labels")
	f("label draw 21", "POST /manage/v1/monitors/21/samples {}")
	f("label draw 21 --posts 100 --start 2026-02-01 --end 2026-03-01", `POST /manage/v1/monitors/21/samples {"end":"2026-03-01","posts":100,"start":"2026-02-01"}`)
	f("label set 21 News:a/b Negative", `PUT /manage/v1/monitors/21/posts/News:a%2Fb/label {"sentiment":"negative"}`)
	f("label set 21 News:1 neutral --emotion surprise", `PUT /manage/v1/monitors/21/posts/News:1/label {"emotion":"surprise","sentiment":"neutral"}`)
	f("label set 21 News:1 Taste", `PUT /manage/v1/monitors/21/posts/News:1/label {"category":"Taste"}`)
	f("label set 21 News:1 -", "PUT /manage/v1/monitors/21/posts/News:1/label {}")
	f("label remove 21 News:1", "DELETE /manage/v1/monitors/21/posts/News:1/label")
}

func TestLabelNextListsPosts(t *testing.T) {
	s := newServer(t, response{status: 200, body: `{"remaining":40,"items":[{"key":"News:1","date":"2026-03-01T10:00:00Z","contents":"Great\ncoffee"}]}`})
	got := world{}.run(context.Background(), s.URL, "label", "next", "21", "--limit", "1")
	want := "KEY     DATE                  TITLE  CONTENTS\nNews:1  2026-03-01T10:00:00Z         Great coffee\n1 of 40 posts that you have not labeled\n"
	if got != (result{exitOK, want, ""}) {
		t.Errorf("got %+v, want %q", got, want)
	}
	if want := []string{"GET /manage/v1/monitors/21/labels/next?limit=1"}; !slices.Equal(s.requests, want) {
		t.Errorf("requests are %q, want %q", s.requests, want)
	}
}
