package local

import (
	"fmt"
	"testing"

	"earshot"
	"earshot/internal/poststore/local/segment"
	"earshot/internal/test/testenv"
)

func TestKeyFilter(t *testing.T) {
	testenv.SkipUnderRace(t)
	key := func(i int) segment.Key {
		return segment.KeyOf(earshot.PostKey{Source: earshot.Twitter, GUID: fmt.Sprint(i)})
	}
	f := newKeyFilter(0)
	const keys = minStageKeys + minStageKeys/4 // reaches the second stage
	for i := range keys {
		f.add(key(i))
	}
	if len(f.stages) != 2 {
		t.Errorf("got %d stages, want 2", len(f.stages))
	}
	for i := range keys {
		if !f.has(key(i)) {
			t.Fatalf("key %d is missing", i)
		}
	}
	wrong := 0
	for i := range 100_000 {
		if f.has(key(keys + i)) {
			wrong++
		}
	}
	if wrong > 3000 {
		t.Errorf("got %d false positives among 100,000 keys, want at most 3,000", wrong)
	}
	t.Logf("%d false positives among 100,000 new keys", wrong)
}
