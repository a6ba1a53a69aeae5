package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/connectortest"
	"earshot/internal/connector/webhook"
	"earshot/internal/test/testenv"
)

func TestContract(t *testing.T) { connectortest.Run(t, testenv.Race, newFake) }

const token = "a token that nobody guesses"

// A sender is a program that sends posts, one request after another, and repeats each until it is
// accepted.
type sender struct {
	clock connectortest.Clock

	mu     sync.Mutex // guards the fields below
	to     connector.Receiver
	queue  []*message
	cancel context.CancelFunc // of the request that is being sent
	wake   chan struct{}
	posts  int
	sent   int
}

type message struct {
	header   http.Header
	body     string
	hopeless bool // is not accepted, and not repeated
}

func newFake(t *testing.T, clock connectortest.Clock) *connectortest.Fake {
	s := &sender{clock: clock, wake: make(chan struct{}, 1)}
	kind := webhook.Kind()
	create := kind.New
	kind.New = func(e connector.Env) connector.Connector {
		c := create(e)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.to = c.(connector.Receiver)
		return c
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return &connectortest.Fake{
		Kind:    kind,
		Secret:  strings.ReplaceAll(token, " ", "-"),
		Source:  earshot.LiveSource{Name: "Shop", Team: 3, ContentSource: 9},
		Publish: s.publish,
		Edit: func(guid string) string {
			s.mu.Lock()
			s.posts++
			word := fmt.Sprint("version", s.posts)
			s.mu.Unlock()
			s.send(false, post(guid, connectortest.Word+" "+word))
			return word
		},
		Delete: func(guid string) { s.send(false, fmt.Sprintf(`{"guid":"%s","deleted":true}`, guid)) },
		Disconnect: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.cancel != nil {
				s.cancel()
			}
		},
		Junk: func(n int) {
			for range n {
				for _, body := range []string{"", "\x00\xff\xfe", "[1,null,\"\"]", `{"guid":"junk","date":"2026-03-01","contents":"\xff"}`,
					`{"items":5}`, strings.Repeat("[", 20_000), `{"guid":"` + strings.Repeat("x", 2<<20) + `"}`, strings.Repeat("x", 11<<20)} {
					s.send(true, body)
				}
			}
		},
	}
}

func post(guid, text string) string {
	return fmt.Sprintf(`{"guid":"%s","date":"2026-03-10T12:00:00Z","contents":"%s"}`, guid, text)
}

func (s *sender) publish(n int) (guids []string) {
	s.mu.Lock()
	first := s.posts
	s.posts += n
	s.mu.Unlock()
	var bodies []string
	for i := range n {
		guids = append(guids, fmt.Sprint("g", first+i))
		bodies = append(bodies, post(guids[i], connectortest.Word+" is here"))
	}
	for chunk := range slices.Chunk(bodies, 7) {
		s.send(false, "["+strings.Join(chunk, ",")+"]")
	}
	return guids
}

func (s *sender) send(hopeless bool, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
	h := http.Header{}
	h.Set("Authorization", "Bearer "+strings.ReplaceAll(token, " ", "-"))
	h.Set("webhook-id", fmt.Sprint("msg", s.sent))
	s.queue = append(s.queue, &message{h, body, hopeless})
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run sends the messages in order until ctx ends.
func (s *sender) run(ctx context.Context) {
	for ctx.Err() == nil {
		s.mu.Lock()
		var next *message
		if len(s.queue) > 0 && s.to != nil {
			next = s.queue[0]
		}
		to := s.to
		attempt, cancel := context.WithCancel(ctx)
		s.cancel = cancel
		s.mu.Unlock()
		if next == nil {
			select {
			case <-s.wake:
			case <-time.After(5 * time.Millisecond):
			case <-ctx.Done():
			}
			cancel()
			continue
		}
		r, err := to.Receive(attempt, connector.Request{Header: next.header, Body: []byte(next.body)})
		cancel()
		var refused *earshot.Error
		final := err == nil || next.hopeless && errors.As(err, &refused) && refused.Kind != earshot.Unavailable
		if err == nil && !next.hopeless && r.Status != http.StatusAccepted {
			panic(fmt.Sprintf("%.200s was answered %d %+v", next.body, r.Status, r.Body))
		}
		if final {
			s.mu.Lock()
			s.queue = s.queue[1:]
			s.mu.Unlock()
			continue
		}
		_ = s.clock.Wait(ctx, time.Millisecond)
	}
}
