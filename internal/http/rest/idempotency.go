package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"earshot"
)

// A client sends idempotencyHeader with a POST under /manage/v1 that it may have to repeat, and gets
// replayedHeader if the response is the response to an earlier request.
const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotency-Replayed"

	maxIdempotencyKey = 255
	maxKeptAnswer     = 65_536 // bytes; larger ones are rarely those of requests that create something
)

// Answers keeps the responses to requests that clients may repeat. See package catalog.
type Answers interface {
	// Begin returns the answer to a request, or nil if the caller has to carry it out and call End.
	Begin(ctx context.Context, user earshot.UserID, key, request string) (answer []byte, err error)
	// End keeps the answer. If it is nil, the request may be repeated.
	End(ctx context.Context, user earshot.UserID, key, request string, answer []byte) error
}

// A replay is a response that was sent before. Its value is JSON.
type replay struct{ Answer }

func (replay) HTTPHeader() http.Header { return http.Header{replayedHeader: {"true"}} }

// hashBody makes once recognize the body of a request. It does nothing if the request cannot be
// repeated: only JSON responses to users are kept.
func (x *exchange) hashBody() error {
	key := x.r.Header.Get(idempotencyHeader)
	if key == "" || x.server.Answers == nil || x.caller == nil || x.route.Access == Public ||
		x.r.Method != http.MethodPost || !strings.HasPrefix(x.route.Path, managePath) {
		return nil
	}
	if len(key) > maxIdempotencyKey {
		return earshot.Errorf(earshot.Invalid, "The header %s must have at most %d characters", idempotencyHeader, maxIdempotencyKey)
	}
	x.bodyHash = sha256.New()
	x.r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(x.r.Body, x.bodyHash), x.r.Body}
	return nil
}

// once calls do, unless it has been called for the same request.
func (x *exchange) once(do func() (any, error)) (v any, err error) {
	if x.bodyHash == nil {
		return do()
	}
	query := x.r.URL.Query()
	query.Del("auth")
	_, _ = io.WriteString(x.bodyHash, "\n"+x.r.URL.Path+"?"+query.Encode()) // hashing never fails
	ctx, user, key, request := x.r.Context(), x.caller.User, x.r.Header.Get(idempotencyHeader), hex.EncodeToString(x.bodyHash.Sum(nil))
	kept, err := x.server.Answers.Begin(ctx, user, key, request)
	if err != nil {
		return nil, err
	}
	if kept != nil {
		var value json.RawMessage
		r := replay{Answer{Value: &value}}
		return r, json.Unmarshal(kept, &r.Answer)
	}
	var answer []byte
	defer func() { // also after a panic
		if err := x.server.Answers.End(context.WithoutCancel(ctx), user, key, request, answer); err != nil {
			x.log().Warn("cannot keep the answer to a request with an Idempotency-Key", "error", err)
		}
	}()
	v, err = do()
	answer = newKeptAnswer(v, err)
	return v, err
}

// newKeptAnswer returns what is kept of a response, or nil if the request may be repeated.
func newKeptAnswer(v any, err error) []byte {
	status := http.StatusOK
	var e *earshot.Error
	if errors.As(err, &e) {
		status, v = statuses[e.Kind], errorBody{Message: e.Message, Status: "error"}
	} else if s, ok := v.(Statuser); ok {
		status = s.HTTPStatus()
	}
	if err != nil && e == nil || status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		return nil
	}
	switch v.(type) {
	case Download, Events, streamer, Headerer: // not JSON, or with a cookie
		return nil
	}
	if w, ok := v.(wrapper); ok {
		v = w.content()
	}
	text, err := AppendJSON(nil, v)
	if err != nil || len(text) > maxKeptAnswer {
		return nil
	}
	text, _ = AppendJSON(nil, Answer{status, json.RawMessage(text)}) // it is JSON
	return text
}
