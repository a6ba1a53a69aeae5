// Package journal is the durable log between ingesting a post and storing it. An entry that Append
// has acknowledged is on disk; a consumer reads entries in order, some perhaps twice, and rejects
// those it cannot process, which become dead letters.
//
// Implementations: internal/state/journal/jetstream and its in-memory twin
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
	// Append writes e completely or not at all. When it returns, e survives a crash. It fails with
	// StorageFull or Unavailable if that cannot be achieved.
	Append(ctx context.Context, e Entry) (earshot.Position, error)

	// Batches yields the entries that consumer has not acknowledged, in order, and waits for new ones,
	// until ctx ends or the loop stops. The next loop yields unacknowledged entries again. Entries that
	// cannot be decoded become dead letters.
	Batches(ctx context.Context, consumer string) iter.Seq[*Batch]

	// Rewind makes the next Batches of consumer start after a position, whatever was acknowledged
	// before. It fails if entries after it have been trimmed: a consumer must not miss them silently.
	Rewind(ctx context.Context, consumer string, after earshot.Position) error

	// Last returns the position of the newest entry, trimmed or not, or 0.
	Last(ctx context.Context) (earshot.Position, error)

	// LastBefore returns the position of the last entry that was appended before a time, or 0 if the
	// journal has none: the times of trimmed entries are unknown.
	LastBefore(ctx context.Context, t time.Time) (earshot.Position, error)

	// Pending returns the number of entries that consumer has not acknowledged. It measures lag and
	// decides readiness.
	Pending(ctx context.Context, consumer string) (int64, error)

	// DeadLetters summarizes the dead letters. An entry rejected twice counts once.
	DeadLetters(ctx context.Context) (DeadLetters, error)

	// Trim removes the entries at or before upTo that were appended before a time, whether they were
	// read or not. Positions stay what they are, even if nothing is left, and so do dead letters.
	Trim(ctx context.Context, upTo earshot.Position, before time.Time) error
}

// An Entry is the change of one request. Exactly one of its fields is set.
type Entry struct {
	Posts     []earshot.Post
	Deletion  *earshot.Deletion
	Snapshots *AccountSnapshots
}

// AccountSnapshots are snapshots of the account that a social monitor tracks.
type AccountSnapshots struct {
	Monitor   earshot.MonitorID
	Snapshots []earshot.Snapshot
}

// A Batch is one entry delivered to a consumer.
type Batch struct {
	Entry
	Position earshot.Position // of the entry's last part: ascending, with gaps
	Time     time.Time        // when it was appended

	// Ack acknowledges the entry as processed.
	Ack func() error
	// Reject stores the entry as a dead letter with the reason, and acknowledges it.
	Reject func(ctx context.Context, reason string) error
	// InProgress extends the time before the entry is delivered again.
	InProgress func()
}

// DeadLetters summarizes the entries that could not be processed.
type DeadLetters struct {
	Count  int64
	Recent []DeadLetter // newest first, at most 20
}

// A DeadLetter is a rejected entry.
type DeadLetter struct {
	Position earshot.Position
	Time     time.Time // when it was rejected
	Reason   string
}
