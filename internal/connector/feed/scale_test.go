package feed

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"earshot/internal/connector"
	"earshot/internal/test/testenv"
)

// manyFeeds returns the addresses of feeds on hosts of different sizes: half of the feeds have a
// host of their own, the others share hosts with 2 to 100 feeds.
func manyFeeds(n int) []string {
	var list []string
	for host := 0; len(list) < n; host++ {
		size := 1
		switch {
		case host%1000 == 999:
			size = 100
		case host%10 == 9:
			size = 9
		}
		for i := range min(size, n-len(list)) {
			list = append(list, fmt.Sprintf("https://h%d.example/feed%d", host, i))
		}
	}
	return list
}

// TestTenThousandFeeds polls as many feeds as a source can have, for three hours of virtual time. The
// network checks the limits of each host.
func TestTenThousandFeeds(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	list := manyFeeds(MaxFeeds)
	bubble(t, listOf(list...), func(t *testing.T, w *world) {
		began := time.Now()
		for _, address := range list {
			host, _, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
			w.hosts[host] = func(rw http.ResponseWriter, r *http.Request) {
				<-time.After(300 * time.Millisecond)
				every := time.Duration(len(host)) * time.Hour
				last := time.Now().Truncate(every)
				etag := fmt.Sprint(last.Unix())
				if r.Header.Get("If-None-Match") == etag {
					rw.WriteHeader(http.StatusNotModified)
					return
				}
				rw.Header().Set("ETag", etag)
				var items []string
				for i := range 3 {
					at := last.Add(-time.Duration(i) * every)
					items = append(items, article(fmt.Sprintf("%s-%d", r.URL.Path, at.Unix()), at, "x"))
				}
				rw.Write(rssOf(items...))
			}
		}
		w.sink.discard = true
		w.start()
		w.pass(12 * time.Minute)
		if first := len(w.requests()); first < MaxFeeds {
			t.Errorf("%d feeds were polled in the first 12 minutes, want all", first)
		}
		if n := runtime.NumGoroutine(); n > 100 {
			t.Errorf("%d goroutines run, want no more than a few for each worker", n)
		}
		w.pass(3*time.Hour - time.Since(began))
		polls := len(w.requests())
		w.sink.expectState(t, connector.Live, "")
		if len(w.sink.snapshot().gaps) > 0 {
			t.Errorf("got %d gaps", len(w.sink.snapshot().gaps))
		}
		if polls < MaxFeeds/2 || polls > 15*MaxFeeds {
			t.Errorf("got %d requests in 3 hours", polls)
		}
		if w.sink.snapshot().versions < 3*MaxFeeds {
			t.Errorf("got %d posts, want at least 3 for each feed", w.sink.snapshot().versions)
		}
		t.Logf("%d requests, %d posts in %d batches", polls, w.sink.snapshot().versions, len(w.sink.snapshot().batches))
	})
}

// BenchmarkTenThousandFeeds polls 10,000 feeds on 10,000 hosts over TCP, on a clock that runs 200
// times faster, so that nothing but the machine limits it. The server shares its cores.
func BenchmarkTenThousandFeeds(b *testing.B) {
	const scale = 200
	var items []fakeItem
	for i := range 20 {
		items = append(items, fakeItem{i, fmt.Sprint("Article ", i), strings.Repeat("<p>Some words of an article, with a <a href='https://a.example/'>link</a>.</p>", 15), time.Now().Add(-time.Duration(i) * time.Hour)})
	}
	const site = "https://site.example"
	body := string(render("rss", site, items))
	var unchanged atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", `"1"`)
		rw.Header().Set("Cache-Control", "max-age=3600")
		if r.Header.Get("If-None-Match") != "" {
			unchanged.Add(1)
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(rw, strings.ReplaceAll(body, site, "https://"+r.Host))
	}))
	defer server.Close()
	var list []string
	for i := range MaxFeeds {
		list = append(list, fmt.Sprintf("http://h%d.example/feed", i))
	}
	for b.Loop() {
		unchanged.Store(0)
		w := newWorld(&testing.T{}, listOf(list...))
		w.sink.discard = true
		env := w.env()
		began := time.Now()
		wait := env.Wait
		env.Now = func() time.Time { return began.Add(time.Since(began) * scale) }
		env.Wait = func(ctx context.Context, d time.Duration) error { return wait(ctx, d/scale) }
		dialer := &net.Dialer{}
		env.HTTP = &http.Client{Transport: &http.Transport{MaxIdleConns: 16, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		}}}
		before, cpuBefore := heapSize(), cpuTime()
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() { done <- Kind().New(env).Run(ctx, "", w.sink) }()
		await := func(ok func() bool) time.Duration {
			start := time.Now()
			for !ok() {
				select {
				case err := <-done:
					b.Fatal(err)
				case <-time.After(time.Millisecond):
				}
			}
			return time.Since(start)
		}
		first := await(func() bool { return w.sink.snapshot().versions == MaxFeeds*len(items) })
		cpuFirst := cpuTime() - cpuBefore
		b.ReportMetric(float64(MaxFeeds)/first.Seconds(), "polls/s")
		b.ReportMetric(float64(cpuFirst.Microseconds())/MaxFeeds, "µs-cpu/poll")
		b.ReportMetric(float64(w.sink.snapshot().count.Bytes)/MaxFeeds/1000, "kB/poll")

		known, cpuBefore := unchanged.Load(), cpuTime()
		second := await(func() bool { return unchanged.Load()-known >= MaxFeeds })
		b.ReportMetric(float64(MaxFeeds)/second.Seconds(), "unchanged/s")
		b.ReportMetric(float64((cpuTime()-cpuBefore).Microseconds())/MaxFeeds, "µs-cpu/unchanged")

		records := 0
		keys, _ := w.store.Keys(ctx, ">")
		for _, key := range keys {
			e, _ := w.store.Get(ctx, key)
			records += len(e.Value)
		}
		b.ReportMetric(float64(heapSize()-before)/1e6, "MB-heap")
		b.ReportMetric(float64(records)/1e6, "MB-records")
		cancel()
		<-done
	}
}

func heapSize() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
