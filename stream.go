package earshot

import (
	"slices"
	"time"
)

// A Stream hands out the posts of some monitors of a team as they come in, each once for every
// one of the monitors that selects it.
type Stream struct {
	ID       StreamID
	Name     string
	Team     TeamID
	Monitors []StreamMonitor
	Created  time.Time
}

// A StreamMonitor is a monitor of a stream.
type StreamMonitor struct {
	ID MonitorID

	// After is the last journal entry of which the stream takes no posts of the monitor: that
	// at which it was added.
	After Position
}

// Monitor returns the place of a monitor in the stream, -1 when it has it not.
func (s *Stream) Monitor(id MonitorID) int {
	return slices.IndexFunc(s.Monitors, func(m StreamMonitor) bool { return m.ID == id })
}

// ErrNoStream is the answer for a stream that does not exist or is not the caller's to see.
var ErrNoStream = &Error{Kind: NotFound, Message: "Stream cannot be accessed. Reason is 'Stream does not exist'"}
