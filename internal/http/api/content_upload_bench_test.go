//go:build unix

package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot"
	"earshot/internal/http/rest"
)

// BenchmarkUpload measures how long it takes to read the bodies of uploads. It must take less
// than 300 ms of CPU time to refuse a body of 20 MB.
func BenchmarkUpload(b *testing.B) {
	h := uploadReader()
	f := func(name string, status int, body string) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			start := cpuTime()
			for b.Loop() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("POST", "/upload?auth=t", strings.NewReader(body)))
				if w.Code != status {
					b.Fatalf("got %d %s, want %d", w.Code, earshot.Clip(w.Body.String(), 200), status)
				}
			}
			b.ReportMetric(float64((cpuTime()-start).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
	f("valid, 1,000 short documents", 200, documents(1000, 300))
	f("valid, 1,000 long documents", 200, documents(1000, 16_000))
	for name, body := range hostileUploads(20 << 20) {
		status := http.StatusBadRequest
		if name == "too many items" {
			status = http.StatusRequestEntityTooLarge
		}
		f("refused, "+name, status, body)
	}
}

// cpuTime returns the time that the process has spent computing. On a busy machine, requests take
// longer than that.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// uploadReader serves uploads that are read and then dropped.
func uploadReader() http.Handler {
	return rest.New(rest.Options{Authenticate: func(context.Context, string) (*earshot.Caller, error) {
		return earshot.NewCaller(&earshot.User{ID: 1, Username: "ada"}), nil
	}}, []rest.Route{rest.Handle("POST", "/upload", rest.SignedIn, func(_ context.Context, _ *earshot.Caller, p uploadParams) (int, error) {
		return len(p.Body.Items), nil
	})})
}

// documents returns an upload of n documents with texts of this many characters.
func documents(n, length int) string {
	text := strings.Repeat("The new coffee is \\\"lovely\\\". ", length/30)
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"guid":"%d","date":"2026-03-01T08:30:00Z","contents":"%s","author":"ann","url":"http://example.com/%d",`+
			`"language":"en","age":30,"geolocation":{"latitude":1.5,"longitude":-3},"custom":{"store":"Rome"}}`, i, text, i))
	}
	return `{"items":[` + strings.Join(items, ",") + `]}`
}

// hostileUploads returns invalid bodies of about this many bytes by what is wrong with them.
func hostileUploads(size int) map[string]string {
	fill := func(before, fill, after string) string {
		return before + strings.Repeat(fill, (size-len(before)-len(after))/len(fill)) + after
	}
	megabyte := `{"contents":"` + strings.Repeat("a", 1<<20) + `"}`
	return map[string]string{
		"long texts":                      fill(`{"items":[`, megabyte+",", megabyte+`]}`),
		"a string instead of a document":  fill(`{"items":["`, "a", `"]}`),
		"a string instead of a number":    fill(`{"items":[{"age":"`, "a", `"}]}`),
		"a list instead of a string":      fill(`{"items":[{"guid":[`, `"a",`, `1]}]}`),
		"a long number":                   fill(`{"items":[{"age":`, "1", `}]}`),
		"a long number in an unknown key": fill(`{"x":`, "1", `}`),
		"an error at the end":             fill(`{"items":[{"title":"`, "a", `"},{"author":5}]}`),
		"an error of syntax at the end":   fill(`{"items":[{"title":"`, "a", `"}]]`),
		"escapes and an error at the end": fill(`{"items":[{"title":"`, `\u00e9`, `"},{"age":"x"}]}`),
		"spaces and an error at the end":  fill(``, " ", `{"items":7}`),
		"unknown keys":                    fill(`{`, `"a":1,`, `"items":7}`),
		"unknown keys in a document":      fill(`{"items":[{`, `"a":1,`, `"age":"x"}]}`),
		"custom fields":                   fill(`{"items":[{"custom":{`, `"a":"",`, `"b":1}}]}`),
		"lists in an unknown key":         fill(`{"x":[`, `[],`, `[]],"items":7}`),
		"deep nesting":                    fill(``, "[", ``),
		"deep nesting in an unknown key":  fill(`{"x":`, `{"x":`, ``),
		"too many items":                  fill(`{"items":[`, `{},`, `{}]}`),
		"not UTF-8 at the end":            fill(`{"items":[{"title":"`, "a", "\xff\"}]}"),
	}
}
