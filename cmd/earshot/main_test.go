package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A fakeServer records requests and responds from a list.
type fakeServer struct {
	*httptest.Server
	requests []string   // METHOD path?query body
	tokens   []string   // Authorization header of each request
	answers  []response // the last one is repeated
}

type response struct {
	status int
	body   string
	before func() // called before the response is sent
}

func newServer(t *testing.T, answers ...response) *fakeServer {
	t.Helper()
	s := &fakeServer{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Errorf("unpack: %v", err)
				return
			}
			in = z
		}
		body, _ := io.ReadAll(in)
		s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
		s.tokens = append(s.tokens, r.Header.Get("Authorization"))
		a := s.answers[min(len(s.requests), len(s.answers))-1]
		if a.before != nil {
			a.before()
		}
		w.WriteHeader(a.status)
		io.WriteString(w, a.body)
	}))
	t.Cleanup(s.Close)
	return s
}

// A result is the outcome of a command line.
type result struct {
	code     int
	out, err string
}

// A world is the environment that a command line runs in.
type world struct {
	in       string
	environ  []string
	cacheDir string // empty: no cache directory
	terminal bool   // a person answers questions with in
}

func (w world) run(ctx context.Context, server string, args ...string) result {
	var out, errs bytes.Buffer
	p := &program{
		in:      strings.NewReader(w.in),
		out:     &out,
		err:     &errs,
		environ: append(w.environ, "EARSHOT_SERVER="+server),

		interactive: w.terminal,
		cacheDir: func() (string, error) {
			if w.cacheDir == "" {
				return "", errors.New("no cache directory")
			}
			return w.cacheDir, nil
		},
		wait: func(context.Context, time.Duration) error { return nil },
	}
	code := p.run(ctx, args)
	return result{code, out.String(), slowServer.ReplaceAllString(errs.String(), "")}
}

// slowServer matches a warning of the embedded NATS server on a busy machine.
var slowServer = regexp.MustCompile(`(?m)^.*level=WARN msg="nats: Internal subscription on .* took too long: .*\n`)
