package rest

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"earshot"
	"earshot/internal/limit"
)

// A Download is a response of any length that is sent while it is produced. Each write extends the
// deadline, so a download can last as long as the client keeps reading.
//
// If Write returns an error before it has written anything, the client gets an error response.
// After that the response is aborted. The client can detect this because the last chunk is missing.
// The writer has a method Flush() error, which sends what was written.
//
// A client may cache a Download that has a Tag. If the client sends the tag back and it is still
// current, the response is 304 Not Modified, and Write is not called.
type Download struct {
	Type     string    // content type
	Name     string    // file name for browsers to save it under; "": show it instead
	Policy   string    // content security policy, of HTML; "": none
	Tag      string    // changes whenever the content changes; "": do not cache
	Modified time.Time // when the content last changed; zero: unknown
	Fixed    bool      // the content at this path never changes, so clients need not ask again for a day
	Export   bool      // it has its own limits, so that pages do not wait while many are computed or not read
	Write    func(ctx context.Context, w io.Writer) error
}

// download sends d. If it returns an error, it has sent nothing.
func (x *exchange) download(d Download) error {
	if d.isKnown(x.r.Header) {
		x.downloadHeader(d)
		x.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if limits := x.server.Limits; d.Export && limits != nil {
		open := limits.Exports.Lease(x.client())
		defer open.Close()
		if err := open.Grow(x.r.Context(), 1); err != nil {
			return err
		}
		x.compute = limits.ExportSlots.Lease(x.client())
		if err := x.compute.Grow(x.r.Context(), 1); err != nil {
			return err
		}
	}
	w := &downloadWriter{exchange: x, download: d, deadline: newDeadline(x)}
	err := d.Write(x.r.Context(), w)
	if err == nil {
		_, err = w.Write(nil) // sends the headers of an empty download
	}
	if err != nil && x.w.status != 0 {
		x.abort(err)
	}
	return err
}

// abort logs the error and aborts a partly sent response. The client can detect this because the
// last chunk is missing.
func (x *exchange) abort(err error) {
	if x.r.Context().Err() != nil {
		x.log().Info("response interrupted", "error", err)
	} else {
		x.log().Error("response aborted", "error", err)
	}
	_ = http.NewResponseController(x.w.ResponseWriter).Flush() // the status, if compression has delayed it
	panic(http.ErrAbortHandler)
}

// A downloadWriter sends the headers before the first bytes.
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
		if len(p) > 0 && isCompressible(w.download.Type) {
			w.compressRest()
		}
		w.w.WriteHeader(http.StatusOK)
	}
	if !w.download.Export {
		return w.w.Write(p)
	}
	// While the client reads, other exports are computed. Afterward it waits as long as it takes,
	// because part of it has been sent.
	w.compute.Shrink(1)
	n, err := w.w.Write(p)
	for waits := err == nil; waits; waits = earshot.IsKind(err, earshot.Unavailable) {
		err = w.compute.Grow(w.r.Context(), 1)
	}
	return n, err
}

// Flush sends everything that was written to the client.
func (w *downloadWriter) Flush() error {
	w.extend()
	if w.w.compressor != nil {
		if err := w.w.compressor.Flush(); err != nil {
			return err
		}
	}
	return w.control.Flush()
}

// etag returns the tag in HTTP syntax.
func (d Download) etag() string { return `"` + d.Tag + `"` }

// isKnown reports whether the client has the content already. A tag counts more than a time.
func (d Download) isKnown(h http.Header) bool {
	if tags := h.Get("If-None-Match"); tags != "" {
		return d.Tag != "" && strings.Contains(tags, d.etag())
	}
	since, err := http.ParseTime(h.Get("If-Modified-Since"))
	return err == nil && !d.Modified.IsZero() && !d.Modified.Truncate(time.Second).After(since)
}

// downloadHeader sets the headers that complete and 304 responses have in common.
func (x *exchange) downloadHeader(d Download) {
	h := x.w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if d.Tag != "" {
		h.Set("Cache-Control", "private, no-cache") // revalidate every time, because the caller may have lost access
		h.Set("ETag", d.etag())
	}
	if d.Fixed {
		h.Set("Cache-Control", "private, max-age=86400, immutable")
	}
	if !d.Modified.IsZero() {
		h.Set("Last-Modified", d.Modified.UTC().Format(http.TimeFormat))
	}
	if d.Policy != "" {
		h.Set("Content-Security-Policy", d.Policy)
	}
	if d.Name != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.Name}))
	}
}

// A deadline limits how long a client may take to read the next part of a response that is sent
// while it is produced.
type deadline struct {
	control  *http.ResponseController
	now      func() time.Time
	extended time.Time // when it was last extended
}

// newDeadline also removes the read deadline, because the request has been read and the response
// may take a long time.
func newDeadline(x *exchange) deadline {
	d := deadline{control: http.NewResponseController(x.w.ResponseWriter), now: x.server.Now}
	_ = d.control.SetReadDeadline(time.Time{})
	return d
}

// extend extends the deadline, at most once per second. It ignores errors: a connection may not
// support deadlines, and the write fails if the connection is closed.
func (d *deadline) extend() {
	now := d.now()
	if now.Sub(d.extended) < time.Second {
		return
	}
	d.extended = now
	_ = d.control.SetWriteDeadline(now.Add(limit.StallTimeout))
}
