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

// appendedHeader contains the time when an entry was appended, if its message was stored at another
// time: in a dead letter, and after a restore.
const appendedHeader = "Earshot-Appended"

// Trim implements journal.Journal. It assumes that times, which come from the server's clock,
// ascend with positions.
func (j *Journal) Trim(ctx context.Context, upTo earshot.Position, before time.Time) error {
	state, err := j.node.StreamState(ctx, j.entries)
	if err != nil {
		return err
	}
	last := min(uint64(upTo), state.LastSeq)
	if state.Msgs == 0 || last < state.FirstSeq {
		return nil
	}
	first, err := j.firstSince(ctx, state.FirstSeq, last+1, before)
	if err != nil {
		return fmt.Errorf("find the oldest journal entry to keep: %w", err)
	}
	fence, err := j.node.OldestFence(ctx, j.entries)
	if err != nil {
		return err
	}
	if first = min(first, fence); first <= state.FirstSeq {
		return nil
	}
	if err := j.setTrimmed(ctx, earshot.Position(first-1)); err != nil {
		return err
	}
	if err := j.node.PurgeBefore(ctx, j.entries, first); err != nil {
		return fmt.Errorf("trim the journal: %w", err)
	}
	return nil
}

// LastBefore implements journal.Journal. It makes the same assumption about times as Trim.
func (j *Journal) LastBefore(ctx context.Context, t time.Time) (earshot.Position, error) {
	state, err := j.node.StreamState(ctx, j.entries)
	if err != nil || state.Msgs == 0 {
		return 0, err
	}
	first, err := j.firstSince(ctx, state.FirstSeq, state.LastSeq+1, t)
	if err != nil {
		return 0, fmt.Errorf("find journal entries before a time: %w", err)
	}
	if first == state.FirstSeq {
		return 0, nil
	}
	return earshot.Position(first - 1), nil
}

// firstSince returns the first position in low..high such that no entry from there to high is older
// than t. It is a binary search.
func (j *Journal) firstSince(ctx context.Context, low, high uint64, t time.Time) (uint64, error) {
	for low < high {
		middle := low + (high-low)/2
		m, err := j.atOrAfter(ctx, middle)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && m.Sequence >= high:
			high = middle // no entries from here on
		case err != nil:
			return 0, err
		case appendedAt(m.Header, m.Time).Before(t):
			low = m.Sequence + 1
		default:
			high = middle
		}
	}
	return low, nil
}

// atOrAfter returns the entry at a position, or the next one.
func (j *Journal) atOrAfter(ctx context.Context, seq uint64) (m *jetstream.RawStreamMsg, err error) {
	err = j.node.Retry(ctx, func(ctx context.Context) (err error) {
		m, err = j.entries.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(entrySubject))
		return err
	})
	return m, err
}

func appendedAt(h nats.Header, stored time.Time) time.Time {
	return headerTime(h, appendedHeader, stored)
}

// headerTime returns the time in a header, or fallback if the header is missing.
func headerTime(h nats.Header, name string, fallback time.Time) time.Time {
	t, err := time.Parse(time.RFC3339Nano, h.Get(name))
	if err != nil {
		t = fallback
	}
	return t.UTC()
}
