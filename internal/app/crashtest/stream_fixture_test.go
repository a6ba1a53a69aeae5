package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/app/processtest"
	"earshot/internal/config"
	"earshot/internal/model/enrich"
	"earshot/internal/secret/password"
)

// serve runs an app with a listener until the test ends or stop is called. stop returns once the
// app has ended.
func serve(t *testing.T, data string) (p *process, stop func()) {
	t.Helper()
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.Listen = data, 0, "127.0.0.1:0"
	ctx, cancel := context.WithCancel(context.Background())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- app.Run(ctx, cfg, app.Options{
			Version: "test", AdminPassword: processtest.AdminPassword, Enrich: enrich.Facts(),
			Hasher: password.Hasher{Memory: 64, Passes: 1, Threads: 1},
		}, app.Hooks{Ready: func(at string) { address <- at }})
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	select {
	case at := <-address:
		p = &process{Process: &processtest.Process{Log: &processtest.Log{}}, address: "http://" + at, client: &http.Client{Timeout: time.Minute}, waiter: &http.Client{}}
	case err := <-ended:
		t.Fatal(err)
	}
	p.signIn(t)
	return p, stop
}

// A coffeeStream is a stream with one monitor, which matches coffee, and a content source.
type coffeeStream struct {
	*process
	stream, source int64
}

func newCoffeeStream(t *testing.T, p *process) coffeeStream {
	t.Helper()
	var team, monitor, stream struct{ ID int64 }
	p.must(t, "POST", "/manage/v1/teams", `{"name":"Acme"}`, &team)
	p.must(t, "POST", monitorsPath, fmt.Sprintf(`{"name":"Coffee","team":%d,"keywords":"coffee","start":"2026-03-01"}`, team.ID), &monitor)
	p.must(t, "POST", "/manage/v1/streams", fmt.Sprintf(`{"name":"Drinks","team":%d}`, team.ID), &stream)
	p.must(t, "PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream.ID, monitor.ID), "", &struct{}{})
	var source struct{ ContentSource struct{ ID int64 } }
	p.must(t, "POST", "/api/content/sources", fmt.Sprintf(`{"name":"Survey","teamid":"%d"}`, team.ID), &source)
	return coffeeStream{p, stream.ID, source.ContentSource.ID}
}

// upload uploads posts that match, each in a separate request.
func (s coffeeStream) upload(t *testing.T, guids ...string) {
	t.Helper()
	for _, guid := range guids {
		s.must(t, "POST", fmt.Sprintf("/api/content/upload?documentType=%d", s.source),
			fmt.Sprintf(`{"items":[{"guid":%q,"url":"https://example.com/%s","date":"2026-03-02T12:00:00","contents":"coffee"}]}`, guid, guid), &struct{}{})
	}
}

// read requests posts until there are n, and returns their guids. more contains parameters.
func (s coffeeStream) read(t *testing.T, n int, more string) (guids []string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		var answer struct{ Posts []struct{ GUID string } }
		s.must(t, "GET", fmt.Sprintf("/api/stream/%d/posts?%s", s.stream, more), "", &answer)
		for _, post := range answer.Posts {
			guids = append(guids, post.GUID)
		}
		if len(guids) >= n {
			return guids
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %q after a minute, want %d posts", guids, n)
		}
	}
}

// await waits until n posts are in the stream.
func (s coffeeStream) await(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		var answer struct{ TotalPostsAvailable int }
		s.must(t, "GET", fmt.Sprintf("/api/stream/%d/posts?cursor=0-0&count=1", s.stream), "", &answer)
		if answer.TotalPostsAvailable == n {
			return
		}
		if answer.TotalPostsAvailable > n || time.Now().After(deadline) {
			t.Fatalf("%d posts are in the stream, want %d", answer.TotalPostsAvailable, n)
		}
	}
}

// A listener is a connection that receives events.
type listener struct {
	body  io.ReadCloser
	lines *bufio.Reader
}

// listen opens a listener. It is closed at the end of the test, or after a minute.
func (s coffeeStream) listen(t *testing.T, parameters, last string) *listener {
	t.Helper()
	request, err := s.request("GET", fmt.Sprintf("/manage/v1/streams/%d/events?%s", s.stream, parameters), "")
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	response, err := s.waiter.Do(request.WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("got %d and %s", response.StatusCode, got)
	}
	return &listener{response.Body, bufio.NewReader(response.Body)}
}

// want waits for the next events, which must have these posts, and returns the ID of the last one.
func (l *listener) want(t *testing.T, guids ...string) (last string) {
	t.Helper()
	for _, want := range guids {
		e, err := readEvent(l.lines)
		if err != nil {
			t.Fatalf("waiting for %s: %v", want, err)
		}
		var post struct{ GUID string }
		if err := json.Unmarshal([]byte(e.data), &post); err != nil {
			t.Fatal(err)
		}
		if post.GUID != want || e.name != "post" || e.id == "" || e.id == last {
			t.Fatalf("got event %q with id %q of %s, want one of %s", e.name, e.id, post.GUID, want)
		}
		last = e.id
	}
	return last
}
