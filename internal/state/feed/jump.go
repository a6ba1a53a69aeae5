package feed

import (
	"errors"
	"slices"
	"time"
)

// ErrBeyondEnd means that a cursor is after everything that was ever appended. Such a cursor comes
// from a feed that has been lost.
var ErrBeyondEnd = errors.New("feed: the cursor is beyond the end")

// A Jump is a gap in the numbers of messages that restoring a feed from a backup creates. The
// messages appended after the backup are lost, but readers may have cursors with their numbers, so
// these numbers are not used again.
type Jump struct {
	After uint64 // stored number of the last message in the backup
	To    uint64 // number before that of the next message
}

// numbersPerMinute is how many numbers are reserved for each minute in which a feed may be
// restored: more than a feed ever has messages, and few enough for 30 years.
const numbersPerMinute = 1 << 40

// jumpEpoch is before any feed was restored.
var jumpEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Jumps are the jumps of a feed, oldest first.
type Jumps []Jump

// Add returns the jumps of a feed restored now from a backup whose last message has the given
// stored number.
func (j Jumps) Add(last uint64, now time.Time) Jumps {
	minutes := uint64(max(now.Sub(jumpEpoch)/time.Minute, 0)) + 1
	to := max(minutes*numbersPerMinute, j.Number(last)+1)
	return append(slices.Clone(j), Jump{After: last, To: to})
}

// Number maps the stored number of a message to its number.
func (j Jumps) Number(stored uint64) uint64 {
	for i := len(j) - 1; i >= 0; i-- {
		if stored > j[i].After {
			return j[i].To + stored - j[i].After
		}
	}
	return stored
}

// StoredCursor returns a cursor with the stored number of its message. If the message is lost, it
// returns the cursor after the last earlier message that is not.
func (j Jumps) StoredCursor(c Cursor) Cursor {
	if c == End {
		return c
	}
	next := len(j) // the first jump after the cursor
	for next > 0 && c.Message <= j[next-1].To {
		next--
	}
	if next > 0 {
		c.Message = j[next-1].After + c.Message - j[next-1].To
	}
	if next < len(j) && c.Message > j[next].After {
		return Cursor{Message: j[next].After, Index: pastEnd}
	}
	return c
}

// pastEnd is an index after the items of any message.
const pastEnd = 1 << 30
