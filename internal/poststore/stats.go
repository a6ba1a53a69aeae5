package poststore

import "time"

// Stats describes a store.
type Stats struct {
	Engine      string
	Posts       int64
	Segments    int
	Bytes       int64         // on disk
	Quarantined []Quarantined // what results lack
}

// A Quarantined is a damaged segment that the store has taken out of use.
type Quarantined struct {
	Name   string
	Posts  int64
	Since  time.Time
	Reason string
}
