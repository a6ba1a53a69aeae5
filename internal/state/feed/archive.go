package feed

import (
	"context"
	"fmt"
	"iter"
	"time"

	"earshot"
)

// An Archive is a feed whose messages can be copied in their stored form to another feed, which may
// be of another implementation. Cursors stay valid.
type Archive interface {
	Feed

	// State returns everything except the messages. Concurrent calls of Append or Take are allowed:
	// Messages up to State.Last includes at least the messages that the state refers to.
	State(ctx context.Context) (State, error)

	// Messages yields the messages up to and including a number, in order. The sequence ends after
	// the first error.
	Messages(ctx context.Context, upTo uint64) iter.Seq2[StoredMessage, error]

	// Load fills a feed that has never had a message. Messages keep their numbers and expiry times;
	// expired ones are skipped. Later messages get numbers that the original feed has not used
	// since the copy, so a cursor from the original feed is before them. After an error the feed is
	// unusable.
	Load(ctx context.Context, s State, messages iter.Seq2[StoredMessage, error]) error
}

// State is everything in a feed except its messages.
type State struct {
	Epoch    uint64                      // as in Header
	Position *earshot.Position           // nil if there was no Append yet
	Cursors  map[earshot.StreamID]Cursor `json:"Places"`
	Last     uint64                      // newest message, as StoredMessage.Number
	Jumps    Jumps                       // maps StoredMessage.Number to Cursor.Message
}

// A StoredMessage is a message in its stored form.
type StoredMessage struct {
	Stream earshot.StreamID
	Number uint64 // stored number; see Jumps
	Time   time.Time
	Data   []byte // as returned by Encode
}

// Expired reports whether the message is older than [Retention].
func (s StoredMessage) Expired(now time.Time) bool { return now.Sub(s.Time) >= Retention }

// CheckNext returns an error unless a message with this number may follow in a feed whose numbers
// before next are loaded or skipped.
func (s State) CheckNext(next, number uint64) error {
	switch {
	case number < next:
		return fmt.Errorf("feed: got message %d, want message %d or a later one", number, next)
	case number > s.Last:
		return fmt.Errorf("feed: message %d is after the last one, %d", number, s.Last)
	}
	return nil
}
