package catalog

import (
	"time"

	"earshot"
)

// A Checkpoint is what a live source has done so far. It is written every few seconds, so the
// journal may have later cursors of the source.
type Checkpoint struct {
	Cursor   string
	Position earshot.Position // Cursor is the newest up to this position of the journal

	Events     int64
	Posts      int64
	Deletions  int64
	Skipped    map[string]int64 // by reason
	Bytes      int64
	Reconnects int64

	GapTime  time.Duration
	Gaps     []Gap     // the newest 100, oldest first
	LastPost time.Time // when the newest post was delivered
	LastLive time.Time // when the source was last connected
}

// A Gap is a period for which a live source may have missed posts.
type Gap struct {
	From, To time.Time
	Reason   string
}
