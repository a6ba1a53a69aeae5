package feed

import (
	"context"
	"fmt"
	"iter"
	"time"

	"earshot"
)

// An Archive is a feed that can be copied to another one, message by message in their stored form,
// even to another implementation. Cursors stay valid.
type Archive interface {
	Feed

	// State returns everything but the messages. Later calls of Append or Take do no harm: Messages
	// up to State.Last has at least what the state says.
	State(ctx context.Context) (State, error)

	// Messages yields the messages up to a number, in order. An error ends it.
	Messages(ctx context.Context, upTo uint64) iter.Seq2[StoredMessage, error]

	// Load fills a feed that has never had a message. Messages keep their numbers and their expiry;
	// expired ones are left out. Later messages have numbers that the copied feed has not used since,
	// either, so that a cursor from there is before them. After an error the feed is unusable.
	Load(ctx context.Context, s State, messages iter.Seq2[StoredMessage, error]) error
}

// State is everything of a feed but its messages.
type State struct {
	Epoch    uint64                      // of Header
	Position *earshot.Position           // nil if nothing was ever appended
	Cursors  map[earshot.StreamID]Cursor `json:"Places"`
	Last     uint64                      // the newest message, as StoredMessage.Number
	Jumps    Jumps                       // how StoredMessage.Number maps to Cursor.Message
}

// A StoredMessage is a message in its stored form.
type StoredMessage struct {
	Stream earshot.StreamID
	Number uint64 // as it is stored
	Time   time.Time
	Data   []byte // what Encode returned
}

// Expired reports whether a message is older than Retention.
func (s StoredMessage) Expired(now time.Time) bool { return now.Sub(s.Time) >= Retention }

// CheckNext returns an error unless a message with a number may follow when all numbers before next
// are loaded or skipped.
func (s State) CheckNext(next, number uint64) error {
	switch {
	case number < next:
		return fmt.Errorf("feed: message %d comes where message %d or a later one should", number, next)
	case number > s.Last:
		return fmt.Errorf("feed: message %d comes after the last one, %d", number, s.Last)
	}
	return nil
}
