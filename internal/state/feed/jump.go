package feed

import (
	"errors"
	"slices"
	"time"
)

// ErrBeyondEnd says that a place is behind everything that was ever appended: it is of a feed that
// is lost.
var ErrBeyondEnd = errors.New("feed: no such place yet")

// A Jump is that the numbers of messages went on with others, because the feed was put back from
// a copy. What was appended after the copy was made is lost, but its numbers may be known to
// readers; so they are not used again.
type Jump struct {
	After uint64 // the last message of the copy, as it is stored
	To    uint64 // the number before that of the next message
}

// numbersPerMinute is how many numbers there are for the messages of one minute in which a feed may be
// put back.
const numbersPerMinute = 1 << 40

// jumpEpoch is when the first feed could have been put back.
var jumpEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Jumps are those of a feed, oldest first.
type Jumps []Jump

// Add returns the jumps of a feed that is put back now, from a copy whose last message is stored
// as a number.
func (j Jumps) Add(last uint64, now time.Time) Jumps {
	minutes := uint64(max(now.Sub(jumpEpoch)/time.Minute, 0)) + 1
	to := max(minutes*numbersPerMinute, j.Number(last)+1)
	return append(slices.Clone(j), Jump{After: last, To: to})
}

// Number returns the number of a message that is stored as one.
func (j Jumps) Number(stored uint64) uint64 {
	for i := len(j) - 1; i >= 0; i-- {
		if stored > j[i].After {
			return j[i].To + stored - j[i].After
		}
	}
	return stored
}

// StoredCursor returns a place by the number that its message is stored as. A message that was lost is
// taken for the last one before it that was not.
func (j Jumps) StoredCursor(p Cursor) Cursor {
	if p == End {
		return p
	}
	next := len(j) // the first jump that the place is before
	for next > 0 && p.Message <= j[next-1].To {
		next--
	}
	if next > 0 {
		p.Message = j[next-1].After + p.Message - j[next-1].To
	}
	if next < len(j) && p.Message > j[next].After {
		return Cursor{Message: j[next].After, Index: pastEnd}
	}
	return p
}

// pastEnd is an index that is behind all items of a message.
const pastEnd = 1 << 30
