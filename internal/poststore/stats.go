package poststore

import "time"

// Stats describes the state of a store.
type Stats struct {
	Engine      string
	Posts       int64
	Segments    int
	Bytes       int64         // on disk
	Quarantined []Quarantined // results do not include these
}

// A Quarantined describes a damaged segment that the store no longer uses.
type Quarantined struct {
	Name   string
	Posts  int64
	Since  time.Time
	Reason string
}
