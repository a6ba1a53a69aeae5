// Package webhook receives posts that other programs send to POST /ingest/v1/ID.
//
//	request ──► verify ──► decode, map, validate ──► Run ──► Sink.Deliver ──► 202
//	  token or      │ 401          │ 422               │ one batch for all
//	  signature     │              │                   │ waiting requests
//
// For example, a program posts {"guid":"17","date":"2026-03-10T12:00:00Z","contents":"Hello"} with
// its token. The response {"accepted":1,"rejected":0,"errors":[]} means that the post is on disk. If
// the program gets no response, it sends the request again: posts have keys, so receiving one twice
// has no effect, and a request with a known webhook-id gets the same response as the first one.
package webhook

import (
	"context"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/inbox"
)

// Kind returns the kind of sources that receive requests.
func Kind() connector.Kind {
	recent := &recentPosts{}
	return connector.Kind{
		Name: "webhook", Title: "Webhook",
		Description: "Receives posts from your own programs or other services.",
		Secret:      "signing secret or token",
		Keep:        earshot.KeepAll,
		Receives:    true,
		Settings: []connector.Setting{
			inbox.NetworkSetting(),
			{Name: "mapping", Title: "Field mapping", Long: true,
				Help: "Needed only if requests do not use the fields of an import. One line per field, such as contents = data.text. items = payload.posts[] locates the posts. Put constants in quotes."},
		},
		Check: func(s connector.Settings, secret string) error {
			if err := checkSecrets(secret); err != nil {
				return err
			}
			if err := inbox.CheckNetwork(s); err != nil {
				return err
			}
			_, err := parseMapping(s["mapping"])
			return err
		},
		Sources: inbox.Sources,
		New: func(e connector.Env) connector.Connector {
			return &webhook{env: e, verifier: newVerifier(e.Secret), recent: recent, flights: map[string]*flight{}, decoding: make(chan struct{}, maxDecoding)}
		},
	}
}

// maxDecoding is the number of requests that a source decodes at the same time, because a decoded
// body needs much more memory than the body itself.
const maxDecoding = 4

// A webhook is a source.
type webhook struct {
	env      connector.Env
	verifier verifier
	recent   *recentPosts
	decoding chan struct{} // semaphore

	mu      sync.Mutex         // guards the fields below
	session *session           // nil while Run does not run
	flights map[string]*flight // requests being handled, by webhook-id
}

var _ connector.Receiver = (*webhook)(nil)

// A session is a call of Run.
type session struct {
	decoder  *decoder
	sink     connector.Sink // other goroutines than Run's may call only Count
	requests chan *delivery
	done     chan struct{} // closed when Run returns
}

// A delivery is the posts of a request on their way to the sink.
type delivery struct {
	changes []inbox.Change
	stored  chan error // receives one value
}

// Run implements [connector.Connector]. It passes the posts in requests to the sink, in one batch for
// all waiting requests. The cursor is not used.
func (w *webhook) Run(ctx context.Context, _ string, sink connector.Sink) error {
	d, err := w.newDecoder(ctx)
	if err != nil {
		return err
	}
	s := &session{decoder: d, sink: sink, requests: make(chan *delivery), done: make(chan struct{})}
	w.setSession(s)
	defer close(s.done)
	defer w.setSession(nil)

	var forgetting sync.WaitGroup
	defer forgetting.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var forgotten time.Time
	sink.Report(connector.State{Phase: connector.Live})
	for {
		if now := w.env.Now(); now.Sub(forgotten) > forgetInterval {
			forgotten = now
			forgetting.Go(func() { w.forget(ctx, now) })
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case first := <-s.requests:
			if err := s.deliver(ctx, first); err != nil {
				return err
			}
		}
	}
}

func (w *webhook) setSession(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session = s
}

func (w *webhook) currentSession() *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session
}

// deliver stores the posts of a request and of the requests that wait behind it.
func (s *session) deliver(ctx context.Context, first *delivery) (err error) {
	waiting := []*delivery{first}
	defer func() {
		for _, d := range waiting {
			d.stored <- err
		}
	}()
	var b inbox.Batch
	for i := 0; i < len(waiting); i++ {
		for _, c := range waiting[i].changes {
			b.Add(c)
			if b.Full() {
				if err := s.decoder.box.Deliver(ctx, s.sink, b.Take("")); err != nil {
					return err
				}
			}
		}
		if i == len(waiting)-1 && !b.Empty() {
			select {
			case next := <-s.requests:
				waiting = append(waiting, next)
			default:
			}
		}
	}
	if b.Empty() {
		return nil
	}
	return s.decoder.box.Deliver(ctx, s.sink, b.Take(""))
}

// Sample implements [connector.Connector]. It returns posts that were received recently, or waits
// for some. A source that is not saved yet has no endpoint that could receive any.
func (w *webhook) Sample(ctx context.Context, n int) ([]earshot.Post, error) {
	for {
		posts := w.recent.list(w.env.Source.ID, n, w.env.Now())
		if len(posts) > 0 || w.env.Source.ID == 0 {
			return posts, nil
		}
		if w.env.Wait(ctx, samplePoll) != nil {
			return nil, nil
		}
	}
}

const samplePoll = 200 * time.Millisecond
