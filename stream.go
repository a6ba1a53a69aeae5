package earshot

import (
	"slices"
	"time"
)

// A Stream delivers new posts of some monitors of a team, each post once for every one of the
// monitors that selects it.
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

	// After is the end of the journal when the monitor was added: the stream takes posts of
	// later entries.
	After Position
}

// MonitorIndex returns the index of a monitor in the stream, or -1.
func (s *Stream) MonitorIndex(id MonitorID) int {
	return slices.IndexFunc(s.Monitors, func(m StreamMonitor) bool { return m.ID == id })
}

// ErrNoStream is the error for a stream that does not exist or is not the caller's to see.
var ErrNoStream = &Error{Kind: NotFound, Message: "Stream cannot be accessed. Reason is 'Stream does not exist'"}
