package clickhouse

import (
	"context"
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

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/watchlist"
	"earshot/internal/test/testenv"
)

// A flakyProxy forwards requests to a server until it breaks. From then on it fails every request:
// before it reaches the server, or after the server has executed it.
type flakyProxy struct {
	*httptest.Server
	requests, breakAt atomic.Int64
	afterward         atomic.Bool // execute the request that breaks
	broken            func()      // called while that request is executed; may be nil
	calls             sync.WaitGroup
}

func newFlakyProxy(t *testing.T, target string) *flakyProxy {
	p := new(flakyProxy)
	p.breakAt.Store(-1)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, breakAt := p.requests.Add(1)-1, p.breakAt.Load()
		broken := breakAt >= 0 && n >= breakAt
		if broken && (n > breakAt || !p.afterward.Load()) {
			panic(http.ErrAbortHandler)
		}
		if broken && p.broken != nil {
			p.calls.Go(p.broken)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		forward, _ := http.NewRequestWithContext(r.Context(), r.Method, target+r.URL.RequestURI(), strings.NewReader(string(body)))
		forward.Header = r.Header
		resp, err := http.DefaultClient.Do(forward)
		if err != nil || broken {
			panic(http.ErrAbortHandler)
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(p.Close)
	return p
}

// heal makes the proxy forward requests again.
func (p *flakyProxy) heal() {
	p.breakAt.Store(-1)
	p.calls.Wait()
}

// breakAfter makes the proxy fail after some more requests.
func (p *flakyProxy) breakAfter(requests int64, afterward bool) {
	p.afterward.Store(afterward)
	p.breakAt.Store(p.requests.Load() + requests)
}

// steps are the changes of TestFailuresChangeNothing. Each depends on those before it.
func steps(t *testing.T) []func(ctx context.Context, s poststore.Store) error {
	category := poststore.CategorySet(1, 0)
	noon := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	post := func(guid, text string, likes int64, sets ...poststore.SetID) poststore.MatchedPost {
		return poststore.MatchedPost{
			Post:     earshot.Post{Source: earshot.Twitter, GUID: guid, Time: noon, Contents: text, Likes: earshot.Counted(likes)},
			Sets:     sets,
			Received: noon.Add(time.Hour),
		}
	}
	tracked := func(m poststore.MatchedPost, set poststore.SetID) poststore.MatchedPost {
		m.Tracked = []poststore.SetID{set}
		return m
	}
	apple, err := watchlist.Compile(7, earshot.Criteria{Keywords: "apple"})
	if err != nil {
		t.Fatal(err)
	}
	return []func(ctx context.Context, s poststore.Store) error{
		func(ctx context.Context, s poststore.Store) error {
			return s.Append(ctx, 1, []poststore.MatchedPost{post("a", "apple", 1, 1, 2), post("b", "pear", 1, 1, category), post("c", "plum", 1)})
		},
		func(ctx context.Context, s poststore.Store) error {
			return s.Append(ctx, 2, []poststore.MatchedPost{tracked(post("a", "apple", 5, 1), 1), post("d", "apple pear", 1, 2)})
		},
		func(ctx context.Context, s poststore.Store) error {
			return s.AddSnapshots(ctx, 3, 1, []earshot.Snapshot{{Date: earshot.DateOf(noon), Followers: earshot.Counted(7)}})
		},
		func(ctx context.Context, s poststore.Store) error {
			return s.Rematch(ctx, poststore.Rematch{
				Rules: poststore.Rules{1: {}, 3: {Where: apple, UpTo: earshot.EndOfJournal, Generation: 4}},
				Categorizations: []poststore.Categorization{{Posts: 3, Sets: []poststore.SetID{category}, Categorize: func(in []poststore.SetID, p *earshot.Post) []poststore.SetID {
					return append(in, category)
				}}},
			})
		},
		func(ctx context.Context, s poststore.Store) error {
			return s.Reinfer(ctx, poststore.Reinfer{Models: 3, Infer: func(posts []earshot.Post) {
				for i := range posts {
					posts[i].InferredBy, posts[i].Language = 3, "en"
				}
			}})
		},
		func(ctx context.Context, s poststore.Store) error {
			return s.Delete(ctx, 4, earshot.Deletion{Source: earshot.Twitter, GUIDs: []string{"a", "c"}})
		},
	}
}

// summary describes everything that a store contains.
func summary(t *testing.T, s poststore.Store) string {
	t.Helper()
	var b strings.Builder
	ctx := t.Context()
	position, err := s.Position(ctx)
	check(t, err)
	generations, err := s.Generations(ctx)
	check(t, err)
	snapshots, err := s.Snapshots(ctx, 1, earshot.Days{Start: earshot.Date{Year: 2024, Month: 1, Day: 1}, End: earshot.Date{Year: 2025, Month: 1, Day: 1}})
	check(t, err)
	fmt.Fprintf(&b, "position %d, generations %v, snapshots %v\n", position, generations, snapshots)
	for _, set := range []poststore.SetID{0, 1, 2, 3, poststore.CategorySet(1, 0)} {
		posts, total, err := s.Posts(ctx, poststore.Selection{Set: set}, 100)
		check(t, err)
		fmt.Fprintf(&b, "set %d: %d posts", set, total)
		for i := range posts {
			p := &posts[i]
			fmt.Fprintf(&b, ", %s %q %s models %d likes %d", p.GUID, p.Contents, p.Language, p.InferredBy, p.Likes.Int())
		}
		var changes []string
		check(t, s.CounterChanges(ctx, set, time.Unix(0, 0), time.Unix(1<<40, 0), func(c poststore.CounterChange) { changes = append(changes, fmt.Sprint(c)) }))
		slices.Sort(changes)
		fmt.Fprintf(&b, ", changes %v\n", changes)
	}
	return b.String()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFailuresChangeNothing breaks the connection at requests of each change, before the server executes
// them and after: with -long at each request, otherwise at every twelfth, from one that depends on the
// seed. The next process must find either the whole change or nothing of it, and repeating the change
// must succeed and count everything once.
func TestFailuresChangeNothing(t *testing.T) {
	all := steps(t)
	for _, afterward := range []bool{false, true} {
		for i, step := range all {
			t.Run(fmt.Sprintf("step %d, executed %t", i, afterward), func(t *testing.T) {
				t.Parallel()
				first, stride := int64(0), int64(1)
				if !testenv.Long() {
					stride = 12
					first = int64((testenv.Seed() + uint64(i)) % 12)
					if afterward {
						first = (first + 6) % 12
					}
				}
				for n := first; ; n += stride {
					if survived := breakStep(t, all[:i], step, n, afterward); survived {
						if stride == 1 && n < 2 {
							t.Fatalf("the change takes only %d requests", n)
						}
						break
					}
				}
			})
		}
	}
}

// breakStep makes changes and one that breaks after n requests. It reports whether that one succeeded
// because it takes no more requests.
func breakStep(t *testing.T, before []func(context.Context, poststore.Store) error, step func(context.Context, poststore.Store) error, n int64, afterward bool) (survived bool) {
	t.Helper()
	server := chtest.Open(t)
	proxy := newFlakyProxy(t, server.URL)
	reference := memory.New()
	s := reopen(t, proxy, server.Database, true)
	for _, do := range before {
		check(t, do(t.Context(), s))
		check(t, do(t.Context(), reference))
	}
	was := summary(t, reference)
	check(t, step(t.Context(), reference))
	want := summary(t, reference)

	proxy.breakAfter(n, afterward)
	err := step(t.Context(), s)
	survived = err == nil && proxy.requests.Load() <= proxy.breakAt.Load()
	proxy.heal()
	next := reopen(t, proxy, server.Database, false) // as after a crash
	if got := summary(t, next); got != want && (got != was || err == nil) {
		t.Fatalf("broken at request %d (error: %v): got\n%swant\n%sor\n%s", n, err, got, was, want)
	}
	check(t, step(t.Context(), next))
	if got := summary(t, next); got != want {
		t.Fatalf("repeated after breaking at request %d (error: %v): got\n%swant\n%s", n, err, got, want)
	}
	return survived
}

// reopen opens the store through a proxy.
func reopen(t *testing.T, proxy *flakyProxy, database string, create bool) *Store {
	t.Helper()
	client, err := chhttp.New(chhttp.Options{URL: proxy.URL, Database: database, RetryWaits: []time.Duration{}})
	check(t, err)
	if create {
		check(t, Migrate(t.Context(), client, Topology{}, nil))
	}
	s, err := Open(t.Context(), Options{Client: client})
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}
