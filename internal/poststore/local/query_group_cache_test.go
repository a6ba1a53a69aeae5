package local

import "testing"

func TestGroupingCache(t *testing.T) {
	var c groupingCache
	key := func(n int) groupingKey { return groupingKey{byte(n), byte(n >> 8)} }
	has := func(n int) bool {
		_, ok := c.get(key(n))
		return ok
	}
	for n := range maxGroupings + 1 {
		c.add(key(n), &grouping{groups: make([]uint32, 1)})
		if !has(0) {
			t.Fatalf("the grouping that was used last was evicted after %d more", n)
		}
	}
	if has(1) || !has(2) {
		t.Errorf("got %v and %v for the oldest groupings, want only the newer one", has(1), has(2))
	}
	c.add(key(1000), &grouping{groups: make([]uint32, maxGroupedRows)})
	if len(c.entries) != 1 || !has(1000) {
		t.Errorf("got %d groupings next to the largest one, want none", len(c.entries)-1)
	}
}
