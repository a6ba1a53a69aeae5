package client

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// newClient returns a client of a server that uses the handler h.
func newClient(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &Client{Server: server.URL, Token: "secret", HTTP: server.Client()}
}

func TestCallSendsAndReturnsJSON(t *testing.T) {
	var got string
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprintf("%s %s %s %s %s", r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body)
		io.WriteString(w, `{"id":7}`)
	})
	response, err := c.Call(context.Background(), Request{
		Method: "POST",
		Path:   Path("manage", "v1", "a/b"),
		Query:  url.Values{"q": {"x & y"}},
		Body:   json.RawMessage(`{ "name" : "as it is" }`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `POST /manage/v1/a%2Fb?q=x+%26+y Bearer secret application/json { "name" : "as it is" }`
	if got != want {
		t.Errorf("request is %s\nwant %s", got, want)
	}
	if string(response) != `{"id":7}` {
		t.Errorf("response is %s", response)
	}
}

func TestCallErrors(t *testing.T) {
	tests := []struct {
		name     string
		status   int
		response string
		want     string
	}{
		{"message from Earshot", 404, `{"message":"Team 5 does not exist","status":"error"}`, "Team 5 does not exist"},
		{"error from a proxy", 502, "<html>bad gateway</html>", "the server responded with 502 Bad Gateway"},
		{"response is not JSON", 200, "<html>hello</html>", "the response is not JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.response)
			})
			_, err := c.Call(context.Background(), Request{Method: "GET", Path: "/"})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error is %v, want %s", err, tt.want)
			}
			var refused *Error
			if tt.status >= 400 && (!errors.As(err, &refused) || refused.Status != tt.status) {
				t.Errorf("error is %#v, want an Error with status %d", err, tt.status)
			}
		})
	}
}

func TestResponseWithoutBodyIsNil(t *testing.T) {
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	response, err := c.Call(context.Background(), Request{Method: "DELETE", Path: "/"})
	if response != nil || err != nil {
		t.Errorf("got %s, %v; want an empty response", response, err)
	}
}

func TestDownload(t *testing.T) {
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s", r.Method, r.RequestURI, r.Header.Get("Authorization"))
	})
	body, err := c.Download(context.Background(), Request{Method: "POST", Path: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); err != nil || string(got) != "POST /x Bearer secret" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestDownloadError(t *testing.T) {
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(403)
		io.WriteString(w, `{"message":"Access denied","status":"error"}`)
	})
	_, err := c.Download(context.Background(), Request{Method: "POST", Path: "/x"})
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != 403 || refused.Message != "Access denied" {
		t.Errorf("got %v, want the server's message", err)
	}
}

func TestServerAddressIsValidated(t *testing.T) {
	for _, server := range []string{"", "localhost:8080", "ftp://host", "http://"} {
		c := &Client{Server: server}
		_, err := c.Call(context.Background(), Request{Method: "GET", Path: "/"})
		want := fmt.Sprintf("server address %q must look like http://127.0.0.1:8080", server)
		if err == nil || err.Error() != want {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
}

func TestListReturnsAllPages(t *testing.T) {
	var requested []string
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		requested = append(requested, r.URL.RawQuery)
		if r.URL.Query().Get("cursor") == "" {
			io.WriteString(w, `{"items":[1,2],"next":"b"}`)
			return
		}
		io.WriteString(w, `{"items":[3]}`)
	})
	var got []string
	for item, err := range c.List(context.Background(), "/list", url.Values{"team": {"5"}}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(item))
	}
	if want := []string{"1", "2", "3"}; !slices.Equal(got, want) {
		t.Errorf("items are %v, want %v", got, want)
	}
	if want := []string{"limit=1000&team=5", "cursor=b&limit=1000&team=5"}; !slices.Equal(requested, want) {
		t.Errorf("requested %v, want %v", requested, want)
	}
}

func TestListDetectsRepeatedPages(t *testing.T) {
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"items":[1],"next":"same"}`)
	})
	var last error
	n := 0
	for _, err := range c.List(context.Background(), "/list", nil) {
		last = err
		n++
	}
	if n != 3 || last == nil || !strings.Contains(last.Error(), "same next page twice") {
		t.Errorf("%d steps, the last with %v; want 2 items and an error", n, last)
	}
}

func TestSendPostsCompressesLines(t *testing.T) {
	var got string
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Errorf("unpack: %v", err)
			return
		}
		body, _ := io.ReadAll(z)
		got = r.RequestURI + " " + r.Header.Get("Content-Encoding") + " " + string(body)
		io.WriteString(w, `{"accepted":1,"rejected":1,"errors":[{"line":2,"message":"no date"}]}`)
	})
	taken, err := c.SendPosts(context.Background(), []byte("{}\n{}\n"), url.Values{"documentType": {"9"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "/manage/v1/posts?documentType=9 gzip {}\n{}\n"; got != want {
		t.Errorf("request is %q, want %q", got, want)
	}
	if taken.Accepted != 1 || taken.Rejected != 1 || !slices.Equal(taken.Errors, []LineError{{2, "no date"}}) {
		t.Errorf("got %+v", taken)
	}
}

func TestSendPostsRetriesWhenServerIsBusy(t *testing.T) {
	responses := []struct {
		status int
		after  string
	}{{503, ""}, {429, "7"}, {503, "100000"}, {200, ""}}
	calls := 0
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		a := responses[calls]
		calls++
		if a.after != "" {
			w.Header().Set("Retry-After", a.after)
		}
		w.WriteHeader(a.status)
		io.WriteString(w, `{"accepted":1,"message":"later"}`)
	})
	var waits []time.Duration
	c.Wait = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	taken, err := c.SendPosts(context.Background(), []byte("{}\n"), nil)
	if err != nil || taken.Accepted != 1 {
		t.Fatalf("got %+v, %v", taken, err)
	}
	if want := []time.Duration{time.Second, 7 * time.Second, 2 * time.Minute}; !slices.Equal(waits, want) {
		t.Errorf("waited %v, want %v", waits, want)
	}
}

func TestSendPostsGivesUp(t *testing.T) {
	f := func(name string, status int, wantCalls int) {
		t.Run(name, func(t *testing.T) {
			calls := 0
			c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.WriteHeader(status)
				io.WriteString(w, `{"message":"no"}`)
			})
			c.Wait = func(context.Context, time.Duration) error { return nil }
			if _, err := c.SendPosts(context.Background(), nil, nil); err == nil || err.Error() != "no" {
				t.Errorf("error is %v, want no", err)
			}
			if calls != wantCalls {
				t.Errorf("%d calls, want %d", calls, wantCalls)
			}
		})
	}
	f("immediately if a retry cannot help", 400, 1)
	f("after the last wait if the server stays busy", 503, 7)
}

func TestWaitEndsWhenContextIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(503)
	})
	if _, err := c.SendPosts(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}

func TestRetryAfterParsesSecondsAndDates(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	f := func(value string, want time.Duration) {
		t.Helper()
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", value, got, want)
		}
	}
	f("", 0)
	f("5", 5*time.Second)
	f("-5", 0)
	f("soon", 0)
	f("99999999999999999999", 0)
	f("Wed, 01 May 2024 12:00:30 GMT", 30*time.Second)
	f("Wed, 01 May 2024 11:00:00 GMT", 0)
}
