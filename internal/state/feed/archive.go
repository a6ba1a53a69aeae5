package feed

import (
	"context"
	"fmt"
	"iter"
	"time"

	"earshot"
)

// An Archive is a feed that can be carried to another one, message by message as they are
// stored, also to one of another kind. Places stay valid.
type Archive interface {
	Feed

	// State returns everything but the messages. What is appended or taken afterwards does
	// no harm: Messages up to State.Last then has no less than the records claim.
	State(ctx context.Context) (State, error)

	// Messages yields the messages up to a number, in order. An error ends it.
	Messages(ctx context.Context, upTo uint64) iter.Seq2[StoredMessage, error]

	// Load fills a feed that has never had a message. Messages keep their numbers, and expire
	// when they would have; those that are too old already are left out. Later messages have
	// numbers that the feed of the copy has not used meanwhile, either: a place that a reader
	// has from there is before them. An error leaves a feed that is good for nothing.
	Load(ctx context.Context, r State, messages iter.Seq2[StoredMessage, error]) error
}

// State are what a feed has beside its messages.
type State struct {
	Epoch    uint64                      // of Head
	Position *earshot.Position           // nil when nothing was ever appended
	Cursors  map[earshot.StreamID]Cursor `json:"Places"`
	Last     uint64                      // the newest message there was, as StoredMessage.Number
	Jumps    Jumps                       // what StoredMessage.Number has to do with Cursor.Message
}

// StoredMessage is a message as it is stored.
type StoredMessage struct {
	Stream earshot.StreamID
	Number uint64 // as it is stored
	Time   time.Time
	Data   []byte // what Encode returned
}

// Expired reports whether a message is too old to be kept.
func (s StoredMessage) Expired(now time.Time) bool { return now.Sub(s.Time) >= Retention }

// CheckNext returns an error unless a message with a number may come when all numbers before
// next are dealt with.
func (r State) CheckNext(next, number uint64) error {
	switch {
	case number < next:
		return fmt.Errorf("feed: message %d comes where message %d or a later one should", number, next)
	case number > r.Last:
		return fmt.Errorf("feed: message %d comes after the last one, %d", number, r.Last)
	}
	return nil
}
