package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
)

// requestGeography sends a request to an API that accepts only the token t.
func requestGeography(a *API, method, target string) *httptest.ResponseRecorder {
	h := rest.New(rest.Options{Authenticate: func(_ context.Context, token string) (*earshot.Caller, error) {
		if token != "t" {
			return nil, earshot.ErrNotAuthenticated
		}
		return earshot.NewCaller(&earshot.User{ID: 1, Username: "ada"}), nil
	}}, a.Routes())
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

func TestGeographyOfCountry(t *testing.T) {
	f := func(target, begins string, count int) {
		t.Helper()
		w := requestGeography(&API{}, "GET", "/api/geography/info/"+target+"auth=t")
		var got struct{ Resources []json.RawMessage }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
			t.Fatalf("%s: got %d %.200s, %v", target, w.Code, w.Body, err)
		}
		if len(got.Resources) != count || !strings.HasPrefix(w.Body.String(), begins) {
			t.Errorf("%s: got %d places, %.300s\nwant %d, %s", target, len(got.Resources), w.Body, count, begins)
		}
	}
	f("countries?", `{"resources":[{"id":"ABW","name":"Aruba","country":"ABW","latitude":12.51697,"longitude":-69.99787},{"id":"AFG",`, 250)
	f("states?country=CAN&", `{"resources":[{"id":"CAN.AB","name":"Alberta","country":"CAN","state":"AB","latitude":`, 13)
	f("states?COUNTRY=can&", `{"resources":[{"id":"CAN.AB",`, 13)
	f("cities?country=ABW&", `{"resources":[{"id":"ABW.Aruba.Noord","name":"Noord","country":"ABW","state":"Aruba","city":"Noord","latitude":12.56596,"longitude":-70.03198},`, 7)
	f("cities?country=BVT&", `{"resources":[]}`, 0) // an uninhabited island
}

func TestGeographyRequiresKnownCountry(t *testing.T) {
	f := func(target string, status int, message string) {
		t.Helper()
		w := requestGeography(&API{}, "GET", "/api/geography/info/"+target)
		want, _ := json.Marshal(map[string]string{"message": message, "status": "error"})
		if w.Code != status || w.Body.String() != string(want) {
			t.Errorf("%s: got %d %s, want %d %s", target, w.Code, w.Body, status, want)
		}
	}
	const missing = "Required String parameter 'country' is not present"
	f("states?auth=t", 400, missing)
	f("cities?auth=t&country=", 400, missing)
	f("states?auth=t&country=ZZZ", 400, "Invalid value 'ZZZ' for parameter 'country': an ISO 3166 alpha-3 code like USA")
	f("cities?auth=t&country=US", 400, "Invalid value 'US' for parameter 'country': an ISO 3166 alpha-3 code like USA")
	f("cities?auth=t&country=Germany", 400, "Invalid value 'Germany' for parameter 'country': an ISO 3166 alpha-3 code like USA")
	for _, target := range []string{"all", "countries", "states?country=USA", "cities?country=USA"} {
		f(target, 401, "Full authentication is required to access this resource")
	}
}

func TestGeographyAllStreamsEveryPlace(t *testing.T) {
	w := requestGeography(&API{}, "GET", "/api/geography/info/all?auth=t")
	if got := w.Header().Get("Content-Type"); w.Code != 200 || got != "application/json;charset=UTF-8" {
		t.Errorf("got %d, type %q", w.Code, got)
	}
	want := geographyResponse{Resources: []geographyItem{}}
	for i := range geo.All() {
		want.Resources = append(want.Resources, newGeographyItem(i))
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(want); err != nil {
		t.Fatal(err)
	}
	if w.Body.String() != strings.TrimSuffix(text.String(), "\n") {
		t.Errorf("streamed response of %d bytes differs from the encoded one of %d bytes", w.Body.Len(), text.Len()-1)
	}
	if got, want := w.Header().Get("ETag"), `"`+geo.Checksum()+`p"`; got != want {
		t.Errorf("got the tag %s, want %s", got, want)
	}
	if w := requestGeography(&API{}, "HEAD", "/api/geography/info/all?auth=t"); w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("HEAD: got %d and %d bytes, want 200 and none", w.Code, w.Body.Len())
	}
}

func TestGeographyStatusForClients(t *testing.T) {
	for _, target := range []string{"all?", "countries?", "states?country=ABW&", "cities?country=ABW&"} {
		w := requestGeography(&API{ForClients: true}, "GET", "/api/geography/info/"+target+"auth=t")
		if text := w.Body.String(); !strings.HasSuffix(text, `}],"status":"success"}`) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: got ...%s", target, text[max(0, len(text)-80):])
		}
	}
}

func TestEmptyGeographyIsEmptyList(t *testing.T) {
	var text bytes.Buffer
	none := func(func(geo.Entry) bool) {}
	if err := writeGeography(&text, none, nil); err != nil || text.String() != `{"resources":[]}` {
		t.Errorf("got %s, %v", &text, err)
	}
}

// A lostClient accepts a limited number of writes and then fails.
type lostClient struct{ writes int }

func (c *lostClient) Write(p []byte) (int, error) {
	c.writes--
	if c.writes < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestGeographyStopsWhenClientDisconnects(t *testing.T) {
	taken := 0
	counted := func(yield func(geo.Entry) bool) {
		for i := range geo.All() {
			taken++
			if !yield(i) {
				return
			}
		}
	}
	if err := writeGeography(&lostClient{writes: 2}, counted, nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got error %v, want %v", err, io.ErrClosedPipe)
	}
	if taken > 5000 {
		t.Errorf("encoded %d places for a disconnected client", taken)
	}
}

func BenchmarkGeographyAll(b *testing.B) {
	b.ReportAllocs()
	a := &API{}
	for b.Loop() {
		response, err := a.geographyAll(b.Context(), nil, struct{}{})
		if err != nil {
			b.Fatal(err)
		}
		if err := response.Write(b.Context(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
