package bench

import (
	"bytes"
	"encoding/json"
	"testing"

	"earshot"
)

// checkSubmissions checks the results of a server. f is nil without a server.
func checkSubmissions(t *testing.T, f *SubmissionResult) {
	t.Helper()
	if f == nil {
		return
	}
	if f.Clients != submitters || f.Requests != minSubmissions || f.Done != f.Requests || f.PerSecond <= 0 {
		t.Errorf("got %+v", f)
	}
	if f.P50 <= 0 || f.P50 > f.P95 || f.P95 > f.P99 || f.P99 > f.Max {
		t.Errorf("got %+v", f)
	}
	requests := 0
	for _, q := range f.Queries {
		requests += q.Requests
		if q.Posts == 0 && q.Requests > 0 {
			t.Errorf("%s selects no posts", q.Name)
		}
	}
	if len(f.Queries) != 7 || requests != f.Requests {
		t.Errorf("got %d queries with %d requests, want 7 and %d", len(f.Queries), requests, f.Requests)
	}
}

func TestQueryForm(t *testing.T) {
	q := Query{All: []string{"tea"}, Language: "en", Country: "USA", Gender: earshot.Female}
	form := q.form(daysFrom(earshot.Date{Year: 2026, Month: 3, Day: 31}, 1))
	got, err := json.Marshal(form)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"analysis":["sentiment","volume","emotion","gender","age","ethnicity","location","source","affinity","reach"],` +
		`"endDate":"2026-04-01T00:00:00","gender":{"type":"include","values":["F"]},"keywords":"tea",` +
		`"languages":{"type":"include","values":["en"]},"locations":{"type":"include","values":["USA"]},` +
		`"sources":["TWITTER","FACEBOOK","INSTAGRAM","TUMBLR","GOOGLE_PLUS","YOUTUBE","BLOGS","NEWS","FORUMS","REVIEWS","COMMENTS","REDDIT","BLUESKY","MASTODON","THREADS","HACKER_NEWS"],` +
		`"startDate":"2026-03-31T00:00:00","timezone":"UTC"}`
	if !bytes.Equal(got, []byte(want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
