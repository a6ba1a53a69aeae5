package feed

import (
	"testing"
	"time"
)

func TestNumbersOfLostMessagesAreNotReused(t *testing.T) {
	first := Jumps(nil).Add(4, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	lost := Jumps(nil).Add(6, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)) // of a feed that was restored and then lost
	second := first.Add(9, time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC))
	at := func(j Jumps, stored uint64) Cursor { return Cursor{Message: j.Number(stored), Index: 2} }
	f := func(name string, j Jumps, p, want Cursor) {
		t.Helper()
		if got := j.StoredCursor(p); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	f("no jumps", nil, Cursor{12, 2}, Cursor{12, 2})
	f("in the backup", first, Cursor{4, 2}, Cursor{4, 2})
	f("lost", first, Cursor{5, 2}, Cursor{4, pastEnd})
	f("lost, much later", first, Cursor{1 << 39, 1}, Cursor{4, pastEnd})
	f("after the first jump", first, at(first, 5), Cursor{5, 2})
	f("zero", second, Cursor{}, Cursor{})
	f("end", second, End, End)
	f("from before both", second, Cursor{3, 1}, Cursor{3, 1})
	f("lost by the first", second, Cursor{7, 1}, Cursor{4, pastEnd})
	f("between them", second, at(first, 9), Cursor{9, 2})
	f("lost by the second", second, at(first, 10), Cursor{9, pastEnd})
	f("of a lost feed", second, at(lost, 7), Cursor{9, pastEnd})
	f("after both", second, at(second, 10), Cursor{10, 2})
	last := uint64(0)
	for stored := range uint64(20) {
		if n := second.Number(stored); stored > 0 && n <= last {
			t.Errorf("message %d has number %d, the one before it %d", stored, n, last)
		} else {
			last = n
		}
	}
	if again := second.Add(12, time.Date(2026, 3, 3, 0, 0, 30, 0, time.UTC)); again.Number(13) <= second.Number(13) {
		t.Error("a second jump within a minute reuses numbers")
	}
}
