package insight

import (
	"fmt"
	"testing"
)

func TestWordIndex(t *testing.T) {
	var x wordIndex
	for range 2 {
		for i := range 50_000 { // more than there is room for at first
			if got := x.number(fmt.Sprint(i)); got != i {
				t.Fatalf("got number %d for %q, want %d", got, fmt.Sprint(i), i)
			}
		}
	}
	if len(x.words) != 50_000 || x.words[49_999] != "49999" {
		t.Errorf("got %d words, want 50000", len(x.words))
	}
}
