package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"earshot"
	"earshot/internal/state/kv"
)

// trimmedKey is the key of the position up to which entries have been trimmed. If the stream
// contains other messages, the first remaining one does not tell whether an entry was before it.
const trimmedKey = "journal-trimmed"

// Trimmed implements journal.Journal.
func (j *Journal) Trimmed(ctx context.Context) (earshot.Position, error) {
	if j.records == nil {
		state, err := j.node.StreamState(ctx, j.entries)
		return earshot.Position(max(state.FirstSeq, 1) - 1), err
	}
	p, _, err := j.readTrimmed(ctx)
	return p, err
}

func (j *Journal) readTrimmed(ctx context.Context) (p earshot.Position, revision uint64, err error) {
	e, err := j.records.Get(ctx, trimmedKey)
	if errors.Is(err, kv.ErrNotFound) {
		return 0, 0, nil
	}
	n := uint64(0)
	if err == nil {
		n, err = strconv.ParseUint(string(e.Value), 10, 64)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read how far the journal is trimmed: %w", err)
	}
	return earshot.Position(n), e.Revision, nil
}

// setTrimmed notes that entries up to a position are about to be trimmed.
func (j *Journal) setTrimmed(ctx context.Context, upTo earshot.Position) error {
	for j.records != nil {
		p, revision, err := j.readTrimmed(ctx)
		if err == nil && p >= upTo && revision > 0 {
			return nil
		}
		if err == nil {
			_, err = j.records.Put(ctx, trimmedKey, strconv.AppendUint(nil, uint64(upTo), 10), revision)
		}
		if !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
	return nil
}

// initTrimmed makes the record when the journal is first opened with one. At that time the stream
// contains nothing but entries.
func (j *Journal) initTrimmed(ctx context.Context) error {
	if j.records == nil {
		return nil
	}
	if _, revision, err := j.readTrimmed(ctx); err != nil || revision > 0 {
		return err
	}
	state, err := j.node.StreamState(ctx, j.entries)
	if err != nil {
		return err
	}
	return j.setTrimmed(ctx, earshot.Position(max(state.FirstSeq, 1)-1))
}
