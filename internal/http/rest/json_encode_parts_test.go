package rest

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"earshot"
)

type listResponse struct {
	Name   string       `json:"name"`
	Inner  innerList    `json:"inner"`
	Long   Seq[element] `json:"long"`
	Maybe  Seq[element] `json:"maybe,omitempty"`
	Status Success      `json:"status"`
}

type innerList struct {
	Numbers []int `json:"numbers"`
}

type element struct {
	At    earshot.Date `json:"at"`
	Value float64      `json:"value"`
}

// elements returns n elements, and calls each before it returns the next one.
func elements(n int, each func()) Seq[element] {
	return func(yield func(element) bool) {
		for i := range n {
			each()
			if !yield(element{earshot.Date{Year: 2026, Month: 3, Day: 1}, float64(i)}) {
				return
			}
		}
	}
}

func longRoute(response listResponse) http.Handler {
	return New(Options{}, []Route{Handle("GET", "/x", Public, func(context.Context, *earshot.Caller, struct{}) (listResponse, error) {
		return response, nil
	})})
}

func TestLongResponses(t *testing.T) {
	numbers := make([]int, 100_000)
	var want strings.Builder
	fmt.Fprintf(&want, `{"name":"n","inner":{"numbers":[%s]},"long":[`, strings.TrimSuffix(strings.Repeat("0,", len(numbers)), ","))
	for i := range 20_000 {
		if i > 0 {
			want.WriteByte(',')
		}
		fmt.Fprintf(&want, `{"at":"2026-03-01","value":%d}`, i)
	}
	want.WriteString(`],"status":"success"}`)
	sizes, w := []int{}, httptest.NewRecorder()
	h := longRoute(listResponse{Name: "n", Inner: innerList{numbers}, Long: elements(20_000, func() {
		if n := w.Body.Len(); len(sizes) == 0 || n != sizes[len(sizes)-1] {
			sizes = append(sizes, n)
		}
	})})
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	check(t, w, 200, want.String())
	if w.Header().Get("Content-Length") != "" || w.Header().Get("Content-Type") != jsonType || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got headers %v", w.Header())
	}
	if len(sizes) < 3 {
		t.Errorf("the parts ended at %d, want several", sizes)
	}
}

func TestShortListsHaveALength(t *testing.T) {
	w := request(longRoute(listResponse{Name: "n", Inner: innerList{[]int{1, 2}}, Long: elements(1, func() {})}), "GET", "/x", "")
	check(t, w, 200, `{"name":"n","inner":{"numbers":[1,2]},"long":[{"at":"2026-03-01","value":0}],"status":"success"}`)
	if got := w.Header().Get("Content-Length"); got != strconv.Itoa(w.Body.Len()) {
		t.Errorf("got length %s", got)
	}
}

// TestLongResponsesUseLittleMemory encodes 12 MB.
func TestLongResponsesUseLittleMemory(t *testing.T) {
	var most uint64
	var start, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&start)
	i := 0
	h := longRoute(listResponse{Long: elements(300_000, func() {
		if i++; i%100_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc-min(now.HeapAlloc, start.HeapAlloc))
		}
	})})
	h.ServeHTTP(&discarder{header: http.Header{}}, httptest.NewRequest("GET", "/x", nil))
	if i != 300_000 || most > 4<<20 {
		t.Errorf("%d elements took up to %d bytes", i, most)
	}
}

// A discarder is a client that reads everything and keeps nothing.
type discarder struct{ header http.Header }

func (d *discarder) Header() http.Header         { return d.header }
func (d *discarder) Write(p []byte) (int, error) { return len(p), nil }
func (d *discarder) WriteHeader(int)             {}

func TestLongResponseEncodingError(t *testing.T) {
	defer func() {
		if r := recover(); r != http.ErrAbortHandler {
			t.Errorf("got %v, want the connection to be closed", r)
		}
	}()
	request(longRoute(listResponse{Long: func(yield func(element) bool) {
		elements(20_000, func() {})(yield)
		yield(element{Value: math.NaN()})
	}}), "GET", "/x", "")
}
