package rest

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// A Download is a response of any length that is sent as it is made. The client may take as long as
// it likes, as long as it keeps reading.
//
// An error of Write before the first byte is handled as any other. After that the response is
// aborted, and the client can tell: it ends without its last chunk.
//
// A client may cache a Download that has a Tag. If it sends the tag again, the response is 304 Not
// Modified, and Write is not called.
type Download struct {
	Type  string // of the content
	Name  string // that a browser saves it under; "" is shown rather than saved
	Tag   string // changes whenever the content does; "" if it must not be cached
	Write func(ctx context.Context, w io.Writer) error
}

// download sends d. An error means that nothing was sent.
func (x *exchange) download(d Download) error {
	if d.Tag != "" && strings.Contains(x.r.Header.Get("If-None-Match"), d.etag()) {
		x.downloadHeader(d)
		x.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w := &downloadWriter{exchange: x, download: d, deadline: newDeadline(x)}
	err := d.Write(x.r.Context(), w)
	if err == nil {
		_, err = w.Write(nil) // an empty one has headers, too
	}
	if err != nil && x.w.status != 0 {
		x.abort(err)
	}
	return err
}

// abort ends a response that was partly sent. The client can tell: it lacks its last chunk.
func (x *exchange) abort(err error) {
	if x.r.Context().Err() != nil {
		x.log().Info("answer interrupted", "error", err)
	} else {
		x.log().Error("answer cut off", "error", err)
	}
	panic(http.ErrAbortHandler)
}

// A downloadWriter sends the headers with the first bytes.
type downloadWriter struct {
	*exchange
	deadline
	download Download
}

func (w *downloadWriter) Write(p []byte) (int, error) {
	select {
	case <-w.server.Stopping:
		return 0, errStopping
	default:
	}
	w.extend()
	if w.w.status == 0 {
		w.downloadHeader(w.download)
		w.w.Header().Set("Content-Type", w.download.Type)
		w.w.WriteHeader(http.StatusOK)
	}
	return w.w.Write(p)
}

// etag is the tag in HTTP syntax.
func (d Download) etag() string { return `"` + d.Tag + `"` }

// downloadHeader sets the headers that a complete response and a 304 share.
func (x *exchange) downloadHeader(d Download) {
	h := x.w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if d.Tag != "" {
		h.Set("Cache-Control", "private, no-cache") // revalidate each time: the caller may have lost access
		h.Set("ETag", d.etag())
	}
	if d.Name != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.Name}))
	}
}

// A deadline is when a client must have taken more of a response that is sent as it is made.
type deadline struct {
	control  *http.ResponseController
	now      func() time.Time
	extended time.Time // when it was last moved
}

// newDeadline removes the read deadline: the request is read, and the response may take long.
func newDeadline(x *exchange) deadline {
	d := deadline{control: http.NewResponseController(x.w.ResponseWriter), now: x.server.Now}
	_ = d.control.SetReadDeadline(time.Time{})
	return d
}

// extend moves the deadline ahead, at most once a second. A connection without
// deadlines needs none moved, and one that is closed fails the write, so errors do
// not matter.
func (d *deadline) extend() {
	now := d.now()
	if now.Sub(d.extended) < time.Second {
		return
	}
	d.extended = now
	_ = d.control.SetWriteDeadline(now.Add(writeTimeout))
}
