package poststore

import (
	"fmt"
	"math"
	"testing"
)

func TestTopRows(t *testing.T) {
	rows := func() []Row {
		return []Row{{Key: []string{"b", "a"}, Posts: 1}, {Key: []string{"c", "a"}, Posts: 2}, {Key: []string{"a", "b"}, Posts: 1}, {Key: []string{"a", "a"}, Posts: 1}}
	}
	f := func(top int, want string) {
		t.Helper()
		got := ""
		for _, r := range TopRows(rows(), top) {
			got += fmt.Sprint(r.Key, r.Posts, " ")
		}
		if got != want {
			t.Errorf("top %d: got %s, want %s", top, got, want)
		}
	}
	f(0, "[c a] 2 [a a] 1 [a b] 1 [b a] 1 ")
	f(2, "[c a] 2 [a a] 1 ")
	f(9, "[c a] 2 [a a] 1 [a b] 1 [b a] 1 ")
}

func TestSaturatingAdd(t *testing.T) {
	f := func(a, b, want int64) {
		t.Helper()
		if got := SaturatingAdd(a, b); got != want {
			t.Errorf("SaturatingAdd(%d, %d) = %d, want %d", a, b, got, want)
		}
	}
	f(1, 2, 3)
	f(math.MaxInt64-1, 1, math.MaxInt64)
	f(math.MaxInt64, 1, math.MaxInt64)
	f(math.MaxInt64, math.MaxInt64, math.MaxInt64)
	f(5, -7, -2)
	f(math.MaxInt64, -1, math.MaxInt64-1)
	f(-1, math.MaxInt64, math.MaxInt64-1)
	f(math.MinInt64, -1, math.MinInt64)
	f(-1, math.MinInt64, math.MinInt64)
	f(math.MinInt64, math.MaxInt64, -1)
}
