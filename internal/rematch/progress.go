package rematch

import "time"

// Progress is how far long work on stored posts is: a rematch of a monitor, or reinference.
type Progress struct {
	State   State
	Done    int64     // posts processed
	Total   int64     // posts to process; 0 while unknown
	Started time.Time // zero: not yet
	Message string    // a sentence for people; may be empty
}

// A State is the stage that the work has reached.
type State string

const (
	Idle    State = "idle" // none since the service started
	Waiting State = "waiting"
	Running State = "running"
	Failed  State = "failed" // and will be retried
	Done    State = "done"
)
