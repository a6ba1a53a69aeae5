package catalog_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
)

func TestQueriesAreCountedOnceOnTheirDay(t *testing.T) {
	store := kv.NewMemory()
	c := open(t, store)
	f := func(day earshot.Date, id earshot.ResultID, want int64) {
		t.Helper()
		count(t, c, day, id)
		today := earshot.Days{Start: day, End: day.AddDays(1)}
		wantUsed(t, c, today, want)
		wantUsed(t, open(t, store), today, want)
	}
	oldYear, newYear := date(2025, 12, 31), date(2026, 1, 1)
	wantUsed(t, c, calendar(2025), 0)
	f(oldYear, 7, 1)
	f(oldYear, 7, 1) // as after a crash
	f(oldYear, 8, 2)
	f(newYear, 8, 0) // a repeat of a query counted the day before
	f(newYear, 9, 1)
	f(oldYear, 10, 3) // from a node whose clock is behind
	f(newYear, 11, 2)
	f(oldYear, 7, 3)
	wantUsed(t, c, calendar(2025), 3)
	wantUsed(t, c, calendar(2026), 2)
	wantUsed(t, c, calendar(2027), 0)
}

// TestQueriesCountInEveryPeriodWithTheirDay uses periods that start and end around the days of
// queries.
func TestQueriesCountInEveryPeriodWithTheirDay(t *testing.T) {
	c := open(t, kv.NewMemory())
	for i, day := range []earshot.Date{date(2025, 7, 1), date(2026, 2, 28), date(2026, 2, 28), date(2026, 6, 30)} {
		count(t, c, day, earshot.ResultID(i+1))
	}
	f := func(start, end earshot.Date, want int64) {
		t.Helper()
		wantUsed(t, c, earshot.Days{Start: start, End: end}, want)
	}
	f(date(2025, 7, 1), date(2026, 7, 1), 4)
	f(date(2025, 7, 2), date(2026, 7, 2), 3)
	f(date(2025, 6, 30), date(2026, 6, 30), 3)
	f(date(2026, 1, 1), date(2027, 1, 1), 3)
	f(date(2026, 2, 28), date(2026, 3, 1), 2)
	f(date(2026, 3, 1), date(2027, 3, 1), 1)
	f(date(2026, 7, 1), date(2027, 7, 1), 0)
	f(date(2026, 2, 28), date(2026, 2, 28), 0)
}

func TestConcurrentQueriesAreAllCounted(t *testing.T) {
	const counters, each = 8, 50
	store := kv.NewMemory()
	nodes := []*catalog.Catalog{open(t, store), open(t, store)}
	var wg sync.WaitGroup
	for i := range counters {
		wg.Go(func() {
			for j := range each {
				for _, c := range nodes { // the second catalog repeats the query
					if err := c.CountQuery(t.Context(), date(2026, 3, 1), earshot.ResultID(i*each+j)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	wantUsed(t, nodes[0], calendar(2026), counters*each)
}

func TestTheRecordOfQueriesStaysSmall(t *testing.T) {
	testenv.SkipUnderRace(t)
	store := kv.NewMemory()
	c := open(t, store)
	const counted = 1200 // one per day
	first := date(2023, 1, 1)
	last := first.AddDays(counted - 1) // 2026-04-14
	for i := range counted {
		count(t, c, first.AddDays(i), earshot.ResultID(1<<53-counted+i))
	}
	wantUsed(t, c, earshot.Days{Start: date(2025, 4, 15), End: date(2026, 4, 15)}, 365)
	wantUsed(t, c, earshot.Days{Start: date(2024, 4, 1), End: date(2025, 4, 1)}, 365)
	wantUsed(t, c, earshot.Days{Start: first, End: date(2024, 4, 1)}, 0) // dropped long ago
	r, err := store.Get(t.Context(), "usage.queries")
	if err != nil || len(r.Value) > 12_000 {
		t.Errorf("got %d bytes, %v, want at most 12,000", len(r.Value), err)
	}
	count(t, c, last, 1<<53-500) // a repeat after 499 other queries
	wantUsed(t, c, earshot.Days{Start: last, End: last.AddDays(1)}, 1)
}

func TestAClockThatIsBehindDropsNothing(t *testing.T) {
	c := open(t, kv.NewMemory())
	count(t, c, date(2026, 3, 1), 1)
	count(t, c, date(1970, 1, 1), 2)
	wantUsed(t, c, calendar(2026), 1)
	wantUsed(t, c, calendar(1970), 1)
	count(t, c, date(2026, 3, 1), 3)
	wantUsed(t, c, calendar(2026), 2)
	wantUsed(t, c, calendar(1970), 0)
}

func TestStoredFormOfQueriesIsUnchanged(t *testing.T) {
	store := kv.NewMemory()
	c := open(t, store)
	count(t, c, date(2026, 1, 1), 11)
	count(t, c, date(2025, 12, 31), 9)
	count(t, c, date(2026, 1, 1), 10)
	r, err := store.Get(t.Context(), "usage.queries")
	want := `{"Months":{"2025-12-01":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1],` +
		`"2026-01-01":[2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]},"Counted":[11,9,10]}`
	if err != nil || string(r.Value) != want {
		t.Errorf("got %s, %v, want %s", r.Value, err, want)
	}
}

func TestCountQueryNeedsOneReadAndOneWrite(t *testing.T) {
	store := &countingStore{Store: kv.NewMemory()}
	c := open(t, store)
	count(t, c, date(2026, 3, 1), 7)
	count(t, c, date(2026, 3, 2), 7)
	if store.gets != 2 || store.puts != 1 {
		t.Errorf("got %d reads, %d writes, want 2 and 1: a repeat writes nothing", store.gets, store.puts)
	}
}

// A countingStore counts requests.
type countingStore struct {
	kv.Store
	gets, puts int
}

func (s *countingStore) Get(ctx context.Context, key string) (kv.Entry, error) {
	s.gets++
	return s.Store.Get(ctx, key)
}

func (s *countingStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	s.puts++
	return s.Store.Put(ctx, key, value, revision)
}

func date(year, month, day int) earshot.Date {
	return earshot.Date{Year: year, Month: time.Month(month), Day: day}
}

func calendar(year int) earshot.Days {
	return earshot.Days{Start: date(year, 1, 1), End: date(year+1, 1, 1)}
}

func count(t *testing.T, c *catalog.Catalog, day earshot.Date, id earshot.ResultID) {
	t.Helper()
	if err := c.CountQuery(t.Context(), day, id); err != nil {
		t.Fatalf("count %d on %s: %v", id, day, err)
	}
}

func wantUsed(t *testing.T, c *catalog.Catalog, period earshot.Days, want int64) {
	t.Helper()
	if got, err := c.QueriesUsed(t.Context(), period); err != nil || got != want {
		t.Errorf("queries from %s to before %s: got %d, %v, want %d", period.Start, period.End, got, err, want)
	}
}
