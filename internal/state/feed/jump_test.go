package feed

import (
	"testing"
	"time"
)

func TestNumbersThatReadersMayKnowAreNotUsedAgain(t *testing.T) {
	first := Jumps(nil).Add(4, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	lost := Jumps(nil).Add(6, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)) // of a feed that was put back and is lost
	second := first.Add(9, time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC))
	at := func(j Jumps, stored uint64) Place { return Place{Message: j.Number(stored), Index: 2} }
	f := func(name string, j Jumps, p, want Place) {
		t.Helper()
		if got := j.Stored(p); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	f("no jumps", nil, Place{12, 2}, Place{12, 2})
	f("in the copy", first, Place{4, 2}, Place{4, 2})
	f("lost", first, Place{5, 2}, Place{4, behind})
	f("lost, much later", first, Place{1 << 39, 1}, Place{4, behind})
	f("after the first jump", first, at(first, 5), Place{5, 2})
	f("zero", second, Place{}, Place{})
	f("end", second, End, End)
	f("from before both", second, Place{3, 1}, Place{3, 1})
	f("lost by the first", second, Place{7, 1}, Place{4, behind})
	f("between them", second, at(first, 9), Place{9, 2})
	f("lost by the second", second, at(first, 10), Place{9, behind})
	f("of a feed that is lost", second, at(lost, 7), Place{9, behind})
	f("after both", second, at(second, 10), Place{10, 2})
	last := uint64(0)
	for stored := range uint64(20) {
		if n := second.Number(stored); stored > 0 && n <= last {
			t.Errorf("message %d has number %d, the one before it %d", stored, n, last)
		} else {
			last = n
		}
	}
	if again := second.Add(12, time.Date(2026, 3, 3, 0, 0, 30, 0, time.UTC)); again.Number(13) <= second.Number(13) {
		t.Error("a second jump within a minute uses numbers again")
	}
}
