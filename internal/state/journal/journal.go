// Package journal is the durable log between taking a post in and counting it.
// What Append has acknowledged is on disk; a consumer reads it in order, some
// entries perhaps twice, and sets aside what it cannot process.
//
// Implementations: internal/state/journal/jetstream and its plain twin
// internal/state/journal/memory. internal/state/journal/journaltest holds what both promise.
package journal

import (
	"context"
	"iter"
	"time"

	"earshot"
)

// A Journal is a log of entries, numbered from 1.
type Journal interface {
	// Append writes e as a whole or not at all. When it returns, e survives a
	// crash. It fails with StorageFull or Unavailable when that cannot be had.
	Append(ctx context.Context, e Entry) (earshot.Position, error)

	// Batches yields the entries that consumer has not acknowledged, in order,
	// waiting for new ones, until ctx ends or the loop stops. Entries that were
	// handed out and not acknowledged come again to the next loop. Undecodable
	// entries are set aside as dead letters on the way.
	Batches(ctx context.Context, consumer string) iter.Seq[*Batch]

	// Rewind makes the next Batches of consumer start after a position, whatever
	// was acknowledged before. It fails when entries after it have been trimmed: who
	// needs them cannot go on as if they had never been.
	Rewind(ctx context.Context, consumer string, after earshot.Position) error

	// Last returns the position of the newest entry, trimmed or not, 0 when there
	// has been none.
	Last(ctx context.Context) (earshot.Position, error)

	// LastBefore returns the position of the last entry that was appended before a moment, 0 when
	// the journal has none: those that were trimmed are not known to be older.
	LastBefore(ctx context.Context, moment time.Time) (earshot.Position, error)

	// Pending returns how many entries consumer has not acknowledged yet, 0 when it
	// has dealt with everything. It is how lag is measured and readiness decided.
	Pending(ctx context.Context, consumer string) (int64, error)

	// DeadLetters tells what was set aside. An entry set aside twice counts once.
	DeadLetters(ctx context.Context) (DeadLetters, error)

	// Trim removes the entries that are at or before upTo and were appended before a
	// moment, whoever has read them. Positions stay what they are, also when nothing
	// is left, and so do dead letters.
	Trim(ctx context.Context, upTo earshot.Position, before time.Time) error
}

// An Entry is what one request changes. Exactly one of its fields is set.
type Entry struct {
	Posts     []earshot.Post
	Deletion  *earshot.Deletion
	Snapshots *AccountSnapshots
}

// AccountSnapshots are snapshots of the account that a social monitor watches.
type AccountSnapshots struct {
	Monitor   earshot.MonitorID
	Snapshots []earshot.Snapshot
}

// A Batch is one entry in a consumer's hands.
type Batch struct {
	Entry
	Position earshot.Position // of the entry's last record: positions grow, with gaps
	Time     time.Time        // when it was appended

	// Ack says that the entry has been dealt with.
	Ack func() error
	// Reject sets the entry aside as a dead letter, with the reason, and acknowledges it.
	Reject func(ctx context.Context, reason string) error
	// InProgress asks for more time before the entry counts as abandoned.
	InProgress func()
}

// DeadLetters sums up the entries that could not be processed.
type DeadLetters struct {
	Count  int64
	Recent []DeadLetter // newest first, at most 20
}

// A DeadLetter is an entry that was set aside.
type DeadLetter struct {
	Position earshot.Position
	Time     time.Time // when it was set aside
	Reason   string
}
