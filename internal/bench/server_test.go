package bench

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/http/client"
	"earshot/internal/secret/password"
	"earshot/internal/test/testenv"
)

// serve opens a complete service in a directory.
func serve(ctx context.Context, dir string) (*Server, error) {
	s, _, err := serveWith(ctx, dir, false)
	return s, err
}

// A finder returns stored posts.
type finder func(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)

// serveWith opens a complete service that may fetch pictures of posts, also from this machine.
func serveWith(ctx context.Context, dir string, pictures bool) (*Server, finder, error) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.ManageRateLimit = dir, 0, 0
	cfg.FetchImages, cfg.AllowPrivateImages = pictures, pictures
	a, err := app.Open(ctx, cfg, app.Options{AdminPassword: AdminPassword, Hasher: password.Hasher{Memory: 64, Passes: 1, Threads: 1}})
	if err != nil {
		return nil, nil, err
	}
	return &Server{Handler: a.Handler(), Append: a.Journal.Append, CatchUp: a.CatchUp, Close: a.Close}, a.Pictures.Posts.Find, a.Ready(ctx)
}

// checkHTTP checks the results of a server. f is nil without a server.
func checkHTTP(t *testing.T, f *HTTPResult) {
	t.Helper()
	if f == nil {
		return
	}
	if len(f.Times) != len(endpoints)*len(dateRanges) || f.Clients != clients {
		t.Fatalf("got %d rows of %d clients", len(f.Times), f.Clients)
	}
	for _, row := range f.Times {
		uploaded := row.Requests >= clients && row.Bytes > 0 && row.P50 > 0 && row.P50 <= row.P99
		if !row.Missing && row.Refused == "" && !uploaded || row.Missing && strings.HasPrefix(row.Endpoint, "posts") {
			t.Errorf("got %+v", row)
		}
		// There are too few posts for affinities.
		if row.Refused != "" && !strings.HasPrefix(row.Endpoint, "interestaffinities") {
			t.Errorf("%s of %s was rejected: %s", row.Endpoint, row.Days, row.Refused)
		}
	}
	if len(f.Memory.Points) != memoryPoints+1 || f.Memory.Points[memoryPoints].Requests != f.Memory.Requests || f.Memory.Points[0].HeapMB <= 0 {
		t.Errorf("got %+v", f.Memory)
	}
}

func TestServerIsFilledOnce(t *testing.T) {
	testenv.SkipUnderRace(t)
	var progress bytes.Buffer
	s := &session{sample: smallGenerator(t, 1).Sample, count: 1500, seed: 1, dir: t.TempDir(), progress: &progress, runs: 1, serve: serve}
	open := func() *runningServer {
		t.Helper()
		v, err := s.openServer(t.Context(), yearDays)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	posts := func(v *runningServer) string {
		t.Helper()
		days := subrange(v.days, -1, yearDays+1) // days in New York
		text, err := v.client.Call(t.Context(), v.request(endpoint{path: "volume", query: "groupBy=MONTHLY"}, days))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	v := open()
	first := posts(v)
	text, err := v.client.Call(t.Context(), v.request(endpoint{path: "posts"}, v.days))
	if err != nil || !bytes.Contains(text, []byte(`"imageInfo":[{"url"`)) || !bytes.Contains(text, []byte(`"categoryName":"Basic Positive","score":`)) {
		t.Errorf("the posts lack pictures or scores: %.600s, %v", text, err)
	}
	// Nearly all of the 1500 posts, because part of the first day in New York is missing.
	if !bytes.Contains(text, []byte(`"totalPostsAvailable":1`)) {
		t.Errorf("got %s", text[len(text)-100:])
	}
	v.close()
	if !strings.Contains(progress.String(), "sending 1500 posts") {
		t.Errorf("got progress %q", progress.String())
	}
	progress.Reset()
	v = open()
	if again := posts(v); again != first || progress.Len() > 0 {
		t.Errorf("got progress %q\ngot  %s\nwant %s", progress.String(), again, first)
	}
	v.close()
	s.count = 1600
	open().close()
	if !strings.Contains(progress.String(), "sending 1600 posts") {
		t.Errorf("got progress %q", progress.String())
	}
}

func TestDateRangesAreInYear(t *testing.T) {
	year := daysFrom(earshot.Date{Year: 2026, Month: 3, Day: 2}, yearDays)
	d := newRNG(1, loadStream, 1)
	for _, s := range dateRanges {
		lengths := map[int]bool{}
		for range 1000 {
			days := s.pick(year, &d)
			lengths[days.Len()] = true
			if days.Start.Before(year.Start) || year.End.Before(days.End) || days.Len() < monthDays {
				t.Fatalf("%s: got %v", s.name, days)
			}
		}
		if n := len(lengths); n != 1 && n != monthDays+1 {
			t.Errorf("%s: got %d lengths", s.name, n)
		}
	}
}

func TestRejectedRequestEndsLoad(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/tokens") {
			_, _ = w.Write([]byte(`{"auth":"t"}`))
			return
		}
		http.Error(w, `{"message":"Not today"}`, http.StatusBadRequest)
	})
	s := &session{runs: 1000, serve: func(context.Context, string) (*Server, error) {
		return &Server{Handler: h, Close: func() {}}, nil
	}}
	v, err := s.listen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	got, err := v.times(t.Context(), endpoints[0], dateRanges[0])
	if err != nil || got.Refused != "Not today" || got.Missing || got.Requests != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = v.runLoad(t.Context(), loadTest{clients: 2, maxRequests: 1000, send: v.sender(func(*rng) client.Request { return v.request(endpoints[0], v.days) })})
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != 400 {
		t.Errorf("got %v", err)
	}
}

func TestRequestMixHasSuccessfulEndpoints(t *testing.T) {
	var times []RequestTimes
	for _, e := range endpoints {
		for _, s := range dateRanges {
			times = append(times, RequestTimes{Endpoint: e.String(), Days: s.name, Requests: 10, P50: 1})
		}
	}
	at := func(e endpoint, s int) *RequestTimes {
		return &times[slices.Index(endpoints, e)*len(dateRanges)+s]
	}
	at(endpoint{path: "volume"}, 2).Requests = 0
	at(endpoint{path: "wordcloud"}, 1).P50 = slowMS + 1
	m := newRequestMix(times)
	if len(m.quick) != len(endpoints)-2 || !slices.Equal(m.slow, []endpoint{{path: "wordcloud"}}) || slices.Contains(m.quick, endpoint{path: "volume"}) {
		t.Errorf("got %+v", m)
	}
	d, slow := newRNG(1, loadStream, 1), 0
	for range 10_000 {
		if m.draw(&d) == m.slow[0] {
			slow++
		}
	}
	if slow < 200 || slow > 400 {
		t.Errorf("got %d slow requests of 10,000, want about %d percent", slow, slowPercent)
	}
}
