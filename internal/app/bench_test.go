package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/demo"
)

// uploadBody returns a request of n documents with the texts of the demo.
func uploadBody(b *testing.B, prefix string, n int) []byte {
	b.Helper()
	type item struct {
		GUID     string `json:"guid"`
		Date     string `json:"date"`
		Contents string `json:"contents"`
		Title    string `json:"title"`
		Author   string `json:"author"`
		Language string `json:"language"`
		Gender   string `json:"gender"`
	}
	var items []item
	for p := range (demo.Generator{Seed: 1, Days: 10, End: time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)}).Posts() {
		items = append(items, item{
			GUID: fmt.Sprint(prefix, len(items)), Date: p.Time.Format(time.RFC3339), Contents: p.Contents + " coffee",
			Title: p.Title, Author: p.Author, Language: p.Language, Gender: string(p.Gender),
		})
		if len(items) == n {
			break
		}
	}
	body, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// BenchmarkUpload sends requests of 1,000 documents over loopback. It reports how many documents
// are acknowledged per second, and how many are counted per second, from the first request until
// the last document is counted.
func BenchmarkUpload(b *testing.B) {
	for _, clients := range []int{1, 4} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) { benchmarkUpload(b, clients) })
	}
}

func benchmarkUpload(b *testing.B, clients int) {
	a := open(b, testConfig(b), io.Discard)
	defer a.Close()
	ready(b, a)
	f := newFixture(b, a)
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	address := fmt.Sprintf("%s/api/content/upload?auth=%s&documentType=%d", server.URL, token(b, a), f.source.ID)
	const documents = 1000
	body := uploadBody(b, "XXXXXXXX-", documents)
	b.SetBytes(int64(len(body)))
	b.ResetTimer()
	var next atomic.Int64
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				request := bytes.ReplaceAll(body, []byte("XXXXXXXX"), fmt.Appendf(nil, "%08d", i))
				response, err := http.Post(address, "application/json", bytes.NewReader(request))
				if err != nil {
					b.Error(err)
					return
				}
				answer, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if response.StatusCode != http.StatusOK {
					b.Errorf("%d %s", response.StatusCode, answer)
					return
				}
			}
		})
	}
	wait.Wait()
	acknowledged := b.Elapsed()
	if err := a.CatchUp(b.Context()); err != nil {
		b.Fatal(err)
	}
	counted := b.Elapsed()
	total := float64(b.N * documents)
	b.ReportMetric(total/acknowledged.Seconds(), "acknowledged/s")
	b.ReportMetric(total/counted.Seconds(), "counted/s")
}

// BenchmarkVisible uploads one document at a time and polls the volume until it is counted. It
// measures the time from the response to the upload to the first response that includes the
// document.
func BenchmarkVisible(b *testing.B) {
	a := open(b, testConfig(b), io.Discard)
	defer a.Close()
	ready(b, a)
	f := newFixture(b, a)
	tok := token(b, a)
	var waits []time.Duration
	for i := 0; b.Loop(); i++ {
		f.upload(b, a, fmt.Sprint(i))
		start := time.Now()
		want := fmt.Sprintf(`"numberOfDocuments":%d,`, i+1)
		for {
			_, body := get(b, a, fmt.Sprintf("/api/monitor/volume?auth=%s&id=%d&start=2026-03-02&end=2026-03-03", tok, f.monitor.ID))
			if strings.Contains(body, want) {
				break
			}
		}
		waits = append(waits, time.Since(start))
	}
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkStart measures opening an app on an empty directory until it is ready.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		a := open(b, testConfig(b), io.Discard)
		ready(b, a)
		b.StopTimer()
		a.Close()
		b.StartTimer()
	}
}
