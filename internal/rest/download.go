package rest

import (
	"context"
	"io"
	"mime"
	"net/http"
	"time"
)

// A Download is an answer of any length that is sent as it is made. The client may
// take as long as it likes, as long as it keeps reading.
//
// An error of Write before the first byte is answered as any other. After that the
// answer is cut off, and the client can tell: it ends without its last chunk.
type Download struct {
	Type  string // of the content
	Name  string // that a browser saves it under
	Write func(ctx context.Context, w io.Writer) error
}

// download sends d. An error means that nothing was sent.
func (x *exchange) download(d Download) error {
	w := &downloadWriter{exchange: x, download: d, control: http.NewResponseController(x.w.ResponseWriter)}
	_ = w.control.SetReadDeadline(time.Time{}) // the request is read; how long the answer takes is no matter
	err := d.Write(x.r.Context(), w)
	switch {
	case err == nil:
		_, err = w.Write(nil) // an empty one has headers, too
		return err
	case x.w.status == 0:
		return err
	case x.r.Context().Err() != nil:
		x.log().Info("download interrupted", "err", err)
	default:
		x.log().Error("download cut off", "err", err)
	}
	panic(http.ErrAbortHandler)
}

// A downloadWriter sends the headers with the first bytes.
type downloadWriter struct {
	*exchange
	download Download
	control  *http.ResponseController
	extended time.Time // when the deadline was last moved
}

func (w *downloadWriter) Write(p []byte) (int, error) {
	select {
	case <-w.server.Stopping:
		return 0, errStopping
	default:
	}
	w.extend()
	if w.w.status == 0 {
		h := w.w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Type", w.download.Type)
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": w.download.Name}))
		w.w.WriteHeader(http.StatusOK)
	}
	return w.w.Write(p)
}

// extend moves the deadline ahead, at most once a second. A connection without
// deadlines needs none moved, and one that is closed fails the write, so errors do
// not matter.
func (w *downloadWriter) extend() {
	now := w.server.Now()
	if now.Sub(w.extended) < time.Second {
		return
	}
	w.extended = now
	_ = w.control.SetWriteDeadline(now.Add(writeTimeout))
}
