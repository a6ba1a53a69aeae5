package rematch

import "time"

// Progress describes the progress of a long-running operation on stored posts: the rematch of a
// monitor, or reinference.
type Progress struct {
	State   State
	Done    int64     // number of processed posts
	Total   int64     // number of posts to process; 0 while unknown
	Started time.Time // zero if not started
	Message string    // a sentence for the user; may be empty
}

// A State is the stage that an operation has reached.
type State string

const (
	Idle    State = "idle" // no operation since the service started
	Waiting State = "waiting"
	Running State = "running"
	Failed  State = "failed" // will be retried
	Done    State = "done"
)
