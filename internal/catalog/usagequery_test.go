package catalog_test

import (
	"context"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/catalog"
	"earshot/internal/catalog/memory"
)

func TestQueriesAreCountedOnceForTheirPeriod(t *testing.T) {
	store := memory.New()
	c := open(t, store)
	f := func(year int, id earshot.ResultID, want int64) {
		t.Helper()
		if got, err := c.CountQuery(t.Context(), calendar(year), id); err != nil || got != want {
			t.Errorf("count %d in %d: got %d, %v, want %d", id, year, got, err, want)
		}
		wantUsed(t, c, year, want)
		wantUsed(t, open(t, store), year, want)
	}
	wantUsed(t, c, 2025, 0)
	f(2025, 7, 1)
	f(2025, 7, 1) // as after a crash
	f(2025, 8, 2)
	f(2026, 8, 0) // the repeat of a query counted in the old year
	f(2026, 9, 1)
	f(2025, 10, 3) // by a node whose clock is behind
	f(2026, 11, 2)
	f(2025, 7, 3)
	wantUsed(t, c, 2027, 0)
}

func TestQueriesOfManyAtTheSameTimeAreAllCounted(t *testing.T) {
	const counters, each = 8, 50
	store := memory.New()
	nodes := []*catalog.Catalog{open(t, store), open(t, store)}
	var wg sync.WaitGroup
	for i := range counters {
		wg.Go(func() {
			for j := range each {
				for _, c := range nodes { // the second one repeats
					if _, err := c.CountQuery(t.Context(), calendar(2026), earshot.ResultID(i*each+j)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	wantUsed(t, nodes[0], 2026, counters*each)
}

func TestTheRecordOfQueriesStaysSmall(t *testing.T) {
	store := memory.New()
	c := open(t, store)
	const counted = 1200
	for i := range earshot.ResultID(counted) {
		year := 2026
		if i < 100 {
			year = 1900 + int(i)
		}
		if _, err := c.CountQuery(t.Context(), calendar(year), 1<<53-counted+i); err != nil {
			t.Fatal(err)
		}
	}
	wantUsed(t, c, 2026, counted-100)
	wantUsed(t, c, 1999, 1)
	wantUsed(t, c, 1900, 0) // long forgotten
	r, err := store.Get(t.Context(), "usage.queries")
	if err != nil || len(r.Value) > 10_000 {
		t.Errorf("got %d bytes, %v, want at most 10,000", len(r.Value), err)
	}
	if used, err := c.CountQuery(t.Context(), calendar(2026), 1<<53-500); err != nil || used != counted-100 {
		t.Errorf("a repeat after 499 others: got %d, %v, want %d", used, err, counted-100)
	}
}

func TestTheStoredFormOfQueriesStays(t *testing.T) {
	store := memory.New()
	c := open(t, store)
	for _, year := range []int{2025, 2026} {
		if _, err := c.CountQuery(t.Context(), calendar(year), earshot.ResultID(year)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := store.Get(t.Context(), "usage.queries")
	want := `{"Periods":[{"Period":{"Start":"2026-01-01","End":"2027-01-01"},"Used":1},` +
		`{"Period":{"Start":"2025-01-01","End":"2026-01-01"},"Used":1}],"Counted":[2025,2026]}`
	if err != nil || string(r.Value) != want {
		t.Errorf("got %s, %v, want %s", r.Value, err, want)
	}
}

func TestAQueryCostsOneReadAndOneWrite(t *testing.T) {
	store := &tracing{Store: memory.New()}
	c := open(t, store)
	for range 2 {
		if _, err := c.CountQuery(t.Context(), calendar(2026), 7); err != nil {
			t.Fatal(err)
		}
	}
	if store.gets != 2 || store.puts != 1 {
		t.Errorf("got %d reads, %d writes, want 2 and 1: a repeat writes nothing", store.gets, store.puts)
	}
}

// A tracing store counts what is asked of it.
type tracing struct {
	catalog.Store
	gets, puts int
}

func (s *tracing) Get(ctx context.Context, key string) (catalog.Record, error) {
	s.gets++
	return s.Store.Get(ctx, key)
}

func (s *tracing) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	s.puts++
	return s.Store.Put(ctx, key, value, revision)
}

func calendar(year int) earshot.Days {
	return earshot.Days{Start: earshot.Date{Year: year, Month: 1, Day: 1}, End: earshot.Date{Year: year + 1, Month: 1, Day: 1}}
}

func wantUsed(t *testing.T, c *catalog.Catalog, year int, want int64) {
	t.Helper()
	if got, err := c.QueriesUsed(t.Context(), calendar(year)); err != nil || got != want {
		t.Errorf("queries of %d: got %d, %v, want %d", year, got, err, want)
	}
}
