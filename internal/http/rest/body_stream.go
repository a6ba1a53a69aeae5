package rest

import (
	"errors"
	"io"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/limit"
)

// A BodyStream is a request body of any length, read as it arrives and decompressed if the client
// compressed it. Each Read extends the deadlines, so a request can last as long as the client keeps
// sending.
//
// An error from Read other than io.EOF means that the body is invalid or incomplete. It can be
// returned to the client.
type BodyStream struct {
	from     io.Reader
	control  *http.ResponseController
	now      func() time.Time
	extended time.Time // when the deadlines were last extended
	stopping <-chan struct{}
}

var errStopping = &earshot.Error{Kind: earshot.Unavailable, Message: "Earshot is shutting down. Please try again in a few seconds", RetryAfter: 5 * time.Second}

func newBodyStream(x *exchange) (*BodyStream, error) {
	from, err := decompress(x.r, x.r.Body)
	if err != nil {
		return nil, err
	}
	return &BodyStream{from: from, control: http.NewResponseController(x.w.ResponseWriter), now: x.server.Now, stopping: x.server.Stopping}, nil
}

// Read implements [io.Reader]. It returns an error when the server is stopping.
func (s *BodyStream) Read(p []byte) (int, error) {
	select {
	case <-s.stopping:
		return 0, errStopping
	default:
	}
	s.extend()
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = bodyError(err)
	}
	return n, err
}

// extend extends the deadlines, at most once per second because reads are far more frequent. It
// ignores errors: a connection may not support deadlines, and Read fails if the connection is
// closed.
func (s *BodyStream) extend() {
	now := s.now()
	if !s.extended.IsZero() && now.Sub(s.extended) < time.Second {
		return
	}
	s.extended = now
	_ = s.control.SetReadDeadline(now.Add(limit.ReadTimeout))
	_ = s.control.SetWriteDeadline(now.Add(responseTimeout))
}
