package rest

import (
	"errors"
	"io"
	"net/http"
	"time"

	"earshot"
)

// A BodyStream is a request body of any length, read as it arrives and decompressed
// where the client compressed it. Reading allows the client more time: it may
// take as long as it likes, as long as it keeps sending.
//
// An error of Read other than io.EOF says that the body is broken and is fit to
// be returned to the client.
type BodyStream struct {
	from     io.Reader
	control  *http.ResponseController
	now      func() time.Time
	extended time.Time // when the deadlines were last moved
	stopping <-chan struct{}
}

var errStopping = &earshot.Error{Kind: earshot.Unavailable, Message: "Earshot is stopping. Please send the rest again in a moment", RetryAfter: 5 * time.Second}

func newBodyStream(x *exchange) (*BodyStream, error) {
	from, err := decompress(x.r, x.r.Body)
	if err != nil {
		return nil, err
	}
	return &BodyStream{from: from, control: http.NewResponseController(x.w.ResponseWriter), now: x.server.Now, stopping: x.server.Stopping}, nil
}

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

// extend moves the deadlines ahead, at most once a second: reads are far more
// frequent than that. A connection that has no deadlines needs none moved, so
// errors do not matter; one that is closed fails the read.
func (s *BodyStream) extend() {
	now := s.now()
	if !s.extended.IsZero() && now.Sub(s.extended) < time.Second {
		return
	}
	s.extended = now
	_ = s.control.SetReadDeadline(now.Add(readTimeout))
	_ = s.control.SetWriteDeadline(now.Add(writeTimeout))
}
