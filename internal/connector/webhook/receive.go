package webhook

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/inbox"
	"earshot/internal/limit"
)

// Limits of a request. The size of its body is also limited where it is read.
const (
	maxItems  = 10_000
	maxErrors = 100 // explained in a response; the others are only counted
)

// An answer is the body of a response: what happened to the items of a request.
type answer struct {
	Accepted int         `json:"accepted"`
	Rejected int         `json:"rejected"`
	Errors   []itemError `json:"errors"`
}

// An itemError describes an invalid item.
type itemError struct {
	Item    int    `json:"item"` // index in the request, from 0
	Message string `json:"message"`
}

func (a answer) response() connector.Response {
	status := http.StatusAccepted
	if a.Accepted == 0 && a.Rejected > 0 {
		status = http.StatusUnprocessableEntity
	}
	return connector.Response{Status: status, Body: a}
}

var errNotRunning = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: 10 * time.Second,
	Message: "The source is not running. Please send the request again later"}

// Receive implements [connector.Receiver].
func (w *webhook) Receive(ctx context.Context, r connector.Request) (connector.Response, error) {
	s := w.currentSession()
	if refusal := w.verifier.verify(r.Header, r.Body, w.env.Now()); refusal != "" {
		s.count(connector.Counters{Skipped: map[string]int64{refusal: 1}})
		return connector.Response{}, earshot.Errorf(earshot.Unauthenticated, "Refused: %s", refusal)
	}
	if len(r.Body) > limit.MaxIngestBody {
		return connector.Response{}, earshot.Errorf(earshot.TooLarge, "The body is larger than %d bytes; send fewer posts per request", limit.MaxIngestBody)
	}
	id := r.Header.Get("webhook-id")
	if id == "" || s == nil {
		a, err := w.handle(ctx, s, r.Body)
		return a.response(), err
	}
	a, err := w.once(ctx, id, func() (answer, error) { return w.handle(ctx, s, r.Body) })
	return a.response(), err
}

// count adds to the counters of the source. It does nothing without a session.
func (s *session) count(c connector.Counters) {
	if s != nil {
		s.sink.Count(c)
	}
}

// handle stores the valid items of a body. Without a session it only decodes them, for
// [webhook.Sample].
func (w *webhook) handle(ctx context.Context, s *session, body []byte) (answer, error) {
	select {
	case w.decoding <- struct{}{}:
	case <-ctx.Done():
		return answer{}, busy(ctx.Err())
	}
	changes, a, err := func() ([]inbox.Change, answer, error) {
		defer func() { <-w.decoding }() // even after a panic
		return w.decode(ctx, s, body)
	}()
	if err != nil {
		return answer{}, err
	}
	if s == nil {
		return answer{}, errNotRunning
	}
	s.count(a.counters(len(body)))
	if len(changes) == 0 {
		return a, nil
	}
	return a, s.store(ctx, changes)
}

func (a answer) counters(bytes int) connector.Counters {
	c := connector.Counters{Events: int64(a.Accepted + a.Rejected), Bytes: int64(bytes)}
	if a.Rejected > 0 {
		c.Skipped = map[string]int64{"invalid item": int64(a.Rejected)}
	}
	return c
}

// store passes changes to Run and waits until they are stored.
func (s *session) store(ctx context.Context, changes []inbox.Change) error {
	d := &delivery{changes: changes, stored: make(chan error, 1)}
	select {
	case s.requests <- d:
	case <-s.done:
		return errNotRunning
	case <-ctx.Done():
		return busy(ctx.Err())
	}
	select {
	case err := <-d.stored: // Run sends it before it returns
		if err != nil {
			return busy(err)
		}
		return nil
	case <-ctx.Done():
		return busy(ctx.Err())
	}
}

// busy returns the error for posts that could not be stored now.
func busy(err error) error {
	var readable *earshot.Error
	if errors.As(err, &readable) {
		return readable
	}
	return &earshot.Error{Kind: earshot.Unavailable, RetryAfter: 10 * time.Second, Err: err,
		Message: "The posts could not be stored. Please send the request again later"}
}

// A decoder turns bodies into changes. It is safe for concurrent use.
type decoder struct {
	box     *inbox.Inbox
	mapping *mapping // nil: bodies have the format of an import
}

func (w *webhook) newDecoder(ctx context.Context) (*decoder, error) {
	m, err := parseMapping(w.env.Settings["mapping"])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", connector.ErrAttention, err)
	}
	box, err := inbox.Open(ctx, w.env)
	return &decoder{box, m}, err
}

// decode decodes a body and remembers its posts for Sample.
func (w *webhook) decode(ctx context.Context, s *session, body []byte) (changes []inbox.Change, a answer, err error) {
	var d *decoder
	if s != nil {
		d = s.decoder
	} else if d, err = w.newDecoder(ctx); err != nil {
		return nil, answer{}, err
	}
	changes, a, err = d.decode(body)
	if err != nil {
		return nil, answer{}, err
	}
	w.recent.add(w.env.Source.ID, changes, w.env.Now())
	return changes, a, nil
}

// decode returns the valid items of a body, and an answer that counts and explains the others. An
// error is about the request as a whole.
func (d *decoder) decode(body []byte) (changes []inbox.Change, a answer, err error) {
	a.Errors = []itemError{}
	for data, err := range d.records(body) {
		var whole *earshot.Error
		if errors.As(err, &whole) {
			return nil, answer{}, whole
		}
		i := a.Accepted + a.Rejected
		if i == maxItems {
			return nil, answer{}, earshot.Errorf(earshot.TooLarge, "The request has more than %d posts; send fewer per request", maxItems)
		}
		c, problem := inbox.Change{}, ""
		if err != nil {
			problem = err.Error()
		} else {
			c, problem = d.box.Read(data)
		}
		if problem == "" {
			a.Accepted++
			changes = append(changes, c)
			continue
		}
		if a.Rejected++; len(a.Errors) < maxErrors {
			a.Errors = append(a.Errors, itemError{i, problem})
		}
	}
	return changes, a, nil
}

func (d *decoder) records(body []byte) iter.Seq2[[]byte, error] {
	if d.mapping != nil {
		return mappedRecords(d.mapping, body)
	}
	return records(body)
}
