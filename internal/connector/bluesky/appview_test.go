package bluesky

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"earshot/internal/connector"
)

// TestAppViews looks profiles up at the Jetstream server first, and elsewhere once that does not
// know them.
func TestAppViews(t *testing.T) {
	var asked []string
	server := func(name string, status int) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, name)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"profiles":[{"did":"did:plc:a","handle":"a.example"}]}`))
		}))
		t.Cleanup(s.Close)
		return s
	}
	own, public := server("own", 404), server("public", 200)
	a := newAppView(&connector.Env{
		Settings: connector.Settings{"url": own.URL + "/subscribe"}, HTTP: http.DefaultClient, Now: time.Now,
		Wait: func(context.Context, time.Duration) error { return nil },
	})
	if len(a.bases) != 2 || a.bases[0] != own.URL || a.bases[1] != publicAppView {
		t.Fatalf("got addresses %v", a.bases)
	}
	a.bases[1] = public.URL
	for range 2 {
		found, err := a.profiles(t.Context(), []string{"did:plc:a"})
		if err != nil || found["did:plc:a"].handle != "a.example" {
			t.Errorf("got %v %v, want the profile", found, err)
		}
	}
	if len(asked) != 3 || asked[0] != "own" || asked[2] != "public" {
		t.Errorf("asked %v, want the own server once and then the public one", asked)
	}
}

// TestAppViewPauses expects longer pauses after each failure, and none after a success.
func TestAppViewPauses(t *testing.T) {
	now := time.Now()
	a := &appView{now: func() time.Time { return now }, bases: []string{"http://a.example"}}
	for _, want := range []time.Duration{10, 20, 40, 80, 160, 300, 300} {
		a.fail()
		if got := a.closed.Sub(now); got != want*time.Second {
			t.Errorf("paused for %v, want %v", got, want*time.Second)
		}
		now = a.closed
	}
}
