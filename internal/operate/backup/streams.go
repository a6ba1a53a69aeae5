package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/kv"
)

// The files of streams start with a record with this key, which contains feed.State as JSON. The
// other records are messages: the key is the stream, the position is the number.
const streamStateKey = "records"

func (p *packer) addStreams(state feed.State, messages iter.Seq2[feed.StoredMessage, error]) error {
	c := chunks{packer: p, dir: streamsDir}
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	if err := c.add(header{Key: streamStateKey}, text); err != nil {
		return fmt.Errorf("state of streams: %w", err)
	}
	for m, err := range messages {
		if err != nil {
			return err
		}
		h := header{Key: strconv.FormatInt(int64(m.Stream), 10), Position: earshot.Position(m.Number), Time: m.Time}
		if err := c.add(h, m.Data); err != nil {
			return fmt.Errorf("message %d of stream %d: %w", m.Number, m.Stream, err)
		}
	}
	return c.flush()
}

func (p *packer) addResults(entries iter.Seq2[kv.Entry, error]) error {
	c := chunks{packer: p, dir: resultsDir}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := c.add(header{Key: e.Key}, e.Value); err != nil {
			return fmt.Errorf("analysis %s: %w", e.Key, err)
		}
	}
	return c.flush()
}

// loadStreams loads the streams. A backup of format 1 has none.
func (b *Backup) loadStreams(ctx context.Context, to feed.Archive) error {
	next, stop := iter.Pull2(b.records(streamsDir))
	defer stop()
	first, err, any := next()
	if !any {
		return nil
	}
	var state feed.State
	if err == nil && first.Key != streamStateKey {
		err = errors.New("the files of streams do not start with their state")
	}
	if err == nil {
		err = json.Unmarshal(first.data, &state)
	}
	if err != nil {
		return fmt.Errorf("read the state of streams: %w", err)
	}
	return to.Load(ctx, state, func(yield func(feed.StoredMessage, error) bool) {
		for {
			r, err, more := next()
			if !more {
				return
			}
			var m feed.StoredMessage
			if err == nil {
				m, err = r.message()
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	})
}

func (r record) message() (feed.StoredMessage, error) {
	id, err := strconv.ParseInt(r.Key, 10, 64)
	if err != nil {
		return feed.StoredMessage{}, fmt.Errorf("message %d has no valid stream: %w", r.Position, err)
	}
	return feed.StoredMessage{Stream: earshot.StreamID(id), Number: uint64(r.Position), Time: r.Time, Data: r.data}, nil
}
