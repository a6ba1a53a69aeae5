package clustertest

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var benchPosts = flag.Int("posts", 100_000, "number of posts that BenchmarkCluster uploads to a cluster before a node joins")

// Sizes of a measurement.
const (
	benchUploads = 200 // requests
	benchBatch   = 100 // documents in a request
	benchClients = 4
)

// BenchmarkCluster measures uploads to one node, to three, and to two of three; how long the roles of
// a killed node rest; and how long an empty node needs to join. Clients and nodes share the cores of
// this machine, so three nodes have a third of it each:
//
//	go test ./internal/app/clustertest -run '^$' -bench Cluster -benchtime 1x -timeout 2h -posts 500000
func BenchmarkCluster(b *testing.B) {
	binary := build(b)
	b.Run("one-node", func(b *testing.B) {
		u := newBench(b, newCluster(b, binary, 1))
		for b.Loop() {
			u.measure(b, u.c.nodes)
		}
	})
	three := sync.OnceValue(func() *uploadBench { return newBench(b, newCluster(b, binary, size)) })
	b.Run("three-nodes", func(b *testing.B) {
		u := three()
		for b.Loop() {
			u.measure(b, u.c.nodes)
		}
	})
	b.Run("two-of-three-nodes", func(b *testing.B) {
		u := three()
		for b.Loop() {
			victim := u.c.holder("streams")
			killed := time.Now()
			u.c.kill(victim)
			b.ReportMetric(u.c.awaitTakeover(victim, killed).Seconds(), "takeover-s")
			u.measure(b, slices.DeleteFunc(slices.Clone(u.c.nodes), func(n *node) bool { return n == victim }))
			u.c.restart(victim)
		}
	})
	b.Run("join", func(b *testing.B) {
		u := three()
		for b.Loop() {
			for u.posts.Load() < int64(*benchPosts) {
				u.upload(b, u.c.nodes, benchUploads)
			}
			u.awaitStored(b, u.c.nodes)
			u.c.awaitReplicas()
			n := u.c.nodes[size-1]
			u.c.kill(n)
			u.c.empty(n)
			began := time.Now()
			u.c.restart(n)
			b.ReportMetric(time.Since(began).Seconds(), "join-s")
			b.ReportMetric(float64(u.posts.Load()), "posts")
			u.awaitStored(b, u.c.nodes)
		}
	})
}

// A uploadBench is a cluster with a content source that takes documents.
type uploadBench struct {
	c       *cluster
	source  int64
	monitor int64
	posts   atomic.Int64
}

func newBench(b *testing.B, c *cluster) *uploadBench {
	b.Helper()
	n := c.nodes[0]
	var team, monitor struct{ ID int64 }
	var source struct{ ContentSource struct{ ID int64 } }
	c.must(n, "POST", "/manage/v1/teams", `{"name":"Bench"}`, &team)
	c.must(n, "POST", monitorsPath, fmt.Sprintf(`{"name":"All","team":%d,"keywords":"coffee","start":"2024-03-01"}`, team.ID), &monitor)
	c.must(n, "POST", "/api/content/sources", fmt.Sprintf(`{"name":"Bench","teamid":"%d"}`, team.ID), &source)
	return &uploadBench{c: c, source: source.ContentSource.ID, monitor: monitor.ID}
}

// measure uploads documents to nodes and reports the rate and the latency.
func (u *uploadBench) measure(b *testing.B, nodes []*node) {
	b.Helper()
	began := time.Now()
	latencies := u.upload(b, nodes, benchUploads)
	uploaded := time.Since(began)
	u.awaitStored(b, nodes)
	stored := time.Since(began)
	slices.Sort(latencies)
	const documents = benchUploads * benchBatch
	b.ReportMetric(documents/uploaded.Seconds(), "docs/s")
	b.ReportMetric(documents/stored.Seconds(), "stored-docs/s")
	b.ReportMetric(float64(latencies[len(latencies)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds())/1000, "p99-ms")
}

// upload sends requests to nodes in turn, and returns how long each took.
func (u *uploadBench) upload(b *testing.B, nodes []*node, requests int) []time.Duration {
	b.Helper()
	latencies := make([]time.Duration, requests)
	var next atomic.Int64
	var clients sync.WaitGroup
	for range benchClients {
		clients.Go(func() {
			for i := next.Add(1) - 1; i < int64(requests); i = next.Add(1) - 1 {
				body := benchBody(u.posts.Add(benchBatch))
				began := time.Now()
				a, err := u.c.call(nodes[int(i)%len(nodes)], "POST", fmt.Sprintf("/api/content/upload?documentType=%d", u.source), body)
				if err != nil || a.status != http.StatusOK {
					b.Errorf("upload: %v %+v", err, a)
					return
				}
				latencies[i] = time.Since(began)
			}
		})
	}
	clients.Wait()
	if b.Failed() {
		b.FailNow()
	}
	return latencies
}

// benchBody returns documents that end with a number.
func benchBody(end int64) string {
	var docs []map[string]string
	for i := end - benchBatch; i < end; i++ {
		docs = append(docs, map[string]string{
			"guid": fmt.Sprint(i), "url": fmt.Sprintf("https://example.com/%d", i), "title": "", "author": fmt.Sprintf("author%d", i%5000),
			"date":     fmt.Sprintf("2024-03-%02dT%02d:00:00", firstDay+i%5, i%24),
			"contents": "Coffee number " + strings.Repeat(fmt.Sprintf("%d and then ", i), 8) + "home",
		})
	}
	text, err := json.Marshal(map[string]any{"items": docs})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// awaitStored waits until all documents are counted on nodes.
func (u *uploadBench) awaitStored(b *testing.B, nodes []*node) {
	b.Helper()
	want := u.posts.Load()
	for _, n := range nodes {
		u.c.await(fmt.Sprintf("node %s has %d documents", n.name, want), func() error {
			var volume struct {
				Total int64 `json:"numberOfDocuments"`
			}
			if err := u.c.try(n, "GET", fmt.Sprintf("/api/monitor/volume?id=%d&%s", u.monitor, allDays), "", &volume); err != nil {
				return err
			}
			if volume.Total != want {
				return fmt.Errorf("it has %d", volume.Total)
			}
			return nil
		})
	}
}
