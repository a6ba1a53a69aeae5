package rest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is an in-process network. Its deadlines use the virtual clock of the test.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.accepted <- server
	return client, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// post sends a body to a [Server] and returns the response as text.
func post(t *testing.T, h http.Handler, body io.Reader) string {
	network := newPipes()
	s := Server("", h)
	go func() { _ = s.Serve(network) }()
	defer s.Close()
	transport := &http.Transport{DialContext: network.Dial}
	defer transport.CloseIdleConnections()

	resp, err := (&http.Client{Transport: transport}).Post("http://server/x", "", body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, _ := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, got)
}

func TestSlowStreamDoesNotTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{}, []Route{Handle("POST", "/x", Public, countLines)})
		body := &slowBody{lines: 20, wait: func() { time.Sleep(50 * time.Second) }}
		if got, want := post(t, h, body), "200 20"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestSlowBodyTimesOutAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{}, []Route{Handle("POST", "/x", Public, showBody)})
		body := &slowBody{lines: 20, wait: func() { time.Sleep(50 * time.Second) }}
		began := time.Now()
		got, want := post(t, h, body), "400 "+failureBody("Invalid request body: it did not arrive in time")
		if took := time.Since(began); got != want || took > 2*time.Minute {
			t.Errorf("got %s after %v, want %s", got, took, want)
		}
		time.Sleep(time.Minute) // the client notices when it sends the next line
	})
}
