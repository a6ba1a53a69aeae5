package natsnode_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"earshot/internal/state/natsnode"
)

func TestRequest(t *testing.T) {
	n, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	subject := n.Subject("echo", "node-1")
	if want := "earshot." + n.Installation() + ".echo.node-1"; subject != want {
		t.Errorf("got subject %s, want %s", subject, want)
	}
	if _, err := n.Request(t.Context(), subject, nil); !errors.Is(err, natsnode.ErrNoResponder) {
		t.Errorf("before Serve: got %v, want ErrNoResponder", err)
	}
	stop, err := n.Serve(subject, func(_ context.Context, request []byte) ([]byte, error) {
		if string(request) == "fail" {
			return []byte("ignored"), errors.New("two\nlines")
		}
		return append([]byte("you said "), request...), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var requests sync.WaitGroup
	for i := range 100 { // more than are served at the same time
		requests.Go(func() {
			text := strconv.Itoa(i)
			if got, err := n.Request(t.Context(), subject, []byte(text)); err != nil || string(got) != "you said "+text {
				t.Errorf("got %q, %v, want an echo of %s", got, err, text)
			}
		})
	}
	requests.Wait()
	_, err = n.Request(t.Context(), subject, []byte("fail"))
	var remote *natsnode.RemoteError
	if !errors.As(err, &remote) || remote.Message != "two lines" {
		t.Errorf("got %v, want the error of the handler on one line", err)
	}
	stop()
	if _, err := n.Request(t.Context(), subject, nil); !errors.Is(err, natsnode.ErrNoResponder) {
		t.Errorf("after stop: got %v, want ErrNoResponder", err)
	}
}

func TestServeStopWaitsForRunningCalls(t *testing.T) {
	n, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	started, ended := make(chan struct{}), false
	stop, err := n.Serve("s", func(ctx context.Context, _ []byte) ([]byte, error) {
		close(started)
		<-ctx.Done()
		ended = true
		return nil, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	go n.Request(t.Context(), "s", nil)
	<-started
	stop()
	if !ended {
		t.Error("stop returned before the running call")
	}
}
