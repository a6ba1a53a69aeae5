package earshot

import (
	"sync"
	"time"
)

// zones are those that were asked for. What a name stands for never changes, and there are
// only some hundred names.
var zones sync.Map

// Zone is time.LoadLocation, which takes zones apart anew each time, for callers who ask
// for every post.
func Zone(name string) (*time.Location, error) {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	known, _ := zones.LoadOrStore(name, zone)
	return known.(*time.Location), nil
}

// ZoneBounds is t.ZoneBounds, which on the last day of a leap year may return bounds that t is
// not in, for zones that go by rules. Then these are of the hour around t.
func ZoneBounds(t time.Time) (from, to time.Time) {
	from, to = t.ZoneBounds()
	if !from.IsZero() && from.After(t) {
		from = t
	}
	if !to.IsZero() && !to.After(t) {
		to = t.Add(time.Hour)
	}
	return from, to
}
