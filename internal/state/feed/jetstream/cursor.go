package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/kv"
)

// Keys of the bucket: position has the progress, place.7 the cursor of stream 7.
const (
	progressKey  = "position"
	cursorPrefix = "place."
)

func cursorKey(stream earshot.StreamID) string {
	return cursorPrefix + strconv.FormatInt(int64(stream), 10)
}

// progress records how far the journal is appended.
type progress struct {
	Epoch    uint64            `json:"epoch"` // increases with each new journal; positions of another epoch belong to another journal
	Position *earshot.Position `json:"position,omitempty"`
	Jumps    feed.Jumps        `json:"jumps,omitempty"`
}

func (f *Feed) readProgress(ctx context.Context) (p progress, err error) {
	e, err := f.bucket.Get(ctx, progressKey)
	if errors.Is(err, kv.ErrNotFound) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(e.Value, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read the position of streams: %w", err)
	}
	return p, nil
}

func (f *Feed) writeProgress(ctx context.Context, p progress) error {
	data, err := json.Marshal(p)
	if err == nil {
		_, err = f.bucket.Set(ctx, progressKey, data)
	}
	if err != nil {
		return fmt.Errorf("write the position of streams: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress = p
	return nil
}

// cursor returns the stored cursor of a queue and its revision. Both are zero if there is none.
func (f *Feed) cursor(ctx context.Context, stream earshot.StreamID) (c feed.Cursor, revision uint64, err error) {
	e, err := f.bucket.Get(ctx, cursorKey(stream))
	if errors.Is(err, kv.ErrNotFound) {
		return c, 0, nil
	}
	if err == nil {
		err = c.UnmarshalText(e.Value)
	}
	if err != nil {
		return c, 0, fmt.Errorf("read the cursor of stream %d: %w", stream, err)
	}
	return f.currentProgress().Jumps.StoredCursor(c), e.Revision, nil
}

// publicCursor returns a stored cursor in the form that readers use.
func (f *Feed) publicCursor(c feed.Cursor) feed.Cursor {
	c.Message = f.currentProgress().Jumps.Number(c.Message)
	return c
}
