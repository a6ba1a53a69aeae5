package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/webhook"
	"earshot/internal/state/kv"
)

// A ledger is a sink that records batches. It can be told to block or to fail.
type ledger struct {
	mu      sync.Mutex // guards the fields below
	batches []connector.Batch
	count   connector.Counters
	fail    error

	concurrent atomic.Int32
	block      chan struct{} // if not nil, Deliver waits until it is closed
	entered    chan struct{} // receives a value for each call of Deliver that blocks
	live       chan struct{} // receives a value when Run accepts requests
}

func (l *ledger) Select(_ context.Context, posts []earshot.Post) []earshot.Post { return posts }

func (l *ledger) Deliver(ctx context.Context, b connector.Batch) error {
	if l.concurrent.Add(1) > 1 {
		panic("Deliver is called concurrently")
	}
	defer l.concurrent.Add(-1)
	if l.block != nil {
		l.entered <- struct{}{}
		select {
		case <-l.block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		return l.fail
	}
	l.batches = append(l.batches, b)
	return nil
}

func (l *ledger) Report(s connector.State) {
	if s.Phase == connector.Live {
		l.live <- struct{}{}
	}
}

func (l *ledger) Count(c connector.Counters) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count.Add(c)
}

func (l *ledger) Gap(context.Context, connector.Gap) error { return nil }

func (l *ledger) posts() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.batches {
		n += len(b.Posts)
	}
	return n
}

// A world is a webhook that runs.
type world struct {
	connector.Receiver
	ledger *ledger
	env    connector.Env
	now    *atomic.Int64 // seconds since 1970
	stop   func()        // ends Run and waits for it
	ended  chan error    // receives what Run returns
}

func newWorld(t testing.TB, settings connector.Settings) *world {
	w := &world{ledger: &ledger{live: make(chan struct{}, 1)}, now: &atomic.Int64{}}
	w.now.Store(1773144000)
	w.env = connector.Env{
		Source:   &earshot.LiveSource{ID: 7, Team: 3, Name: "Shop", ContentSource: 9},
		Settings: settings, Secret: secret, Store: kv.NewMemory(), Log: slog.New(slog.DiscardHandler),
		Now:  func() time.Time { return time.Unix(w.now.Load(), 0) },
		Wait: func(ctx context.Context, d time.Duration) error { return context.Canceled },
	}
	w.start(t)
	t.Cleanup(func() { w.stop() })
	return w
}

// start runs a new connector with the same records, as after a restart.
func (w *world) start(t testing.TB) {
	if w.stop != nil {
		w.stop()
	}
	w.Receiver = webhook.Kind().New(w.env).(connector.Receiver)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- w.Run(ctx, "", w.ledger)
	}()
	w.ended = ended
	w.stop = func() { cancel(); <-done }
	<-w.ledger.live
}

const secret = "a-token-that-nobody-guesses"

// send sends a request and returns the status, as the HTTP interface would answer it, and the body.
func (w *world) send(id, body string) (status int, answer string) {
	h := http.Header{"Authorization": {"Bearer " + secret}}
	if id != "" {
		h.Set("webhook-id", id)
	}
	return w.sendWith(context.Background(), h, body)
}

func (w *world) sendWith(ctx context.Context, h http.Header, body string) (status int, answer string) {
	r, err := w.Receive(ctx, connector.Request{Header: h, Body: []byte(body)})
	var readable *earshot.Error
	switch {
	case errors.As(err, &readable):
		statuses := map[earshot.Kind]int{earshot.Unauthenticated: 401, earshot.TooLarge: 413, earshot.Unavailable: 503, earshot.StorageFull: 507}
		return statuses[readable.Kind], readable.Message
	case err != nil:
		return 500, err.Error()
	}
	data, err := json.Marshal(r.Body)
	if err != nil {
		return 500, err.Error()
	}
	return r.Status, string(data)
}

func (w *world) expect(t *testing.T, id, body string, status int, answer string) {
	t.Helper()
	if gotStatus, got := w.send(id, body); gotStatus != status || got != answer {
		t.Errorf("%.100s: got %d %.300s, want %d %s", body, gotStatus, got, status, answer)
	}
}

func TestForms(t *testing.T) {
	w := newWorld(t, nil)
	a, b := post("1", "x"), post("2", "y")
	f := func(body string, status int, answer string) { t.Helper(); w.expect(t, "", body, status, answer) }
	f(a, 202, `{"accepted":1,"rejected":0,"errors":[]}`)
	f(" \n"+strings.ReplaceAll(a, ",", ",\n")+"\n", 202, `{"accepted":1,"rejected":0,"errors":[]}`)
	f("["+a+","+b+"]", 202, `{"accepted":2,"rejected":0,"errors":[]}`)
	f(`{"next":null,"items":[`+a+","+b+"]}", 202, `{"accepted":2,"rejected":0,"errors":[]}`)
	f("\xef\xbb\xbf"+a+"\r\n\r\n"+b+"\r\n", 202, `{"accepted":2,"rejected":0,"errors":[]}`)
	f("[]", 202, `{"accepted":0,"rejected":0,"errors":[]}`)
	f(`{"items":[]}`, 202, `{"accepted":0,"rejected":0,"errors":[]}`)
	f(`[`+a+`,{"guid":"3","deleted":true}]`, 202, `{"accepted":2,"rejected":0,"errors":[]}`)

	f("["+a+`,5,{"guid":"3"}]`, 202, `{"accepted":1,"rejected":2,"errors":[{"item":1,"message":"must be an object, not a number"},{"item":2,"message":"date is missing"}]}`)
	f(a+"\n{broken\n\n"+b, 202, `{"accepted":2,"rejected":1,"errors":[{"item":1,"message":"invalid character 'b' looking for beginning of object key string at byte 2"}]}`)
	f(`{"guid":"3"}`, 422, `{"accepted":0,"rejected":1,"errors":[{"item":0,"message":"date is missing"}]}`)
	f(`[{"guid":"3"},{}]`, 422, `{"accepted":0,"rejected":2,"errors":[{"item":0,"message":"date is missing"},{"item":1,"message":"date is missing"}]}`)
	f("["+a, 422, `{"accepted":0,"rejected":1,"errors":[{"item":0,"message":"the body is not valid JSON: unexpected end of JSON input at byte 58"}]}`)
	f("", 422, `{"accepted":0,"rejected":1,"errors":[{"item":0,"message":"the body is empty"}]}`)
	f("hello", 422, `{"accepted":0,"rejected":1,"errors":[{"item":0,"message":"the body is not valid JSON: invalid character 'h' looking for beginning of value at byte 1"}]}`)
	f(`{"guid":"`+strings.Repeat("x", 1<<20)+`"}`, 422, `{"accepted":0,"rejected":1,"errors":[{"item":0,"message":"the item is longer than 1048576 bytes"}]}`)
	f(`[{"guid":"`+strings.Repeat("x", 1<<20)+`"},`+a+"]", 202, `{"accepted":1,"rejected":1,"errors":[{"item":0,"message":"the item is longer than 1048576 bytes"}]}`)

	last := w.ledger.batches[len(w.ledger.batches)-1]
	if p := last.Posts[0]; len(last.Posts) != 1 || p.Source != "Shop" || p.ContentSource != 9 || p.Team != 3 || p.GUID != "1" {
		t.Errorf("got %+v", last.Posts)
	}
	if c := w.ledger.count; c.Events != 25 || c.Skipped["invalid item"] != 11 || c.Bytes < 2<<20 {
		t.Errorf("counted %+v", c)
	}
}

func TestOnlyTheFirstErrorsAreExplained(t *testing.T) {
	w := newWorld(t, nil)
	_, text := w.send("", "["+strings.Repeat("{},", 149)+"{}]")
	var a struct {
		Rejected int
		Errors   []struct{ Item int }
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || a.Rejected != 150 || len(a.Errors) != 100 || a.Errors[99].Item != 99 {
		t.Errorf("got %d rejected and %d errors", a.Rejected, len(a.Errors))
	}
}

func TestRequestsThatAreTooLarge(t *testing.T) {
	w := newWorld(t, nil)
	w.expect(t, "", strings.Repeat(" ", 10<<20)+"x", 413, "The body is larger than 10485760 bytes; send fewer posts per request")
	w.expect(t, "", "["+strings.Repeat("1,", 10_000)+"1]", 413, "The request has more than 10000 posts; send fewer per request")
	if len(w.ledger.batches) != 0 {
		t.Error("something was stored")
	}
	if status, answer := w.send("", "["+strings.Repeat(post("1", "x")+",", 9_999)+post("2", "y")+"]"); status != 202 || !strings.HasPrefix(answer, `{"accepted":10000,`) {
		t.Errorf("got %d %s", status, answer)
	}
}

func TestUnknownSendersAreRefused(t *testing.T) {
	w := newWorld(t, nil)
	for _, h := range []http.Header{{}, {"Authorization": {"Bearer x"}}, {"Webhook-Signature": {"v1,AAAA"}}} {
		if status, answer := w.sendWith(t.Context(), h, post("1", "x")); status != 401 {
			t.Errorf("%v: got %d %s", h, status, answer)
		}
	}
	if n := len(w.ledger.count.Skipped); len(w.ledger.batches) != 0 || n != 3 {
		t.Errorf("stored %v, counted %d reasons", w.ledger.batches, n)
	}
}

func TestMappedRequest(t *testing.T) {
	w := newWorld(t, connector.Settings{"network": "any", "mapping": `
items = data.reviews[]
type = "Reviews"
guid = id
contents = text
date = created
rating = stars
deleted = removed
custom.shop = $.shop`})
	w.expect(t, "", `{"shop":"Rome","data":{"reviews":[{"id":1,"text":"Good","created":1773144000,"stars":"4.5"},{"id":2,"removed":true},{"id":3}]}}`,
		202, `{"accepted":2,"rejected":1,"errors":[{"item":2,"message":"date is missing"}]}`)
	b := w.ledger.batches[0]
	p := b.Posts[0]
	if p.Source != earshot.Reviews || p.GUID != "1" || p.Contents != "Good" || *p.Rating != 4.5 || p.Custom["shop"] != "Rome" || !p.Time.Equal(time.Unix(1773144000, 0)) {
		t.Errorf("got %+v", p)
	}
	if d := b.Deletions; len(d) != 1 || d[0].Source != earshot.Reviews || d[0].GUIDs[0] != "2" || d[0].Batch != "live/7" {
		t.Errorf("got %+v", d)
	}
}

func TestRepeatedRequestsGetTheFirstAnswer(t *testing.T) {
	w := newWorld(t, nil)
	const first = `{"accepted":1,"rejected":1,"errors":[{"item":1,"message":"date is missing"}]}`
	w.expect(t, "a", "["+post("1", "x")+",{}]", 202, first)
	w.expect(t, "a", post("2", "another body"), 202, first)
	w.start(t)
	w.expect(t, "a", post("2", "after a restart"), 202, first)
	w.now.Add(23 * 3600)
	w.expect(t, "a", post("2", "on the next day"), 202, first)
	w.expect(t, "b", post("2", "x"), 202, `{"accepted":1,"rejected":0,"errors":[]}`)
	if n := w.ledger.posts(); n != 2 {
		t.Errorf("%d posts were stored, want 2", n)
	}
	w.now.Add(49 * 3600)
	w.expect(t, "a", post("3", "later"), 202, `{"accepted":1,"rejected":0,"errors":[]}`)
	deadline := time.After(30 * time.Second)
	for { // old answers are removed in the background
		keys, err := w.env.Store.Keys(t.Context(), "answer.>")
		if err == nil && len(keys) == 1 {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("%d answers are remembered, %v, want one", len(keys), err)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestRejectedRequestsMayBeRepeated(t *testing.T) {
	w := newWorld(t, nil)
	w.expect(t, "a", `{"guid":"1"}`, 422, `{"accepted":0,"rejected":1,"errors":[{"item":0,"message":"date is missing"}]}`)
	w.expect(t, "a", post("1", "x"), 202, `{"accepted":1,"rejected":0,"errors":[]}`)
}

func TestConcurrentDuplicatesAreStoredOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.ledger.block, w.ledger.entered = make(chan struct{}), make(chan struct{}, 100)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { w.expect(t, "same", post("1", "x"), 202, `{"accepted":1,"rejected":0,"errors":[]}`) })
	}
	<-w.ledger.entered
	close(w.ledger.block)
	all.Wait()
	if n := w.ledger.posts(); n != 1 {
		t.Errorf("%d posts were stored, want one", n)
	}
}

func TestADuplicateIsHandledIfTheFirstOneFails(t *testing.T) {
	w := newWorld(t, nil)
	w.ledger.block, w.ledger.entered = make(chan struct{}), make(chan struct{}, 100)
	h := http.Header{"Authorization": {"Bearer " + secret}, "Webhook-Id": {"same"}}
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(first)
		if status, _ := w.sendWith(ctx, h, post("1", "x")); status != 503 {
			t.Errorf("the first one got %d, want 503", status)
		}
	}()
	<-w.ledger.entered
	go func() {
		defer close(second)
		w.expect(t, "same", post("1", "x"), 202, `{"accepted":1,"rejected":0,"errors":[]}`)
	}()
	cancel()
	<-first
	close(w.ledger.block)
	<-second
}

func TestWaitingRequestsAreStoredTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.ledger.block, w.ledger.entered = make(chan struct{}), make(chan struct{}, 100)
		var all sync.WaitGroup
		all.Go(func() { w.send("", post("first", "x")) })
		<-w.ledger.entered
		for i := range 50 {
			all.Go(func() { w.send(fmt.Sprint(i), post(fmt.Sprint(i), "x")) })
		}
		synctest.Wait() // until all wait for the first one
		close(w.ledger.block)
		all.Wait()
		if posts, batches := w.ledger.posts(), len(w.ledger.batches); posts != 51 || batches != 2 {
			t.Errorf("got %d posts in %d batches, want 51 in 2", posts, batches)
		}
	})
}

func TestNothingIsAcceptedUnlessItIsStored(t *testing.T) {
	w := newWorld(t, nil)
	w.ledger.fail = errors.New("broken")
	if status, answer := w.send("a", post("1", "x")); status != 503 || strings.Contains(answer, "broken") {
		t.Errorf("got %d %s, want 503 and no details", status, answer)
	}
	if err := <-w.ended; err == nil || err.Error() != "broken" {
		t.Errorf("Run returned %v, want the error of the sink", err)
	}
	w.expect(t, "a", post("1", "x"), 503, "The source is not running. Please send the request again later")
	w.ledger.fail = &earshot.Error{Kind: earshot.StorageFull, Message: "The disk is full"}
	w.start(t)
	w.expect(t, "a", post("1", "x"), 507, "The disk is full")
	w.ledger.fail = nil
	w.start(t)
	w.expect(t, "a", post("1", "x"), 202, `{"accepted":1,"rejected":0,"errors":[]}`)
}

func TestSampleShowsRecentPosts(t *testing.T) {
	w := newWorld(t, nil)
	kind := webhook.Kind()
	w.stop()
	w.Receiver = kind.New(w.env).(connector.Receiver)
	sample := func(id earshot.LiveSourceID) string {
		env := w.env
		env.Source = &earshot.LiveSource{ID: id}
		posts, err := kind.New(env).Sample(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, p := range posts {
			texts = append(texts, p.Contents)
		}
		return strings.Join(texts, " ")
	}
	if got := sample(7); got != "" {
		t.Errorf("got %s before any request", got)
	}
	w.expect(t, "", "["+post("1", "a")+","+post("2", "b")+","+post("3", "c")+"]", 503, "The source is not running. Please send the request again later")
	if got, other, unsaved := sample(7), sample(8), sample(0); got != "c b" || other != "" || unsaved != "" {
		t.Errorf("got %q, of another source %q, of an unsaved one %q", got, other, unsaved)
	}
	w.send("", `[`+post("2", "new")+`,{"guid":"3","deleted":true},{"guid":"1","deleted":true}]`)
	if got := sample(7); got != "new" {
		t.Errorf("got %q after a change and deletions", got)
	}
	w.send("", `{"guid":"2","deleted":true}`)
	if got := sample(7); got != "" {
		t.Errorf("got %q after the deletion of all", got)
	}
	w.send("", post("4", "d"))
	w.now.Add(601)
	if got := sample(7); got != "" {
		t.Errorf("got %q after ten minutes", got)
	}
}

func TestCheck(t *testing.T) {
	f := func(s connector.Settings, secret, want string) {
		t.Helper()
		if err := webhook.Kind().Check(s, secret); err == nil && want != "" || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", s, err, want)
		}
	}
	f(nil, secret, "")
	f(connector.Settings{"network": "News", "mapping": "contents = a.b"}, secret, "")
	f(nil, "", "set a secret")
	f(connector.Settings{"network": "Telex"}, secret, "network 'Telex' is not a network")
	f(connector.Settings{"mapping": "contents"}, secret, "mapping, line 1: ")
}

// FuzzBody checks that no body causes a panic, and that every item is accounted for.
func FuzzBody(f *testing.F) {
	for _, body := range []string{post("1", "x"), "[" + post("1", "x") + ",{}]", `{"items":[{}]}`, post("1", "x") + "\n{\n", "[[[", "\xef\xbb\xbf{}", `{"guid":"1","deleted":true}`} {
		f.Add(body, false)
		f.Add(body, true)
	}
	plain, mapping := newWorld(f, nil), newWorld(f, connector.Settings{"mapping": "items = items[]\nguid = guid\ncontents = contents\ndate = date"})
	f.Fuzz(func(t *testing.T, body string, useMapping bool) {
		w := plain
		if useMapping {
			w = mapping
		}
		before := w.ledger.posts()
		status, text := w.send("", body)
		var a struct{ Accepted, Rejected int }
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("got %d %s", status, text)
		}
		if stored := w.ledger.posts() - before; stored > a.Accepted || (status == 202) != (a.Accepted > 0 || a.Rejected == 0) {
			t.Errorf("got %d %s, and %d posts were stored", status, text, stored)
		}
		w.ledger.batches = nil
	})
}

func BenchmarkReceive(b *testing.B) {
	bench := func(name string, settings connector.Settings, posts int, one func(i int) string, senders int) {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, settings)
			var bodies []string
			for i := range posts {
				bodies = append(bodies, one(i))
			}
			body := "[" + strings.Join(bodies, ",") + "]"
			b.SetBytes(int64(len(body)))
			b.SetParallelism(senders)
			var failed atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if status, _ := w.send("", body); status != 202 {
						failed.Add(1)
					}
				}
			})
			if n := failed.Load(); n > 0 {
				b.Errorf("%d requests failed", n)
			}
			w.ledger.mu.Lock()
			w.ledger.batches = nil
			w.ledger.mu.Unlock()
			b.ReportMetric(float64(b.N*posts)/b.Elapsed().Seconds(), "posts/s")
		})
	}
	ours := func(i int) string {
		return fmt.Sprintf(`{"guid":"%d","url":"https://shop.example/%d","date":"2026-03-10T12:00:00Z","contents":"The espresso is lovely, and so is the view from the terrace #coffee","author":"ann","authorFollowers":120,"likes":%d,"hashtags":["coffee"]}`, i, i, i)
	}
	theirs := func(i int) string {
		return fmt.Sprintf(`{"id":%d,"link":"https://shop.example/%d","created":1773144000,"message":{"text":"The espresso is lovely, and so is the view from the terrace #coffee"},"user":{"name":"ann","followers":120},"likes":%d,"tags":["coffee"]}`, i, i, i)
	}
	bench("one post", nil, 1, ours, 1)
	bench("100 posts", nil, 100, ours, 1)
	bench("100 posts mapped", connector.Settings{"mapping": "guid = id\nurl = link\ndate = created\ncontents = message.text\nauthor = user.name\nauthorFollowers = user.followers\nlikes = likes\nhashtags = tags"}, 100, theirs, 1)
}
