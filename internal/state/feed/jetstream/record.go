package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

// Keys of records.
const progressKey = "position"

func placeKey(stream earshot.StreamID) string { return "place." + strconv.FormatInt(int64(stream), 10) }

// progress is the record of how far a journal is appended.
type progress struct {
	Epoch    uint64            `json:"epoch"` // counts journals: what messages of another one claim does not hold
	Position *earshot.Position `json:"position,omitempty"`
	Jumps    feed.Jumps        `json:"jumps,omitempty"`
}

func (f *Feed) readProgress(ctx context.Context) (p progress, err error) {
	m, found, err := f.last(ctx, f.records, recordSubject+progressKey)
	if err == nil && found {
		err = json.Unmarshal(m.Data, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read the position of streams: %w", err)
	}
	return p, nil
}

func (f *Feed) writeProgress(ctx context.Context, p progress) error {
	data, err := json.Marshal(p)
	if err == nil {
		_, err = f.node.Publish(ctx, &nats.Msg{Subject: recordSubject + progressKey, Data: data})
	}
	if err != nil {
		return fmt.Errorf("write the position of streams: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress = p
	return nil
}

// place returns a queue's own place and the revision of its record, zero where it has none.
func (f *Feed) place(ctx context.Context, stream earshot.StreamID) (p feed.Place, revision uint64, err error) {
	m, found, err := f.last(ctx, f.records, recordSubject+placeKey(stream))
	if err == nil && found {
		revision, err = m.Sequence, p.UnmarshalText(m.Data)
		p = f.stored().Jumps.Stored(p)
	}
	if err != nil {
		return p, 0, fmt.Errorf("read the place of stream %d: %w", stream, err)
	}
	return p, revision, nil
}

// shown returns a place as readers know it.
func (f *Feed) shown(p feed.Place) feed.Place {
	p.Message = f.stored().Jumps.Number(p.Message)
	return p
}

// doubt is how long a conflict is doubted that the records do not show.
const doubt = 2 * time.Second

// move writes a queue's place unless it was written since a revision: then it fails with
// natsnode.ErrConflict, and the place is where the other one has put it.
//
// As in the catalog a refusal needs a second look: after a lost answer the record in the way
// may be this one, and a cluster refuses more than it must while its leader is new.
func (f *Feed) move(ctx context.Context, stream earshot.StreamID, to feed.Place, revision uint64) error {
	m := &nats.Msg{
		Subject: recordSubject + placeKey(stream),
		Data:    []byte(f.shown(to).String()),
		Header:  nats.Header{jetstream.MsgIDHeader: {nuid.Next()}},
	}
	natsnode.Expect(m, revision)
	giveUp := time.Now().Add(doubt)
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		_, err := f.node.Publish(ctx, m)
		if !errors.Is(err, natsnode.ErrConflict) {
			return err
		}
		last, found, err := f.last(ctx, f.records, m.Subject)
		switch {
		case err != nil:
			return err
		case found && last.Header.Get(jetstream.MsgIDHeader) == m.Header.Get(jetstream.MsgIDHeader):
			return nil
		case found != (revision > 0) || found && last.Sequence != revision || time.Now().After(giveUp):
			return natsnode.ErrConflict
		}
		if !natsnode.Wait(ctx, pause) {
			return ctx.Err()
		}
	}
}
