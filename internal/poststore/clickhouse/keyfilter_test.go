package clickhouse

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
)

func TestKeyFilter(t *testing.T) {
	sum := func(i int) uint64 {
		return keyHash(poststore.SumOf(earshot.PostKey{Source: earshot.Twitter, GUID: fmt.Sprint(i)}))
	}
	const keys = 1_000_000
	f := newKeyFilter(keys)
	for i := range keys {
		f.add(sum(i))
	}
	maybe := 0
	for i := range keys {
		if !f.mayContain(sum(i)) {
			t.Fatalf("key %d was added and is not found", i)
		}
		if f.mayContain(sum(keys + i)) {
			maybe++
		}
	}
	if maybe > keys/100 {
		t.Errorf("%d of %d new keys would be looked up, want 1%%", maybe, keys)
	}
}

// TestKnownKeys checks that posts are replaced with the filter of the process that stored them, with
// that of a later process, and after another process has written.
func TestKnownKeys(t *testing.T) {
	server := chtest.Open(t)
	db, err := chhttp.New(chhttp.Options{URL: server.URL, Database: server.Database})
	check(t, err)
	check(t, Migrate(t.Context(), db, Topology{}, nil))
	open := func() *Store {
		s, err := Open(t.Context(), Options{Client: db})
		check(t, err)
		t.Cleanup(func() { check(t, s.Close()) })
		return s
	}
	at, stored := earshot.Position(0), 0
	// store stores the posts [first, last). Those before stored replace earlier versions.
	store := func(s *Store, first, last int) {
		t.Helper()
		var posts []poststore.MatchedPost
		for i := first; i < last; i++ {
			posts = append(posts, poststore.MatchedPost{Post: earshot.Post{
				Source: earshot.Twitter, GUID: fmt.Sprint(i), Contents: "a post", Time: time.Unix(int64(i), 0),
			}, Sets: []poststore.SetID{1}})
		}
		at++
		stored = max(stored, last)
		check(t, s.Append(t.Context(), at, posts))
		for _, set := range []poststore.SetID{0, 1} {
			rows, err := poststore.TallyOne(t.Context(), s, poststore.Selection{Set: set}, poststore.Tally{})
			check(t, err)
			if rows[0].Posts != int64(stored) {
				t.Fatalf("set %d has %d posts after those from %d to %d, want %d", set, rows[0].Posts, first, last, stored)
			}
		}
	}
	first := open()
	store(first, 0, 100)
	check(t, first.readFilter(t.Context()))
	store(first, 50, 150)
	store(first, 100, 200)

	second := open()
	store(second, 150, 250)
	check(t, second.readFilter(t.Context()))
	store(second, 0, 300)

	// The first one writes again. It must not rely on what it knew.
	first.writing.Lock()
	first.failed = true
	first.writing.Unlock()
	store(first, 200, 320)
	check(t, first.readFilter(t.Context()))
	store(first, 0, 330)
}

// TestFilterWaitsForChange checks that a filter includes the keys of a change that is being stored while
// the filter is read.
func TestFilterWaitsForChange(t *testing.T) {
	server := chtest.Open(t)
	target, err := url.Parse(server.URL)
	check(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	inserting, insert, reading := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		switch {
		case strings.HasPrefix(r.URL.Query().Get("query"), "INSERT INTO `keys`"):
			close(inserting)
			<-insert
		case bytes.HasPrefix(body, []byte("SELECT toUInt64(key)")):
			reading <- struct{}{}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	db, err := chhttp.New(chhttp.Options{URL: proxy.URL, Database: server.Database})
	check(t, err)
	check(t, Migrate(t.Context(), db, Topology{}, nil))
	s, err := Open(t.Context(), Options{Client: db})
	check(t, err)
	defer s.Close()

	stored, read := make(chan error), make(chan error)
	post := earshot.Post{Source: earshot.Twitter, GUID: "1", Time: time.Unix(1, 0)}
	go func() { stored <- s.Append(t.Context(), 1, []poststore.MatchedPost{{Post: post}}) }()
	<-inserting
	go func() { read <- s.readFilter(t.Context()) }()
	select {
	case <-reading:
		t.Error("keys were read while some were being inserted")
	case <-time.After(100 * time.Millisecond): // it waits
	}
	close(insert)
	check(t, <-stored)
	check(t, <-read)
	if sums := []poststore.KeySum{poststore.SumOf(post.Key())}; len(s.known.unsure(sums)) != 1 {
		t.Error("the filter lacks the key")
	}
}
