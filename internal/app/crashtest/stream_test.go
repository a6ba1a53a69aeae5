package crashtest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEventsContinueAfterTheLastOneReceived(t *testing.T) {
	p, _ := serve(t, t.TempDir())
	s := newCoffeeStream(t, p)
	l := s.listen(t, "", "")
	s.upload(t, "a", "b")
	second := l.want(t, "a", "b")
	s.upload(t, "c")
	third := l.want(t, "c")
	l.body.Close()
	s.upload(t, "d", "e")
	s.await(t, 5)
	l = s.listen(t, "", third)
	l.want(t, "d", "e")
	s.upload(t, "f")
	l.want(t, "f")
	s.listen(t, "cursor=end", second).want(t, "c", "d", "e", "f") // the header takes precedence
}

func TestEveryListenerReceivesAllEvents(t *testing.T) {
	p, _ := serve(t, t.TempDir())
	s := newCoffeeStream(t, p)
	var listeners []*listener
	for range 3 {
		listeners = append(listeners, s.listen(t, "", ""))
	}
	var guids []string
	for i := range 25 {
		guids = append(guids, fmt.Sprint("p", i))
	}
	s.upload(t, guids...)
	for _, l := range listeners {
		l.want(t, guids...)
	}
	if got := s.read(t, len(guids), ""); !slices.Equal(got, guids) {
		t.Errorf("listening removed posts from the queue: %q is left", got)
	}
}

func TestStartOfEvents(t *testing.T) {
	p, _ := serve(t, t.TempDir())
	s := newCoffeeStream(t, p)
	s.upload(t, "a", "b", "c")
	s.await(t, 3)
	if got := s.read(t, 1, "count=1"); !slices.Equal(got, []string{"a"}) {
		t.Fatalf("took %q", got)
	}
	end := s.listen(t, "cursor=end", "")
	s.upload(t, "d")
	end.want(t, "d")
	s.listen(t, "", "").want(t, "b", "c", "d") // starts at the stored cursor
	s.listen(t, "cursor=0-0", "").want(t, "a", "b", "c", "d")
	if got := s.read(t, 3, ""); !slices.Equal(got, []string{"b", "c", "d"}) {
		t.Errorf("listening moved the stored cursor: %q is left", got)
	}
}

// TestAPostIsInItsStreamSoon checks the guarantee of two seconds with a large margin for slow
// machines. The benchmark measures the actual time.
func TestAPostIsInItsStreamSoon(t *testing.T) {
	p, _ := serve(t, t.TempDir())
	s := newCoffeeStream(t, p)
	s.upload(t, "a")
	began := time.Now()
	s.await(t, 1)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("a post was in its stream after %v", took)
	}
}

func TestTheStoredCursorSurvivesARestart(t *testing.T) {
	data := t.TempDir()
	p, stop := serve(t, data)
	s := newCoffeeStream(t, p)
	s.upload(t, "a", "b", "c", "d")
	s.await(t, 4)
	if got := s.read(t, 2, "count=2"); !slices.Equal(got, []string{"a", "b"}) {
		t.Fatalf("took %q", got)
	}
	l := s.listen(t, "cursor=0-0", "")
	third := l.want(t, "a", "b", "c")
	stop()

	s.process, _ = serve(t, data)
	s.upload(t, "e")
	s.await(t, 5)
	s.listen(t, "", third).want(t, "d", "e")
	s.listen(t, "", "").want(t, "c", "d", "e")
	if got := s.read(t, 3, ""); !slices.Equal(got, []string{"c", "d", "e"}) {
		t.Errorf("after a restart the queue has %q, want c, d and e", got)
	}
	if got := s.read(t, 5, "cursor=0-0"); strings.Join(got, "") != "abcde" {
		t.Errorf("after a restart the stream has %q, want all posts from a on", got)
	}
}

func TestListenersDoNotDelayShutdown(t *testing.T) {
	p, stop := serve(t, t.TempDir())
	s := newCoffeeStream(t, p)
	idle, busy := s.listen(t, "cursor=end", ""), s.listen(t, "", "")
	s.upload(t, "a")
	busy.want(t, "a")
	idle.want(t, "a")
	began := time.Now()
	stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it ended after %v", took)
	}
	for _, l := range []*listener{idle, busy} {
		if _, err := readEvent(l.lines); !errors.Is(err, io.EOF) {
			t.Errorf("listening ended with %v, want a clean end", err)
		}
	}
}
