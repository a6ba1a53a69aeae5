package journal

import (
	"context"
	"fmt"
	"iter"
	"time"

	"earshot"
)

// An Archive is a journal whose entries can be copied in their stored form to another journal,
// which may be of another implementation.
type Archive interface {
	Journal

	// Span returns the range of positions in the journal.
	Span(ctx context.Context) (Span, error)

	// Entries yields the entries up to and including a position, in order. The sequence ends after
	// the first error.
	Entries(ctx context.Context, upTo earshot.Position) iter.Seq2[StoredEntry, error]

	// StoredDeadLetters yields the dead letters of entries up to and including a position, in the
	// order in which they were rejected. The sequence ends after the first error.
	StoredDeadLetters(ctx context.Context, upTo earshot.Position) iter.Seq2[StoredDeadLetter, error]

	// Load fills a journal that has never had an entry. On success the journal has the span s, with
	// the same entries at the same positions. After an error the journal is unusable.
	Load(ctx context.Context, s Span, entries iter.Seq2[StoredEntry, error]) error

	// LoadDeadLetters adds dead letters to a journal that has none.
	LoadDeadLetters(ctx context.Context, letters iter.Seq2[StoredDeadLetter, error]) error

	// RetryDeadLetters makes a reader that continues after a position process the entries of all
	// dead letters again. It appends entries up to the position once more, in the order in which
	// they were rejected, and returns the number of letters. It removes a letter once its entry is
	// on disk, so a crash loses none, but may append an entry twice.
	RetryDeadLetters(ctx context.Context, read earshot.Position) (int, error)
}

// A Span is the range of positions from the oldest stored entry to the newest entry. First is
// Last+1 if no entry is stored.
type Span struct {
	First, Last earshot.Position
}

// Check returns an error if s cannot be the span of a journal.
func (s Span) Check() error {
	if s.First < 1 || s.First > s.Last+1 {
		return fmt.Errorf("journal: invalid span, positions %d to %d", s.First, s.Last)
	}
	return nil
}

// A StoredEntry is an entry in its stored form.
type StoredEntry struct {
	Position earshot.Position
	Time     time.Time // when it was appended
	ID       string    // deduplicates appends; may be empty
	Data     []byte    // as returned by Encode, unless it is damaged
}

// A StoredDeadLetter is a dead letter with its entry.
type StoredDeadLetter struct {
	StoredEntry
	RejectedAt time.Time
	Reason     string
}

// CheckNext returns an error unless an entry at p may follow in a journal of span s whose positions
// before next are loaded or skipped.
func (s Span) CheckNext(next, p earshot.Position) error {
	switch {
	case p < next:
		return fmt.Errorf("journal: got entry %d, want entry %d or a later one", p, next)
	case p > s.Last:
		return fmt.Errorf("journal: entry %d is after the last one, %d", p, s.Last)
	}
	return nil
}
