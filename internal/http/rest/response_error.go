package rest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"earshot"
)

// statuses maps kinds of errors to HTTP statuses.
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
	earshot.Failed:          http.StatusInternalServerError,
	earshot.Unprocessable:   http.StatusUnprocessableEntity,
}

// An errorBody is the body of every error response.
type errorBody struct {
	Message string `json:"message"`
	Status  string `json:"status"`
}

// fail sends an error response. It logs what the client must not see, once.
func (x *exchange) fail(err error) {
	var e *earshot.Error
	switch {
	case errors.As(err, &e) && statuses[e.Kind] != 0:
		if e.Err != nil || e.Kind == earshot.Failed {
			x.log().Warn("request failed", "error", err)
		}
	case errors.Is(err, context.Canceled) && x.r.Context().Err() != nil:
		// The client disconnected, or the server is stopping while the client is still connected.
		x.log().Info("request interrupted", "error", err)
		e = earshot.Errorf(earshot.Unavailable, "The request was interrupted. Please try again")
	default:
		x.log().Error("request failed", "error", err)
		x.sendError(http.StatusInternalServerError, "Internal error")
		return
	}
	x.refuse(e)
}

// refuse sends an error that the client may see.
func (x *exchange) refuse(e *earshot.Error) {
	if e.Kind == earshot.Unauthenticated {
		x.w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if e.RetryAfter > 0 {
		x.w.Header().Set("Retry-After", ceilSeconds(e.RetryAfter))
	}
	x.sendError(statuses[e.Kind], e.Message)
}

func (x *exchange) sendError(status int, message string) {
	text, _ := AppendJSON(nil, errorBody{Message: message, Status: "error"}) // encoding two strings never fails
	x.send(status, text)
}

// NotFound sends the same response as the server does for an unknown path. It is for handlers
// passed to [Plain] that serve only some paths.
func NotFound(w http.ResponseWriter, r *http.Request) {
	x := bareExchange(w, r)
	x.refuse(errNoEndpoint(x.path()))
}

// Refuse sends e in the form of every error response. It is for handlers that are not in a route table.
func Refuse(w http.ResponseWriter, r *http.Request, e *earshot.Error) {
	x := bareExchange(w, r)
	_ = x.checkRateLimit() // sets the headers; without a server nothing is limited
	x.refuse(e)
}

// bareExchange returns an exchange without a server, which can only send.
func bareExchange(w http.ResponseWriter, r *http.Request) *exchange {
	return &exchange{server: &server{}, w: &recorder{ResponseWriter: w, head: r.Method == http.MethodHead}, r: r}
}

func errNoEndpoint(path string) *earshot.Error {
	return earshot.Errorf(earshot.NotFound, "No such endpoint: %s", path)
}

// ceilSeconds rounds up, so that a client that waits this long has waited long enough.
func ceilSeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
