package limit

import (
	"fmt"
	"testing"
	"time"

	"earshot"
)

func TestVisits(t *testing.T) {
	v := NewVisits(3, 2)
	now := time.Date(2026, 3, 1, 12, 0, 45, 0, time.UTC)
	f := func(err error, want string) {
		t.Helper()
		if err == nil && want != "" || err != nil && (err.Error() != want || !earshot.IsKind(err, earshot.OverLimit)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	const full = "Too many requests. Please try again in 15 s"
	for range 3 {
		f(v.CountNetwork("192.0.2.1", now), "")
	}
	f(v.CountNetwork("192.0.2.1", now), full)
	f(v.CountNetwork("192.0.2.2", now), "")
	for range 2 {
		f(v.CountLink(7, now), "")
	}
	f(v.CountLink(7, now), full)
	f(v.CountLink(8, now), "")
	now = now.Add(15 * time.Second)
	f(v.CountNetwork("192.0.2.1", now), "")
	f(v.CountLink(7, now), "")
	if len(v.links) != 1 {
		t.Errorf("got %d links in a new minute, want 1", len(v.links))
	}
	for i := range 10 {
		f(v.CountNetwork(fmt.Sprintf("2001:db8::%x", i+1), now), map[bool]string{true: "Too many requests. Please try again in 60 s"}[i >= 3]) // one network
	}
}
