package earshot

import (
	"sync"
	"time"
)

// zones caches time zones by name. It never evicts: the definition of a name does not change while
// the process runs, and there are only a few hundred names.
var zones sync.Map

// Zone is a cached [time.LoadLocation], which parses the zone on every call. Zone is cheap enough
// to call for every post. It is safe for concurrent use.
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

// ZoneBounds is t.ZoneBounds with a workaround: on the last day of a leap year, for zones defined
// by a rule, the standard library may return bounds that do not contain t. ZoneBounds then starts
// at t or ends one hour after t instead.
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
