package insight

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

// number is a result whose size is its value.
type number int

func (n number) size() int { return int(n) }

func TestMemo(t *testing.T) {
	var m memo[number]
	computed := 0
	get := func(query string, n number, store bool, err error) string {
		got, err := m.get(t.Context(), memoKey{query: query}, func() (number, bool, error) {
			computed++
			return n, store, err
		})
		return fmt.Sprint(got, " ", err, " ", computed)
	}
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got result, error and computations %q, want %q", got, want)
		}
	}
	f(get("a", 1, true, nil), "1 <nil> 1")
	f(get("a", 2, true, nil), "1 <nil> 1")
	f(get("b", 3, true, nil), "3 <nil> 2")
	f(get("c", 4, false, nil), "4 <nil> 3") // not stored
	f(get("c", 5, true, nil), "5 <nil> 4")
	f(get("d", 6, true, errors.New("no")), "6 no 5") // errors are not stored
	f(get("d", 7, true, nil), "7 <nil> 6")
	f(get("d", 8, true, nil), "7 <nil> 6")
}

func TestMemoEvicts(t *testing.T) {
	var m memo[number]
	put := func(query string, n number) {
		t.Helper()
		if _, err := m.get(t.Context(), memoKey{query: query}, func() (number, bool, error) { return n, true, nil }); err != nil {
			t.Fatal(err)
		}
	}
	has := func(query string) bool { return m.entries[memoKey{query: query}] != nil }

	put("first", 0)
	for i := range maxMemoEntries - 1 {
		put(fmt.Sprint(i), 10)
	}
	put("first", 0)
	put("one more", 10)
	if !has("first") || has("0") || !has("1") || len(m.entries) != maxMemoEntries {
		t.Errorf("got %d results, and the least recently used was not evicted", len(m.entries))
	}
	put("large", maxMemoBytes-30)
	if !has("large") || !has("one more") || len(m.entries) != 3 || m.bytes != maxMemoBytes-2 {
		t.Errorf("got %d results of %d bytes, want the last three", len(m.entries), m.bytes)
	}
	put("too large", maxMemoBytes+1)
	if len(m.entries) != 0 || m.bytes != 0 {
		t.Errorf("got %d results of %d bytes, want none", len(m.entries), m.bytes)
	}
}

func TestMemoComputesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m memo[number]
		release := make(chan struct{})
		computed := 0
		responses := make(chan number, 10)
		for range 10 {
			go func() {
				n, _ := m.get(t.Context(), memoKey{}, func() (number, bool, error) {
					computed++
					<-release
					return 5, true, nil
				})
				responses <- n
			}()
		}
		synctest.Wait()
		close(release)
		synctest.Wait()
		for range 10 {
			if got := <-responses; got != 5 {
				t.Errorf("got %d, want 5", got)
			}
		}
		if computed != 1 {
			t.Errorf("computed %d times, want once", computed)
		}
	})
}

// TestMemoRetriesAfterFailure checks that waiting requests compute the result themselves if the
// request that was computing it is canceled, and that waiting requests can be canceled.
func TestMemoRetriesAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m memo[number]
		first, leave := context.WithCancel(t.Context())
		go m.get(first, memoKey{}, func() (number, bool, error) {
			<-first.Done()
			return 0, false, first.Err()
		})
		synctest.Wait()
		response := make(chan number, 1)
		go func() {
			n, _ := m.get(t.Context(), memoKey{}, func() (number, bool, error) { return 6, true, nil })
			response <- n
		}()
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		synctest.Wait()
		if _, err := m.get(impatient, memoKey{}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled request: got error %v, want %v", err, context.Canceled)
		}
		leave()
		if got := <-response; got != 6 {
			t.Errorf("got %d, want 6", got)
		}
	})
}

// TestMemoConcurrently requests more results than fit, for the race detector.
func TestMemoConcurrently(t *testing.T) {
	var m memo[number]
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 1000 {
				want := number((i*(g+1))%400 + 1)
				got, err := m.get(t.Context(), memoKey{query: fmt.Sprint(want)}, func() (number, bool, error) { return want, i%3 > 0, nil })
				if got != want || err != nil {
					t.Errorf("got %d, %v, want %d", got, err, want)
				}
			}
		})
	}
	all.Wait()
	bytes := 0
	for key, a := range m.entries {
		bytes += a.size(key)
	}
	if bytes != m.bytes || len(m.entries) > maxMemoEntries {
		t.Errorf("%d results have %d bytes, recorded are %d", len(m.entries), bytes, m.bytes)
	}
}

func TestMemoAfterPanic(t *testing.T) {
	var m memo[number]
	func() {
		defer func() { recover() }()
		m.get(t.Context(), memoKey{}, func() (number, bool, error) { panic("oh") })
	}()
	got, err := m.get(t.Context(), memoKey{}, func() (number, bool, error) { return 7, true, nil })
	if got != 7 || err != nil {
		t.Errorf("got %d, %v, want 7", got, err)
	}
}

// TestMemoize queries posts that change between computations and during them.
func TestMemoize(t *testing.T) {
	store := memory.New()
	from := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	sel := poststore.Selection{Set: 7, From: from, To: from.AddDate(0, 0, 1)}
	var at earshot.Position
	add := func(day int, monitor earshot.MonitorID) {
		at++
		p := earshot.Post{Source: earshot.News, GUID: fmt.Sprint(at), Time: from.AddDate(0, 0, day)}
		if err := store.Append(t.Context(), at, []poststore.MatchedPost{{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(monitor)}}}); err != nil {
			t.Fatal(err)
		}
	}
	var m memo[number]
	computed := 0
	get := func(during func()) {
		t.Helper()
		_, err := memoize(t.Context(), store, &m, sel, "how", func() (number, error) {
			computed++
			during()
			return 1, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	f := func(what string, want int) {
		t.Helper()
		if get(func() {}); computed != want {
			t.Errorf("%s: computed %d times, want %d", what, computed, want)
		}
	}
	f("first request", 1)
	f("repeated request", 1)
	add(1, 7)
	f("after a post on another day", 1)
	add(0, 8)
	f("after a post of another monitor", 1)
	add(0, 7)
	f("after a post on the day", 2)
	sel.To = sel.To.Add(time.Hour)
	f("for another range", 3)
	add(0, 7)
	get(func() { add(0, 7) })
	f("after a post that arrived during the computation", 5)
	f("repeated request", 5)
}
