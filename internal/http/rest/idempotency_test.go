package rest

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"earshot"
)

// keptAnswers are answers in memory, by user and key.
type keptAnswers map[string]struct {
	request string
	answer  []byte
}

func (k keptAnswers) Begin(_ context.Context, user earshot.UserID, key, request string) ([]byte, error) {
	id := string(rune(user)) + key
	if kept, ok := k[id]; ok && kept.request != request {
		return nil, earshot.Errorf(earshot.Unprocessable, "used")
	} else if ok && kept.answer == nil {
		return nil, earshot.Errorf(earshot.Conflict, "in flight")
	} else if ok {
		return kept.answer, nil
	}
	return nil, k.put(id, request, nil)
}

func (k keptAnswers) End(_ context.Context, user earshot.UserID, key, request string, answer []byte) error {
	id := string(rune(user)) + key
	if answer == nil {
		delete(k, id)
		return nil
	}
	return k.put(id, request, answer)
}

func (k keptAnswers) put(id, request string, answer []byte) error {
	k[id] = struct {
		request string
		answer  []byte
	}{request, answer}
	return nil
}

// onceWorld serves endpoints that count their calls.
type onceWorld struct {
	t     *testing.T
	calls int
	serve func() (any, error) // what the endpoint returns
	send  func(path, body string, headers ...string) (status int, text, replayed string)
}

func newOnceWorld(t *testing.T) *onceWorld {
	w := &onceWorld{t: t}
	type params struct {
		Dry  bool `query:"dry"`
		Body struct {
			Name string `json:"name"`
		} `body:"json,optional"`
	}
	fn := func(context.Context, *earshot.Caller, params) (any, error) {
		w.calls++
		return w.serve()
	}
	stream := func(_ context.Context, _ *earshot.Caller, p struct {
		Body *BodyStream `body:"stream"`
	}) (any, error) {
		w.calls++
		_, err := io.Copy(io.Discard, p.Body)
		return w.calls, err
	}
	h := New(Options{Authenticate: authenticate, Answers: keptAnswers{}}, []Route{
		Handle("POST", "/manage/v1/things", SignedIn, fn), Handle("POST", "/manage/v1/others", SignedIn, fn), Handle("PUT", "/manage/v1/things", SignedIn, fn),
		Handle("POST", "/manage/v1/public", Public, fn), Handle("POST", "/api/things", SignedIn, fn), Handle("POST", "/manage/v1/posts", SignedIn, stream),
	})
	w.send = func(path, body string, headers ...string) (int, string, string) {
		method, path, _ := strings.Cut(path, " ")
		got := request(h, method, path, body, append([]string{"Authorization", "Bearer plain"}, headers...)...)
		return got.Code, got.Body.String(), got.Header().Get("Idempotency-Replayed")
	}
	return w
}

// twice sends a request twice and reports how often the endpoint was called. Both responses must be
// equal if it was called once.
func (w *onceWorld) twice(path, body, key string, serve func() (any, error)) int {
	w.t.Helper()
	w.calls, w.serve = 0, serve
	status, text, replayed := w.send(path, body, "Idempotency-Key", key)
	if replayed != "" {
		w.t.Errorf("%s with key %s: the first response is replayed", path, key)
	}
	again, textAgain, replayed := w.send(path, body, "Idempotency-Key", key)
	if isReplay := w.calls == 1; isReplay && (again != status || textAgain != text) || isReplay != (replayed == "true") {
		w.t.Errorf("%s with key %s, %d calls:\n%d %s\n%d %s, replayed: %q", path, key, w.calls, status, text, again, textAgain, replayed)
	}
	return w.calls
}

func TestARepeatedRequestIsCarriedOutOnce(t *testing.T) {
	w := newOnceWorld(t)
	created := func() (any, error) {
		return Created[map[string]any]{map[string]any{"id": w.calls, "name": "R&D <ü>\u2028"}}, nil
	}
	failed := func(k earshot.Kind) func() (any, error) {
		return func() (any, error) { return nil, earshot.Errorf(k, "call %d", w.calls) }
	}
	f := func(path, key string, serve func() (any, error), want int) {
		t.Helper()
		if got := w.twice(path, `{"name":"x"}`, key, serve); got != want {
			t.Errorf("%s with key %s: %d calls, want %d", path, key, got, want)
		}
	}
	f("POST /manage/v1/things", "created", created, 1)
	f("POST /manage/v1/things", strings.Repeat("k", 255), created, 1)
	f("POST /manage/v1/things", "no content", func() (any, error) { return NoContent{}, nil }, 1)
	f("POST /manage/v1/things", "accepted", func() (any, error) { return Answer{Status: 202}, nil }, 1)
	f("POST /manage/v1/things", "refused", failed(earshot.Invalid), 1)
	f("POST /manage/v1/things", "taken", failed(earshot.Conflict), 1)
	f("POST /manage/v1/things", "large", func() (any, error) { return strings.Repeat("x", 64<<10-2), nil }, 1)

	f("POST /manage/v1/things", "", created, 2)
	f("POST /manage/v1/things", "busy", failed(earshot.Unavailable), 2)
	f("POST /manage/v1/things", "limited", failed(earshot.OverLimit), 2)
	f("POST /manage/v1/things", "broken", func() (any, error) { return nil, errors.New("broken") }, 2)
	f("POST /manage/v1/things", "panic", func() (any, error) { panic("broken") }, 2)
	f("POST /manage/v1/things", "too large", func() (any, error) { return strings.Repeat("x", 64<<10), nil }, 2)
	f("POST /manage/v1/things", "cookie", func() (any, error) { return ClearSession("http"), nil }, 2)
	f("POST /manage/v1/things", "download", func() (any, error) {
		return Download{Type: "text/plain", Write: func(_ context.Context, w io.Writer) error { return nil }}, nil
	}, 2)
	f("PUT /manage/v1/things", "put", created, 2)
	f("POST /manage/v1/public", "public", created, 2)
	f("POST /manage/v1/posts", "stream", created, 2)
	f("POST /api/things", "api", created, 2)
}

func TestAKeyBelongsToOneRequestOfAUser(t *testing.T) {
	w := newOnceWorld(t)
	w.serve = func() (any, error) { return w.calls, nil }
	f := func(path, body string, want string, headers ...string) {
		t.Helper()
		status, text, _ := w.send(path, body, append([]string{"Idempotency-Key", "k"}, headers...)...)
		if status != 200 {
			text = strconv.Itoa(status)
		}
		if text != want {
			t.Errorf("%s %s: got %s, want %s", path, body, text, want)
		}
	}
	f("POST /manage/v1/things", `{"name":"x"}`, "1")
	f("POST /manage/v1/things", `{"name":"x"}`, "1")
	f("POST /manage/v1/things", `{"name":"y"}`, "422")
	f("POST /manage/v1/others", `{"name":"x"}`, "422")
	f("POST /manage/v1/things?dry=true", `{"name":"x"}`, "422")
	f("POST /manage/v1/things?auth=plain", `{"name":"x"}`, "1")
	f("POST /manage/v1/things?auth=admin", `{"name":"y"}`, "2")
	f("POST /manage/v1/things", `{"nmae":"x"}`, "400") // it was not carried out, so the key is free
	f("POST /manage/v1/things", `{"name":"x"}`, "400", "Idempotency-Key", strings.Repeat("k", 256))
	w.serve = func() (any, error) {
		f("POST /manage/v1/things", `{"name":"z"}`, "409", "Idempotency-Key", "slow")
		return "done", nil
	}
	f("POST /manage/v1/things", `{"name":"z"}`, `"done"`, "Idempotency-Key", "slow")
}
