package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"earshot"
)

type bodyParams struct {
	Body struct {
		Name string `json:"name"`
	} `body:"json"`
}

func showBody(_ context.Context, _ *earshot.Caller, p bodyParams) (string, error) {
	return p.Body.Name, nil
}

type optionalParams struct {
	Body *map[string]int `body:"json,optional"`
}

func showOptional(_ context.Context, _ *earshot.Caller, p optionalParams) (bool, error) {
	return p.Body != nil, nil
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.String()
}

func TestBodies(t *testing.T) {
	h := New(Options{MaxBody: 100}, []Route{
		Handle("POST", "/x", Public, showBody),
		Handle("POST", "/optional", Public, showOptional),
	})
	f := func(path, body, encoding string, status int, want string) {
		t.Helper()
		if status != 200 {
			want = failureBody(want)
		}
		check(t, request(h, "POST", path, body, "Content-Encoding", encoding, "Content-Type", "text/plain"), status, want)
	}
	const tooLarge = "The request body is larger than 100 bytes. Please split it into several requests"
	object := func(n int) string { return `{"name":"` + strings.Repeat("a", n-11) + `"}` }

	f("/x", `{"name":"a"}`, "", 200, `"a"`)
	f("/x", "\uFEFF"+`{"name":"é<&>"}`, "identity", 200, `"é<&>"`)
	f("/x", zipped(`{"name":"z"}`), "GZIP", 200, `"z"`)
	f("/x", object(100), "", 200, `"`+strings.Repeat("a", 89)+`"`)
	f("/x", object(101), "", 413, tooLarge)
	f("/x", zipped(object(100)), "gzip", 200, `"`+strings.Repeat("a", 89)+`"`)
	f("/x", zipped(object(101)), "gzip", 413, tooLarge)
	f("/x", "", "", 400, "Invalid request body: must be an object, not empty")
	f("/x", "", "gzip", 400, "Invalid request body: must be an object, not empty")
	f("/x", "{}", "br", 400, "Invalid request body: Content-Encoding 'br' is not supported; send gzip or no encoding")
	f("/x", "{}", "gzip", 400, "Invalid request body: it is not valid gzip data")
	f("/x", "this is not zipped", "gzip", 400, "Invalid request body: it is not valid gzip data")
	f("/x", zipped(`{"name":"z"}`)[:15], "gzip", 400, "Invalid request body: it is incomplete")
	f("/x", zipped("{}")+"garbage that follows", "gzip", 400, "Invalid request body: it is not valid gzip data")
	f("/x", corrupted(zipped(`{"name":"z"}`)), "gzip", 400, "Invalid request body: it is not valid gzip data")
	f("/x", "{\"name\":\"\xc3(\"}", "", 400, "Invalid request body: not valid UTF-8 at byte 10")

	f("/optional", "", "", 200, "false")
	f("/optional", " \n", "", 200, "false")
	f("/optional", "\uFEFF", "", 200, "false")
	f("/optional", "{}", "", 200, "true")
	f("/optional", "null", "", 200, "false")
	f("/optional", "[]", "", 400, "Invalid request body: must be an object, not a list")
}

// corrupted changes the checksum at the end of gzip data.
func corrupted(z string) string {
	b := []byte(z)
	b[len(b)-8] ^= 1
	return string(b)
}

func TestOversizedBodyWithoutContentLength(t *testing.T) {
	h := New(Options{Authenticate: authenticate}, []Route{Handle("POST", "/x", SignedIn, showBody)})
	r := httptest.NewRequest("POST", "/x?auth=plain", io.LimitReader(spaces{}, 1<<40))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	check(t, w, 413, failureBody("The request body is larger than 1 MB. Please split it into several requests"))
}

// spaces is an endless body.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestGzipBomb(t *testing.T) {
	// Gzip data may consist of several concatenated streams.
	bomb := strings.Repeat(zipped(strings.Repeat(" ", 1<<20)), 64)
	h := New(Options{Authenticate: authenticate}, []Route{Handle("POST", "/x", SignedIn, showBody)})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := request(h, "POST", "/x?auth=plain", bomb, "Content-Encoding", "gzip")
	runtime.ReadMemStats(&after)
	check(t, w, 413, failureBody("The request body is larger than 1 MB. Please split it into several requests"))
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("rejecting a gzip bomb of 64 MB used %d bytes of memory", used)
	}
}

func TestInterruptedBodies(t *testing.T) {
	h := New(Options{}, []Route{Handle("POST", "/x", Public, showBody)})
	f := func(cause error, message string) {
		t.Helper()
		r := httptest.NewRequest("POST", "/x", io.MultiReader(strings.NewReader(`{"na`), iotest.ErrReader(cause)))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		check(t, w, 400, failureBody(message))
	}
	f(io.ErrUnexpectedEOF, "Invalid request body: it is incomplete")
	f(errors.New("connection reset"), "Invalid request body: it is incomplete")
	f(os.ErrDeadlineExceeded, "Invalid request body: it did not arrive in time")
}

func TestBodyIsNotReadByRoutesWithoutOne(t *testing.T) {
	h := New(Options{}, []Route{Handle("POST", "/x", Public, whoami)})
	r := httptest.NewRequest("POST", "/x", iotest.ErrReader(errors.New("was read")))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	check(t, w, 200, `{"by":"nobody","status":"success"}`)
}

func TestLargeBodyOverTheWire(t *testing.T) {
	s := httptest.NewServer(New(Options{MaxBody: 1 << 10}, []Route{Handle("POST", "/x", Public, showBody)}))
	defer s.Close()
	resp, err := http.Post(s.URL+"/x", "application/json", strings.NewReader(strings.Repeat(" ", 2<<10)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, _ := io.ReadAll(resp.Body)
	want := failureBody("The request body is larger than 1024 bytes. Please split it into several requests")
	if resp.StatusCode != 413 || string(got) != want {
		t.Errorf("got %d %s, want 413 %s", resp.StatusCode, got, want)
	}
}
