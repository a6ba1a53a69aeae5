package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
)

// appendedHeader tells when an entry was appended, where that is not when its
// message was stored: in a dead letter, and after a restore.
const appendedHeader = "Earshot-Appended"

// Trim implements journal.Journal. Times come from the server's clock and are
// taken to grow with the positions.
func (j *Journal) Trim(ctx context.Context, upTo earshot.Position, before time.Time) error {
	state, err := j.streamState(ctx, j.entries)
	if err != nil {
		return err
	}
	last := min(uint64(upTo), state.LastSeq)
	if state.Msgs == 0 || last < state.FirstSeq {
		return nil
	}
	keep, err := j.firstSince(ctx, state.FirstSeq, last+1, before)
	if err != nil {
		return fmt.Errorf("look for the oldest journal entry to keep: %w", err)
	}
	if keep == state.FirstSeq {
		return nil
	}
	if err := j.purge(ctx, keep); err != nil {
		return fmt.Errorf("trim the journal: %w", err)
	}
	return nil
}

// LastBefore implements journal.Journal. Times are as Trim takes them.
func (j *Journal) LastBefore(ctx context.Context, moment time.Time) (earshot.Position, error) {
	state, err := j.streamState(ctx, j.entries)
	if err != nil || state.Msgs == 0 {
		return 0, err
	}
	first, err := j.firstSince(ctx, state.FirstSeq, state.LastSeq+1, moment)
	if err != nil {
		return 0, fmt.Errorf("look for the journal entries before a moment: %w", err)
	}
	if first == state.FirstSeq {
		return 0, nil
	}
	return earshot.Position(first - 1), nil
}

// firstSince returns the position at or after low from which on no entry below
// high is older than a moment.
func (j *Journal) firstSince(ctx context.Context, low, high uint64, moment time.Time) (uint64, error) {
	for low < high {
		middle := low + (high-low)/2
		m, err := j.atOrAfter(ctx, middle)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && m.Sequence >= high:
			high = middle // nothing from there on
		case err != nil:
			return 0, err
		case appendedAt(m.Header, m.Time).Before(moment):
			low = m.Sequence + 1
		default:
			high = middle
		}
	}
	return low, nil
}

// atOrAfter returns the entry at a position or, when there is none, the next one.
func (j *Journal) atOrAfter(ctx context.Context, seq uint64) (m *jetstream.RawStreamMsg, err error) {
	err = j.node.Retry(ctx, func(ctx context.Context) (err error) {
		m, err = j.entries.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(entrySubject))
		return err
	})
	return m, err
}

// purge removes everything before a position and makes it the next one when the
// journal ends before it.
func (j *Journal) purge(ctx context.Context, first uint64) error {
	return j.node.Retry(ctx, func(ctx context.Context) error {
		return j.entries.Purge(ctx, jetstream.WithPurgeSequence(first))
	})
}

func appendedAt(h nats.Header, stored time.Time) time.Time {
	return headerTime(h, appendedHeader, stored)
}

// headerTime returns the time in a header or, when there is none, another.
func headerTime(h nats.Header, name string, otherwise time.Time) time.Time {
	t, err := time.Parse(time.RFC3339Nano, h.Get(name))
	if err != nil {
		t = otherwise
	}
	return t.UTC()
}
