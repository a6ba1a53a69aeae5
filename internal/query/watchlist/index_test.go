package watchlist

import (
	"slices"
	"testing"
)

func slotsOf(l postingList) []uint32 {
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

// TestPostingListIsImmutable adds and removes postings, in steps around the chunk size, and checks
// that older lists have not changed.
func TestPostingListIsImmutable(t *testing.T) {
	const n = 3*chunkSize + 5
	for _, step := range []uint32{1, 7, chunkSize - 1, chunkSize, chunkSize + 1, n} {
		var lists []postingList
		var want [][]uint32
		remember := func(l postingList, slots []uint32) {
			lists, want = append(lists, l), append(want, slices.Clone(slots))
		}
		var l postingList
		var slots []uint32
		for from := uint32(0); from < n; from += step {
			added := upTo(n)[from:min(from+step, n)]
			l, slots = l.add(postings(added...)), append(slots, added...)
			remember(l, slots)
		}
		for i := range uint32(n) {
			slot := i * 101 % n // visits all slots, because n and 101 are coprime
			l = l.remove(slot)
			slots = slices.DeleteFunc(slots, func(s uint32) bool { return s == slot })
			if i%97 == 0 {
				remember(l, slots)
			}
		}
		if !l.empty() {
			t.Errorf("steps of %d: got %d postings at the end, want none", step, len(slotsOf(l)))
		}
		for i := range lists {
			if got := slotsOf(lists[i]); !slices.Equal(got, want[i]) {
				t.Fatalf("steps of %d: list %d changed: got %d postings, want %d", step, i, len(got), len(want[i]))
			}
			for _, chunk := range lists[i].chunks {
				if len(chunk) != chunkSize {
					t.Fatalf("steps of %d: got a chunk of %d postings", step, len(chunk))
				}
			}
		}
	}
}

func TestRemoveAbsentPosting(t *testing.T) {
	l := postingList{}.add(postings(upTo(chunkSize + 1)...))
	if got := slotsOf(l.remove(9999)); len(got) != chunkSize+1 {
		t.Errorf("got %d postings, want %d", len(got), chunkSize+1)
	}
}

func TestPostingChecksClausesThatFit(t *testing.T) {
	of := func(numbers ...feature) clause { return clause{features: numbers, kinds: featureKinds(numbers[0])} }
	tests := []struct {
		name    string
		clauses []clause
		post    []feature
		want    bool
	}{
		{"no clause", nil, nil, true},
		{"one feature of a clause", []clause{of(1, 2, 3)}, []feature{2}, true},
		{"no feature of a clause", []clause{of(1, 2, 3)}, []feature{4}, false},
		{"both clauses", []clause{of(1, 2), of(3)}, []feature{2, 3}, true},
		{"one of two clauses", []clause{of(1, 2), of(3)}, []feature{1, 2}, false},
		{"four clauses", []clause{of(1), of(2), of(3), of(4)}, []feature{1, 2, 3, 4}, true},
		{"three of four clauses", []clause{of(1), of(2), of(3), of(4)}, []feature{1, 2, 4}, false},
		{"a clause that does not fit is omitted", []clause{of(1, 2, 3, 4, 5)}, nil, true},
		{"a later clause that fits is checked", []clause{of(1, 2, 3), of(4, 5), of(6)}, []feature{1}, false},
		{"an omitted clause is not checked", []clause{of(1, 2, 3), of(4, 5), of(6)}, []feature{1, 6}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s bloomFilter
			for _, n := range tt.post {
				s.add(n)
			}
			p, _ := newPosting(tt.clauses)
			if got := s.admits(&p); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
			if s.clear(tt.post); s != (bloomFilter{}) {
				t.Error("the Bloom filter is not empty after clear")
			}
		})
	}
	if _, kinds := newPosting([]clause{of(1, 2, 3), of(4, 5), of(8)}); kinds != 1|8 {
		t.Errorf("kinds: got %b, want those of the clauses that fit", kinds)
	}
}

// TestApplyRemovesBeforeAdding replaces the postings of many entries under the same feature.
func TestApplyRemovesBeforeAdding(t *testing.T) {
	const n = 1000
	var added, changes []change
	for slot := range uint32(n) {
		added = append(added, change{feature: 7, posting: posting{slot: slot}})
		changes = append(changes,
			change{feature: 7, remove: true, posting: posting{slot: slot}},
			change{feature: 7, posting: posting{slot: slot, truthTable: 1}})
	}
	x := newIndex().apply(added).apply(changes)
	if got := slotsOf(x.find(7)); !slices.Equal(got, upTo(n)) {
		t.Errorf("got %d postings, want all %d", len(got), n)
	}
	for p := range x.find(7).all() {
		if p.truthTable != 1 {
			t.Fatalf("slot %d still has its old posting", p.slot)
		}
	}
}
