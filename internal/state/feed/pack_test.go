package feed

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
)

func TestRunsAreDividedIntoMessages(t *testing.T) {
	large := strings.Repeat("x", maxMessageBytes/2)
	f := func(tail Tail, runs []Run, want ...string) {
		t.Helper()
		var got []string
		for _, m := range tail.Pack(3, 99, runs) {
			if m.Epoch != 3 || m.UpTo != 99 || m.Count != len(m.Items) {
				t.Errorf("got the head %+v of %d items", m.Header, len(m.Items))
			}
			got = append(got, fmt.Sprintf("%d items after %d, complete %d", m.Count, m.Before, m.Complete))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	f(Tail{}, nil)
	f(Tail{}, []Run{items(5, 0, "")})
	f(Tail{}, []Run{items(5, 2, ""), items(6, 3, "")}, "5 items after 0, complete 6")
	f(Tail{Complete: 5, Total: 12}, []Run{items(4, 1, ""), items(5, 2, ""), items(6, 3, "")}, "3 items after 12, complete 6")
	f(Tail{Complete: 6}, []Run{items(6, 3, "")})
	f(Tail{}, []Run{items(5, 100, "")}, "100 items after 0, complete 5")
	// A message that ends in the middle of a run does not complete the run.
	f(Tail{}, []Run{items(5, 60, ""), items(6, 150, "")},
		"100 items after 0, complete 5", "100 items after 100, complete 5", "10 items after 200, complete 6")
	f(Tail{}, []Run{items(5, 5, large)}, "2 items after 0, complete 0", "2 items after 2, complete 0", "1 items after 4, complete 5")
	f(Tail{}, []Run{items(5, 2, large+large+large)}, "1 items after 0, complete 0", "1 items after 1, complete 5")
}

func TestTheTailIgnoresPositionsOfAnotherJournal(t *testing.T) {
	h := Header{Epoch: 2, Complete: 7, Before: 10, Count: 5}
	for epoch, want := range map[uint64]Tail{2: {Complete: 7, Total: 15}, 3: {Total: 15}} {
		if got := h.Tail(epoch); got != want {
			t.Errorf("epoch %d: got %+v, want %+v", epoch, got, want)
		}
	}
}

func items(p earshot.Position, n int, post string) Run {
	return Run{Position: p, Items: slices.Repeat([]Item{{Post: post}}, n)}
}
