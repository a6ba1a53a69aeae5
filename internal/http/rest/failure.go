package rest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"earshot"
)

// statuses are the HTTP statuses of the kinds of errors.
var statuses = map[earshot.Kind]int{
	earshot.Invalid:         http.StatusBadRequest,
	earshot.Unauthenticated: http.StatusUnauthorized,
	earshot.Forbidden:       http.StatusForbidden,
	earshot.NotFound:        http.StatusNotFound,
	earshot.TooLarge:        http.StatusRequestEntityTooLarge,
	earshot.OverLimit:       http.StatusTooManyRequests,
	earshot.Unavailable:     http.StatusServiceUnavailable,
	earshot.StorageFull:     http.StatusInsufficientStorage,
	earshot.Conflict:        http.StatusConflict,
}

// A failure is the body of every error.
type failure struct {
	Message string `json:"message"`
	Status  string `json:"status"`
}

// fail answers with an error. What the client is not meant to read goes to the
// log, once.
func (x *exchange) fail(err error) {
	var e *earshot.Error
	switch {
	case errors.As(err, &e) && statuses[e.Kind] != 0:
		if e.Err != nil {
			x.log().Warn("request failed", "err", err)
		}
	case errors.Is(err, context.Canceled) && x.r.Context().Err() != nil:
		// The client has gone, or the server is stopping and it has not.
		x.log().Info("request interrupted", "err", err)
		e = earshot.Errorf(earshot.Unavailable, "The request was interrupted. Please try again")
	default:
		x.log().Error("request failed", "err", err)
		x.sendFailure(http.StatusInternalServerError, "Internal error")
		return
	}
	if e.Kind == earshot.Unauthenticated {
		x.w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if e.RetryAfter > 0 {
		x.w.Header().Set("Retry-After", wholeSeconds(e.RetryAfter))
	}
	x.sendFailure(statuses[e.Kind], e.Message)
}

func (x *exchange) sendFailure(status int, message string) {
	text, _ := AppendJSON(nil, failure{Message: message, Status: "error"}) // two strings always have one
	x.send(status, text)
}

// NotFound answers as the server does for a path that nothing is at: for handlers of Plain
// that find only some of theirs.
func NotFound(w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: &recorder{ResponseWriter: w, head: r.Method == http.MethodHead}, r: r}
	x.sendFailure(http.StatusNotFound, noEndpoint(x.path()).Message)
}

func noEndpoint(path string) *earshot.Error {
	return earshot.Errorf(earshot.NotFound, "No such endpoint: %s", path)
}

// wholeSeconds rounds up, so that a client that waits them has waited enough.
func wholeSeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
