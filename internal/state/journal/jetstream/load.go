package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
)

// maxGap bounds the number of consecutive positions without an entry. A fence leaves a gap of one; a
// damaged disk or an operator can leave larger ones.
const maxGap = 100_000

// Load implements journal.Archive. It stores the times of entries in headers, because the server
// stamps each message with the time when it stores it.
func (j *Journal) Load(ctx context.Context, s journal.Span, entries iter.Seq2[journal.StoredEntry, error]) error {
	if err := s.Check(); err != nil {
		return err
	}
	state, err := j.node.StreamState(ctx, j.entries)
	if err != nil {
		return err
	}
	if state.LastSeq > 0 {
		return errors.New("load the journal: it already has entries")
	}
	if s.First > 1 {
		if err := j.node.PurgeBefore(ctx, j.entries, uint64(s.First)); err != nil {
			return fmt.Errorf("load the journal: start at %d: %w", s.First, err)
		}
	}
	next := s.First
	for e, err := range entries {
		if err == nil {
			err = s.CheckNext(next, e.Position)
		}
		if err == nil {
			err = j.skip(ctx, next, e.Position)
		}
		if err == nil {
			err = j.loadEntry(ctx, e)
		}
		if err != nil {
			return err
		}
		next = e.Position + 1
	}
	return j.skip(ctx, next, s.Last+1)
}

// loadEntry stores an entry at its position.
func (j *Journal) loadEntry(ctx context.Context, e journal.StoredEntry) error {
	m := &nats.Msg{
		Subject: entrySubject,
		Data:    e.Data,
		Header:  nats.Header{appendedHeader: {e.Time.Format(time.RFC3339Nano)}},
	}
	if e.ID != "" {
		m.Header.Set(jetstream.MsgIDHeader, headerText(e.ID))
	}
	return j.publishAt(ctx, m, e.Position)
}

func (j *Journal) publishAt(ctx context.Context, m *nats.Msg, p earshot.Position) error {
	seq, err := j.node.Publish(ctx, m)
	if err != nil {
		return fmt.Errorf("load journal entry %d: %w", p, err)
	}
	if seq != uint64(p) {
		return fmt.Errorf("load journal entry %d: it got position %d; another process may be writing", p, seq)
	}
	return nil
}

// skip leaves the positions from next up to, but not including, end without an entry. To do so, it
// writes messages and deletes them.
func (j *Journal) skip(ctx context.Context, next, end earshot.Position) error {
	if end-next > maxGap {
		return fmt.Errorf("load the journal: the entries %d to %d are missing", next, end-1)
	}
	for ; next < end; next++ {
		if err := j.publishAt(ctx, &nats.Msg{Subject: entrySubject}, next); err != nil {
			return err
		}
		if err := j.node.DeleteMessage(ctx, j.entries, uint64(next)); err != nil {
			return fmt.Errorf("load the journal: leave position %d empty: %w", next, err)
		}
	}
	return nil
}

// LoadDeadLetters implements journal.Archive.
func (j *Journal) LoadDeadLetters(ctx context.Context, letters iter.Seq2[journal.StoredDeadLetter, error]) error {
	state, err := j.node.StreamState(ctx, j.deadLetters)
	if err != nil {
		return err
	}
	if state.LastSeq > 0 {
		return errors.New("load dead letters: the journal already has some")
	}
	for l, err := range letters {
		if err != nil {
			return err
		}
		_, err := j.node.Publish(ctx, &nats.Msg{
			Subject: deadLetterSubject + strconv.FormatUint(uint64(l.Position), 10),
			Data:    l.Data,
			Header: nats.Header{
				reasonHeader:   {headerText(l.Reason)},
				appendedHeader: {l.Time.Format(time.RFC3339Nano)},
				rejectedHeader: {l.RejectedAt.Format(time.RFC3339Nano)},
			},
		})
		if err != nil {
			return fmt.Errorf("load the dead letter of entry %d: %w", l.Position, err)
		}
	}
	return nil
}
