package chhttp

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"
)

// newFake returns a client of a server that answers as told.
func newFake(t *testing.T, o Options, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	o.URL = server.URL
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	c.wait = func(context.Context, time.Duration) error { return nil }
	t.Cleanup(c.Close)
	return c
}

// block returns a block with one column of numbers.
func block(numbers ...uint64) []byte {
	column := proto.ColUInt64(numbers)
	var b proto.Buffer
	if err := (proto.Block{Columns: 1, Rows: len(numbers)}).EncodeRawBlock(&b, protocol, proto.Input{{Name: "n", Data: &column}}); err != nil {
		panic(err)
	}
	return b.Buf
}

// numbers runs a query and returns the numbers that it yields before it ends.
func numbers(ctx context.Context, c *Client) ([]uint64, error) {
	var column proto.ColUInt64
	var got []uint64
	err := c.Query(ctx, Statement{SQL: "SELECT n"}, proto.Results{{Name: "n", Data: &column}}, func(int) error {
		got = append(got, column...)
		return nil
	})
	return got, err
}

func TestResponses(t *testing.T) {
	const text = "Code: 395. DB::Exception: too far: while executing. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO) (version 26.7.2.1 (official build))"
	want := &Error{Code: 395, Name: "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", Message: "too far: while executing.", Status: 200}
	abort := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	end := func(http.ResponseWriter) {}
	tagged := "__exception__\r\nTAG\r\n" + text + "\n124 TAG\r\n__exception__\r\n"
	tests := []struct {
		name   string
		tag    string
		pieces []string
		end    func(http.ResponseWriter)
		rows   int
		want   *Error // nil: no error of the server
		text   string // of another error; empty: success
	}{
		{name: "no rows", end: end},
		{name: "a block without rows", pieces: []string{string(block())}, end: end},
		{name: "blocks", pieces: []string{string(block(1, 2)), string(block()), string(block(3))}, end: end, rows: 3},
		{name: "a block in pieces", pieces: []string{string(block(1, 2))[:9], string(block(1, 2))[9:]}, end: end, rows: 2},
		{name: "an exception after rows", tag: "TAG", pieces: []string{string(block(1)), tagged}, end: abort, rows: 1, want: want},
		{name: "an exception after a line break", tag: "TAG", pieces: []string{string(block(1)), "\r\n" + tagged}, end: abort, rows: 1, want: want},
		{name: "an exception in pieces", tag: "TAG", pieces: []string{string(block(1)) + tagged[:5], tagged[5:40], tagged[40:]}, end: abort, rows: 1, want: want},
		{name: "an exception and a proper end", tag: "TAG", pieces: []string{string(block(1)), tagged}, end: end, rows: 1, want: want},
		{name: "an exception within a block", tag: "TAG", pieces: []string{string(block(1)), string(block(2, 3))[:12], tagged}, end: abort, rows: 3, want: want},
		{name: "an exception as part of a block", tag: "TAG", pieces: []string{"\x01\x20\x01n\x06UInt64" + strings.Repeat("x", 32*8-len(tagged)), tagged}, end: end, rows: 32, want: want},
		{name: "an exception of an older server", pieces: []string{string(block(1)), "__exception__\r\n" + text}, end: abort, rows: 1, want: want},
		{name: "an exception without a mark", pieces: []string{string(block(1)), text}, end: end, rows: 1, want: want},
		{name: "the connection breaks between blocks", tag: "TAG", pieces: []string{string(block(1))}, end: abort, rows: 1, text: "incomplete response"},
		{name: "the connection breaks within a block", tag: "TAG", pieces: []string{string(block(1, 2))[:12]}, end: abort, text: "incomplete response"},
		{name: "the response ends within a block", tag: "TAG", pieces: []string{string(block(1, 2))[:12]}, end: end, text: "invalid response"},
		{name: "content that looks like an exception", tag: "TAG", pieces: []string{string(block(1)), "\x01\x01\x01n\x06String" + "\x7d" + text[:125]}, end: end, rows: 1, text: "invalid response"},
		{name: "another column", pieces: []string{strings.Replace(string(block(1)), "n", "m", 1)}, end: end, text: "unexpected column"},
		{name: "another type", pieces: []string{strings.Replace(string(block(1)), "UInt64", "Int128", 1)}, end: end, text: "unexpected type"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newFake(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
				if test.tag != "" {
					w.Header().Set("X-ClickHouse-Exception-Tag", test.tag)
				}
				for _, piece := range test.pieces {
					_, _ = io.WriteString(w, piece)
					_ = http.NewResponseController(w).Flush()
				}
				test.end(w)
			})
			rows, err := numbers(t.Context(), c)
			e, isError := errors.AsType[*Error](err)
			switch {
			case len(rows) != test.rows:
				t.Errorf("%d rows, want %d: %v", len(rows), test.rows, err)
			case test.want != nil:
				if !isError || *e != *test.want {
					t.Errorf("got %#v, want %#v", err, test.want)
				}
			case isError || (err == nil) != (test.text == "") || err != nil && !strings.Contains(err.Error(), test.text):
				t.Errorf("got %v, want %q", err, test.text)
			}
		})
	}
}

func TestResponseWithoutLength(t *testing.T) {
	c := newFake(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+string(block(1)))
	})
	if rows, err := numbers(t.Context(), c); err == nil || !strings.Contains(err.Error(), "its end cannot be recognized") {
		t.Errorf("got %v, %v", rows, err)
	}
}

func TestStatusErrors(t *testing.T) {
	long := strings.Repeat("é", 5000)
	f := func(status int, code, body string, want Error) {
		t.Helper()
		c := newFake(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
			if code != "" {
				w.Header().Set("X-ClickHouse-Exception-Code", code)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
		want.Status = status
		for name, err := range map[string]error{
			"Exec":  c.Exec(t.Context(), Statement{SQL: "SELECT 1"}),
			"Query": c.Query(t.Context(), Statement{SQL: "SELECT 1"}, nil, nil),
		} {
			if e, ok := errors.AsType[*Error](err); !ok || *e != want {
				t.Errorf("%s: got %#v, want %#v", name, err, want)
			}
		}
	}
	f(404, "60", "Code: 60. DB::Exception: Unknown table t. (UNKNOWN_TABLE) (version 26.7.2.1)\n", Error{Code: 60, Name: "UNKNOWN_TABLE", Message: "Unknown table t."})
	f(500, "", "Code: 241. DB::Exception: Memory (total) limit. (MEMORY_LIMIT_EXCEEDED)", Error{Code: 241, Name: "MEMORY_LIMIT_EXCEEDED", Message: "Memory (total) limit."})
	f(403, "516", "Code: 516. DB::Exception: x: Authentication failed. (AUTHENTICATION_FAILED) (version 26.3.1.1 (official build))", Error{Code: 516, Name: "AUTHENTICATION_FAILED", Message: "x: Authentication failed."})
	f(400, "1000", "Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Field value too long", Error{Code: 1000, Message: "e.code() = 0, HTML Form Exception: Field value too long"})
	f(200, "62", "Code: 62. DB::Exception: Syntax error. (SYNTAX_ERROR)", Error{Code: 62, Name: "SYNTAX_ERROR", Message: "Syntax error."})
	f(502, "", "<html>Bad Gateway</html>", Error{Message: "<html>Bad Gateway</html>"})
	f(301, "", "", Error{})
	f(500, "1", "Code: 1. DB::Exception: "+long+"\xff", Error{Code: 1, Message: long[:2000] + "..."})
}

func TestInsertRepeats(t *testing.T) {
	const ok = "ok"
	tests := []struct {
		name     string
		answers  []string // code, "break", "502" or ok
		attempts int
		want     string // of the error
	}{
		{"success", []string{ok}, 1, ""},
		{"the connection breaks", []string{"break", "break", ok}, 3, ""},
		{"unknown whether it was written", []string{"319", ok}, 2, ""},
		{"too many parts", []string{"252", "252", "252", "252", ok}, 5, ""},
		{"the server restarts", []string{"236", "break", "502", ok}, 4, ""},
		{"the last attempt is final", []string{"210", "210", "210", "210", "242", ok}, 5, "error 242"},
		{"a wrong type", []string{"53", ok}, 1, "error 53"},
		{"no privileges", []string{"319", "497", ok}, 2, "error 497"},
		{"a table that does not exist", []string{"60", ok}, 1, "error 60"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var mu sync.Mutex
			var bodies []string // guarded by mu: after a broken connection, two handlers may run at once
			var log bytes.Buffer
			c := newFake(t, Options{Password: "secret", Log: slog.New(slog.NewTextHandler(&log, nil))}, func(w http.ResponseWriter, r *http.Request) {
				b, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				bodies = append(bodies, r.URL.Query().Get("query")+string(b))
				answer := test.answers[len(bodies)-1]
				mu.Unlock()
				switch answer {
				case ok:
				case "break":
					panic(http.ErrAbortHandler)
				case "502":
					w.WriteHeader(http.StatusBadGateway)
				default:
					w.Header().Set("X-ClickHouse-Exception-Code", answer)
					w.WriteHeader(http.StatusInternalServerError)
				}
			})
			c.http.Transport.(*http.Transport).DisableKeepAlives = true // otherwise it repeats itself
			column := proto.ColUInt64{1}
			err := c.Insert(t.Context(), "t", "token", proto.Input{{Name: "n", Data: &column}})
			mu.Lock()
			defer mu.Unlock()
			if len(bodies) != test.attempts || len(slices.Compact(bodies)) != 1 {
				t.Errorf("%d attempts, want %d equal ones: %q", len(bodies), test.attempts, bodies)
			}
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if strings.Count(log.String(), "inserting again") != test.attempts-1 || strings.Contains(log.String(), "secret") {
				t.Errorf("log: %s", &log)
			}
		})
	}
}

func TestInsertEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newFake(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(http.StatusBadGateway)
	})
	column := proto.ColUInt64{1}
	c.wait = wait
	if err := c.Insert(ctx, "t", "token", proto.Input{{Name: "n", Data: &column}}); err == nil {
		t.Error("a canceled insert succeeded")
	}
}

func TestTimeout(t *testing.T) {
	c := newFake(t, Options{Timeout: time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	if _, err := numbers(t.Context(), c); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "took too long") {
		t.Errorf("query: %v", err)
	}
	column := proto.ColUInt64{1}
	err := c.Insert(t.Context(), "t", "token", proto.Input{{Name: "n", Data: &column}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("insert: %v", err)
	}
}

// Errors and logs never contain values, user or password.
func TestSecrets(t *testing.T) {
	c, err := New(Options{URL: "http://127.0.0.1:1", User: "name-of-user", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	var args Args
	err = c.Exec(t.Context(), Statement{SQL: "SELECT " + args.String("value"), Args: &args})
	if err == nil || strings.Contains(err.Error(), "value") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "name-of-user") {
		t.Errorf("got %v", err)
	}
	for _, address := range []string{"http://user:secret@host", "http://host\x7f/secret", "clickhouse://secret", "http://host?password=secret", ""} {
		if _, err := New(Options{URL: address}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", address, err)
		}
	}
}

func TestHeaders(t *testing.T) {
	var got http.Header
	c := newFake(t, Options{User: "u", Password: "p", Database: "d"}, func(_ http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		if r.URL.Query().Get("database") != "d" || r.URL.Query().Has("password") || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL)
		}
	})
	if err := c.Exec(t.Context(), Statement{SQL: "SELECT 1"}); err != nil {
		t.Fatal(err)
	}
	if got.Get("X-ClickHouse-User") != "u" || got.Get("X-ClickHouse-Key") != "p" {
		t.Errorf("got %v", got)
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(block(7)) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that fails
	defer server.Close()
	authorities := x509.NewCertPool()
	authorities.AddCert(server.Certificate())
	for _, test := range []struct {
		config *tls.Config
		want   string
	}{{&tls.Config{RootCAs: authorities}, ""}, {nil, "certificate"}} {
		c, err := New(Options{URL: server.URL, TLS: test.config})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		rows, err := numbers(t.Context(), c)
		if (err == nil) != (test.want == "") || err == nil && !slices.Equal(rows, []uint64{7}) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, %v; want %q", rows, err, test.want)
		}
	}
}

func TestObserve(t *testing.T) {
	var got []Observation
	c := newFake(t, Options{Observe: func(o Observation) { got = append(got, o) }}, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if strings.HasPrefix(string(b), "SELECT") {
			_, _ = w.Write(block(1, 2, 3))
		} else {
			w.Header().Set("X-ClickHouse-Exception-Code", "60")
		}
	})
	if _, err := numbers(t.Context(), c); err != nil {
		t.Error(err)
	}
	column := proto.ColUInt64{1, 2}
	_ = c.Insert(t.Context(), "t", "token", proto.Input{{Name: "n", Data: &column}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = c.Exec(ctx, Statement{SQL: "DROP TABLE t"})
	for i := range got {
		got[i].Duration = 0
	}
	want := []Observation{{Kind: "query", Rows: 3}, {Kind: "insert", Code: 60, Rows: 2}, {Kind: "exec", Code: -1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
