package chhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"earshot"
)

// A server that hangs accepts connections and never answers. One that runs a long statement does not
// answer either, so the time of a statement tells nothing. Instead, a client asks the server at each
// interval whether it answers anything, and counts the probes since the last answer.
//
// Probes are counted, not timed: a process that gets no processor time sends none, so a busy machine
// makes it more patient. With ProbeInterval, a server is slow after 2 to 2.5 seconds, and silent after
// 3.5 to 4. Queries must fail within 5 seconds.
const (
	ProbeInterval = 500 * time.Millisecond

	slowProbes   = 5
	silentProbes = 8
	probeTimeout = 20 // intervals; an answer that takes longer than silentProbes still counts
)

var (
	errSlow   = &networkError{errors.New("the server has not answered for some seconds")}
	errSilent = &networkError{errors.New("the server does not answer")}
)

// health is the state of the server as a client knows it.
type health struct {
	mu     sync.Mutex
	missed int             // guarded by mu; probes since the last answer
	up     context.Context // guarded by mu; canceled while the server is silent
	fail   context.CancelFunc
}

func newHealth() *health {
	h := new(health)
	h.up, h.fail = context.WithCancel(context.Background())
	return h
}

func (h *health) probed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.missed++; h.missed >= silentProbes {
		h.fail()
	}
}

// answered notes that the server has answered.
func (h *health) answered() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.missed = 0
	if h.up.Err() != nil {
		h.up, h.fail = context.WithCancel(context.Background())
	}
}

// get returns the number of probes since the last answer, and a context that is canceled while the
// server is silent.
func (h *health) get() (missed int, up context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.missed, h.up
}

// Watch probes the server at each interval until ctx is done. Queries and inserts then end with an error
// if the server stops answering, and begin again to work when it answers a probe. A statement may take
// as long as it needs while the server answers probes. Without Watch, statements wait.
func (c *Client) Watch(ctx context.Context, interval time.Duration) {
	// Probes have their own connections, so that they need not wait for statements.
	transport := c.http.Transport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	var probes sync.WaitGroup
	defer probes.Wait()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c.health.probed()
		probes.Go(func() { c.probe(ctx, transport, probeTimeout*interval) })
	}
}

// heard notes that the server has answered, unless a proxy reports that it is down.
func (c *Client) heard(resp *http.Response) {
	if resp.Header.Get("X-ClickHouse-Exception-Code") != "" || !retryable(&Error{Status: resp.StatusCode}) {
		c.health.answered()
	}
}

// probe asks the server to answer anything, also an error.
func (c *Client) probe(ctx context.Context, transport http.RoundTripper, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := c.newRequest(ctx, request{kind: "query", sql: "SELECT 1 SETTINGS log_queries = 0"})
	if err != nil {
		return
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	c.heard(resp)
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorText)) // so that the connection is used again
}

// Err returns why statements may fail now, or nil: Watch has had no answer for 2 seconds or longer.
func (c *Client) Err() error {
	if missed, _ := c.health.get(); missed >= slowProbes {
		return errSlow
	}
	return nil
}

// WhileUp returns a context that is canceled when the server stops answering; see [Client.Watch].
// [context.Cause] is then an [earshot.Error]. The caller must call stop.
func (c *Client) WhileUp(ctx context.Context) (_ context.Context, stop func()) {
	_, up := c.health.get()
	ctx, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(up, func() { cancel(unavailable(errSilent)) })
	return ctx, func() {
		forget()
		cancel(nil)
	}
}

// unavailable returns the error for clients if err means that the server cannot be reached, or cannot
// run any statement at the moment, and err otherwise.
func unavailable(err error) error {
	if _, is := errors.AsType[*earshot.Error](err); is || err == nil || !retryable(err) ||
		errors.Is(err, errTimeout) || IsCode(err, CodeTimeout, CodeMemoryLimit) {
		return err
	}
	return &earshot.Error{
		Kind: earshot.Unavailable, RetryAfter: 5 * time.Second, Err: err,
		Message: "Posts cannot be read right now, because ClickHouse is not available. Please try again in a few seconds",
	}
}
