package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestUploadsAreReadWithTheirPosition uploads posts one at a time and reads their number with the
// position of each upload, which is exact without waiting for anything.
func TestUploadsAreReadWithTheirPosition(t *testing.T) {
	a := open(t, testConfig(t), io.Discard)
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	send := func(method, target, body, position string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if position != "" {
			r.Header.Set("X-Earshot-Position", position)
		}
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		return w
	}
	auth := token(t, a)
	upload := fmt.Sprintf("/api/content/upload?auth=%s&documentType=%d", auth, f.source.ID)
	volume := fmt.Sprintf("/api/monitor/volume?auth=%s&id=%d&start=2026-03-02&end=2026-03-03", auth, f.monitor.ID)
	for i := 1; i <= 20; i++ {
		body := fmt.Sprintf(`{"items":[{"guid":"g%d","date":"2026-03-02T12:00:00","contents":"coffee"}]}`, i)
		w := send("POST", upload, body, "")
		if w.Code != 200 {
			t.Fatalf("upload: got %d %s", w.Code, w.Body)
		}
		position := w.Header().Get("X-Earshot-Position")
		if r := send("GET", volume, "", position); r.Code != 200 || !strings.Contains(r.Body.String(), fmt.Sprintf(`"numberOfDocuments":%d,`, i)) {
			t.Fatalf("after upload %d, with position %s: got %d %s", i, position, r.Code, r.Body)
		}
	}
	r := send("GET", volume, "", "1000000.0")
	if r.Code != http.StatusServiceUnavailable || r.Header().Get("Retry-After") != "1" {
		t.Errorf("a position that does not exist yet: got %d, Retry-After %q", r.Code, r.Header().Get("Retry-After"))
	}
}
