package earshot

import "time"

// Progress tells how far long work on a monitor is: stored posts being matched
// against it after a change.
type Progress struct {
	State   ProgressState
	Done    int64     // posts looked at
	Total   int64     // posts to look at; 0 until that is known
	Started time.Time // zero: not yet
	Message string    // a sentence for people; may be empty
}

// ProgressState is where the work is.
type ProgressState string

const (
	Idle    ProgressState = "idle"    // there was none since the service started
	Waiting ProgressState = "waiting" // for its turn
	Running ProgressState = "running"
	Failed  ProgressState = "failed" // and will be tried again
	Done    ProgressState = "done"
)
