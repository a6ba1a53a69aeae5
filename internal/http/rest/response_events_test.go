package rest

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
)

type listenParams struct {
	After string `request:"Last-Event-ID"`
}

// listen serves a route that sends events over a real connection.
func listen(t *testing.T, o Options, e func(p listenParams) Events) *http.Response {
	t.Helper()
	o.Authenticate = func(context.Context, string) (*earshot.Caller, error) {
		return earshot.NewCaller(&earshot.User{Username: "ann"}), nil
	}
	s := httptest.NewServer(New(o, []Route{
		Handle("GET", "/events", SignedIn, func(_ context.Context, _ *earshot.Caller, p listenParams) (Events, error) { return e(p), nil }),
	}))
	t.Cleanup(s.Close)
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/events?auth=x", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", "7-1")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestEventsAreSentImmediately(t *testing.T) {
	next := make(chan Event)
	resp := listen(t, Options{}, func(p listenParams) Events {
		return Events{Write: func(ctx context.Context, send func(Event) error) error {
			for e := range next {
				e.ID = p.After + e.ID
				if err := send(e); err != nil {
					return err
				}
			}
			return nil
		}}
	})
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("got type %s", got)
	}
	r := bufio.NewReader(resp.Body)
	want := func(lines ...string) {
		t.Helper()
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, ":") {
				_, _ = r.ReadString('\n')
				continue
			}
			if line != lines[0] {
				t.Errorf("got %q, want %q", line, lines[0])
			}
			if lines = lines[1:]; len(lines) == 0 {
				return
			}
		}
	}
	next <- Event{ID: ".1", Name: "post", Data: []byte(`{"a":1}`)}
	want("id: 7-1.1", "event: post", `data: {"a":1}`, "") // received before the next event is produced
	next <- Event{ID: ".2\nevent: forged", Data: []byte(`{}`)}
	want("id: 7-1.2event: forged", "data: {}", "")
	close(next)
}

func TestEventsEndWhenServerStops(t *testing.T) {
	stopping := make(chan struct{})
	resp := listen(t, Options{Stopping: stopping}, func(listenParams) Events {
		return Events{Write: func(ctx context.Context, _ func(Event) error) error {
			<-ctx.Done()
			return ctx.Err()
		}}
	})
	close(stopping)
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); { // until the response ends
	}
}

func TestEventsEndWhenAccessIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requested, began := 0, time.Now()
		h := New(Options{Authenticate: func(context.Context, string) (*earshot.Caller, error) {
			return earshot.NewCaller(&earshot.User{Username: "ann"}), nil
		}}, []Route{
			Handle("GET", "/events", SignedIn, func(context.Context, *earshot.Caller, struct{}) (Events, error) {
				return Events{
					Write: func(ctx context.Context, _ func(Event) error) error { <-ctx.Done(); return ctx.Err() },
					Allow: func(*earshot.Caller) error {
						if requested++; requested == 3 {
							return errors.New("left the team")
						}
						return nil
					},
				}, nil
			}),
		})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/events?auth=x", nil))
		if took := time.Since(began); took != 3*heartbeatInterval {
			t.Errorf("ended after %v, want %v", took, 3*heartbeatInterval)
		}
		if got, want := w.Body.String(), ": listening\n\n:\n\n:\n\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestEventsEndAtOnceWhenTheUserIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wake chan<- struct{}
		removed := false
		h := New(Options{
			Authenticate: func(context.Context, string) (*earshot.Caller, error) {
				if removed {
					return nil, earshot.ErrNotAuthenticated
				}
				return earshot.NewCaller(&earshot.User{Username: "ann"}), nil
			},
			AccessChanges: func(c chan<- struct{}) (stop func()) {
				wake = c
				return func() { wake = nil }
			},
		}, []Route{
			Handle("GET", "/events", SignedIn, func(context.Context, *earshot.Caller, struct{}) (Events, error) {
				return Events{Write: func(ctx context.Context, _ func(Event) error) error { <-ctx.Done(); return ctx.Err() }}, nil
			}),
		})
		began, w := time.Now(), httptest.NewRecorder()
		var listening sync.WaitGroup
		listening.Go(func() { h.ServeHTTP(w, httptest.NewRequest("GET", "/events?auth=x", nil)) })
		synctest.Wait()
		wake <- struct{}{} // another user changes
		synctest.Wait()
		removed = true
		wake <- struct{}{}
		listening.Wait()
		if took := time.Since(began); took != 0 || wake != nil {
			t.Errorf("ended after %v, want at once; subscribed %t, want false", took, wake != nil)
		}
		if got, want := w.Body.String(), ": listening\n\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestHeadRequestForEventsReturns(t *testing.T) {
	h := New(Options{}, []Route{
		Handle("GET", "/events", Public, func(context.Context, *earshot.Caller, struct{}) (Events, error) {
			return Events{Write: func(context.Context, func(Event) error) error { t.Error("called"); return nil }}, nil
		}),
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("HEAD", "/events", nil))
	if w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("got %d with %d bytes", w.Code, w.Body.Len())
	}
}

func TestEventsStopAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{}, []Route{
			Handle("GET", "/events", Public, func(context.Context, *earshot.Caller, struct{}) (Events, error) {
				return Events{Write: func(context.Context, func(Event) error) error { panic("oops") }}, nil
			}),
		})
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("the client cannot detect that the response is incomplete")
			}
			synctest.Wait() // fails unless all goroutines have ended
		}()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/events", nil))
	})
}

func TestEventsStartWithID(t *testing.T) {
	h := New(Options{}, []Route{
		Handle("GET", "/events", Public, func(context.Context, *earshot.Caller, struct{}) (Events, error) {
			return Events{From: "7-3", Write: func(_ context.Context, send func(Event) error) error {
				return send(Event{ID: "7-4", Data: []byte("{}")})
			}}, nil
		}),
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/events", nil))
	if got, want := w.Body.String(), ": listening\nid: 7-3\n\nid: 7-4\ndata: {}\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
