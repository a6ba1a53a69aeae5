package watchlist

import (
	"slices"
	"testing"
)

func slotsOf(l list) []uint32 {
	var slots []uint32
	for p := range l.all() {
		slots = append(slots, p.slot)
	}
	slices.Sort(slots)
	return slots
}

func postings(slots ...uint32) []posting {
	var made []posting
	for _, slot := range slots {
		made = append(made, posting{slot: slot})
	}
	return made
}

func upTo(n uint32) []uint32 {
	var slots []uint32
	for slot := range n {
		slots = append(slots, slot)
	}
	return slots
}

// TestListsKeepTheirPostings adds and removes, in steps around the size of a chunk,
// and looks at the old lists after new ones were made of them.
func TestListsKeepTheirPostings(t *testing.T) {
	const n = 3*chunkSize + 5
	for _, step := range []uint32{1, 7, chunkSize - 1, chunkSize, chunkSize + 1, n} {
		var lists []list
		var want [][]uint32
		remember := func(l list, slots []uint32) {
			lists, want = append(lists, l), append(want, slices.Clone(slots))
		}
		var l list
		var slots []uint32
		for from := uint32(0); from < n; from += step {
			added := upTo(n)[from:min(from+step, n)]
			l, slots = l.plus(postings(added...)), append(slots, added...)
			remember(l, slots)
		}
		for i := range uint32(n) {
			slot := i * 101 % n // all of them: n and 101 have no common divisor
			l = l.without(slot)
			slots = slices.DeleteFunc(slots, func(s uint32) bool { return s == slot })
			if i%97 == 0 {
				remember(l, slots)
			}
		}
		if !l.empty() {
			t.Errorf("steps of %d: %d postings are left, want none", step, len(slotsOf(l)))
		}
		for i := range lists {
			if got := slotsOf(lists[i]); !slices.Equal(got, want[i]) {
				t.Fatalf("steps of %d: list %d has %d postings, want %d, or others", step, i, len(got), len(want[i]))
			}
			for _, chunk := range lists[i].more {
				if len(chunk) != chunkSize {
					t.Fatalf("steps of %d: a chunk of %d", step, len(chunk))
				}
			}
		}
	}
}

func TestRemovingWhatIsNotThereChangesNothing(t *testing.T) {
	l := list{}.plus(postings(upTo(chunkSize + 1)...))
	if got := slotsOf(l.without(9999)); len(got) != chunkSize+1 {
		t.Errorf("got %d postings, want %d", len(got), chunkSize+1)
	}
}

func TestPostingsAskForWhatFits(t *testing.T) {
	of := func(numbers ...number) group { return group{numbers: numbers, traits: traits(numbers[0])} }
	tests := []struct {
		name   string
		groups []group
		post   []number
		want   bool
	}{
		{"no group", nil, nil, true},
		{"one of a group", []group{of(1, 2, 3)}, []number{2}, true},
		{"none of a group", []group{of(1, 2, 3)}, []number{4}, false},
		{"both groups", []group{of(1, 2), of(3)}, []number{2, 3}, true},
		{"one of two groups", []group{of(1, 2), of(3)}, []number{1, 2}, false},
		{"four groups", []group{of(1), of(2), of(3), of(4)}, []number{1, 2, 3, 4}, true},
		{"three of four groups", []group{of(1), of(2), of(3), of(4)}, []number{1, 2, 4}, false},
		{"a group that does not fit is left out", []group{of(1, 2, 3, 4, 5)}, nil, true},
		{"what fits after it counts", []group{of(1, 2, 3), of(4, 5), of(6)}, []number{1}, false},
		{"what does not fit does not count", []group{of(1, 2, 3), of(4, 5), of(6)}, []number{1, 6}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s sieve
			for _, n := range tt.post {
				s.add(n)
			}
			p, _ := newPosting(tt.groups)
			if got := s.admits(&p); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
			if s.clear(tt.post); s != (sieve{}) {
				t.Error("the sieve is not empty after it was cleared")
			}
		})
	}
	if _, asks := newPosting([]group{of(1, 2, 3), of(4, 5), of(8)}); asks != 1|8 {
		t.Errorf("traits asked for: got %b, want those of the groups that fit", asks)
	}
}

// TestRemovalsGoFirst changes many entries that stay under the same number.
func TestRemovalsGoFirst(t *testing.T) {
	const n = 1000
	var added, changes []change
	for slot := range uint32(n) {
		added = append(added, change{number: 7, posting: posting{slot: slot}})
		changes = append(changes,
			change{number: 7, remove: true, posting: posting{slot: slot}},
			change{number: 7, posting: posting{slot: slot, truth: 1}})
	}
	x := newIndex().with(added).with(changes)
	if got := slotsOf(x.find(7)); !slices.Equal(got, upTo(n)) {
		t.Errorf("got %d postings, want all %d", len(got), n)
	}
	for p := range x.find(7).all() {
		if p.truth != 1 {
			t.Fatalf("slot %d has its old posting", p.slot)
		}
	}
}
