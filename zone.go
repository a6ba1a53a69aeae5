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
