package earshot

import (
	"slices"
	"time"
)

// A Stream delivers new posts from some of a team's monitors. A post that several of the monitors
// select is delivered once for each of them.
type Stream struct {
	ID       StreamID
	Name     string
	Team     TeamID
	Monitors []StreamMonitor
	Created  time.Time
}

// A StreamMonitor is a monitor that feeds a stream.
type StreamMonitor struct {
	ID MonitorID

	// After is the end of the journal at the time the monitor was added. The stream receives only
	// posts from later entries.
	After Position
}

// MonitorIndex returns the index of a monitor in the stream, or -1.
func (s *Stream) MonitorIndex(id MonitorID) int {
	return slices.IndexFunc(s.Monitors, func(m StreamMonitor) bool { return m.ID == id })
}

// ErrNoStream is the error for a stream that does not exist or that the caller may not see.
var ErrNoStream = &Error{Kind: NotFound, Message: "Stream cannot be accessed. Reason is 'Stream does not exist'"}
