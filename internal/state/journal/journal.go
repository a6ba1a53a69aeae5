// Package journal defines the durable log between ingesting a post and storing it. Once Append
// returns, the entry is on disk. Readers follow the entries in order from any position and remember
// themselves how far they are; entries that they cannot process become dead letters.
//
// Implementations: internal/state/journal/jetstream, and internal/state/journal/memory for tests.
// The contract test for both is internal/state/journal/journaltest.
package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"earshot"
)

// A Journal is a log of entries, numbered from 1.
type Journal interface {
	// Append writes e completely or not at all. Once it returns, e survives a crash. It fails with
	// StorageFull or Unavailable if e cannot be stored.
	Append(ctx context.Context, e Entry) (earshot.Position, error)

	// Batches yields the entries after a position, in order and each once, and then waits for new
	// ones, until ctx ends or the loop stops. It retries connection failures. An entry that cannot
	// be decoded becomes a dead letter and is yielded without content. If entries after the
	// position have been trimmed, the sequence ends with ErrTrimmed, because the reader would miss
	// them silently.
	Batches(ctx context.Context, after earshot.Position) iter.Seq2[*Batch, error]

	// Last returns the last position that is taken, even if its entry was trimmed, or 0. In a cluster,
	// it may be that of a fence: Pending tells whether an entry follows a position.
	Last(ctx context.Context) (earshot.Position, error)

	// LastBefore returns the position of the last stored entry that was appended before t, or 0.
	// Trimmed entries are not considered, because their times are unknown.
	LastBefore(ctx context.Context, t time.Time) (earshot.Position, error)

	// Pending returns the number of stored entries after a position. It measures lag and decides
	// readiness.
	Pending(ctx context.Context, after earshot.Position) (int64, error)

	// Processed tells the journal that the store of this process has all entries up to a position.
	// Append keeps enough disk space free to store the later ones.
	Processed(upTo earshot.Position)

	// Origins yields the origins that have a cursor or counters, of the stored entries after a
	// position, in order. It ends with the entry that was the newest when it started, or after the
	// first error.
	Origins(ctx context.Context, after earshot.Position) iter.Seq2[StoredOrigin, error]

	// DeadLetters summarizes the dead letters. An entry rejected twice counts once.
	DeadLetters(ctx context.Context) (DeadLetters, error)

	// Trim removes the entries at or before upTo that were appended before a time, whether or not
	// they have been read. Positions do not change, even if no entries remain. Dead letters
	// are not removed.
	Trim(ctx context.Context, upTo earshot.Position, before time.Time) error

	// Trimmed returns the position up to which entries have been trimmed, or 0.
	Trimmed(ctx context.Context) (earshot.Position, error)
}

// An Entry is the change of one request. It has either posts, a deletion, snapshots, pictures, or looks.
type Entry struct {
	Posts     []earshot.Post
	Deletion  *earshot.Deletion
	Snapshots *AccountSnapshots
	Pictures  *Pictures
	Looks     []Look // at most MaxLooks

	Origin *Origin // nil: the entry does not come from a live source
}

// An Origin is the live source that an entry comes from. If Cursor is set, the journal has
// everything that the source has delivered up to there.
type Origin struct {
	Source   earshot.LiveSourceID
	Cursor   string
	Counters string // what the source has counted up to the end of the entry, as JSON; empty: unknown
}

// IsPosition reports whether the origin says how far its source has been read.
func (o *Origin) IsPosition() bool { return o.Cursor != "" || o.Counters != "" }

// A StoredOrigin is the origin of the entry at a position.
type StoredOrigin struct {
	Origin
	Position earshot.Position
}

// AccountSnapshots are snapshots of the account that a social monitor tracks.
type AccountSnapshots struct {
	Monitor   earshot.MonitorID
	Snapshots []earshot.Snapshot
}

// Pictures are what was found in the images of posts that earlier entries contain. Without Found, they
// are a request to look at the images of the posts again.
type Pictures struct {
	Posts []PicturedPost
	Found map[string]*earshot.Picture // by URL of the image
}

// A PicturedPost is a post whose images have been looked at.
type PicturedPost struct {
	Key      earshot.PostKey
	Position earshot.Position // of the entry that contains the post; 0: unknown
}

// A Look is what a second look at a stored post found.
type Look struct {
	Key       earshot.PostKey
	Text      uint32 // hash of the text that was read; see enrich.TextHash
	Models    uint32 // InferredBy of the post from then on; see enrich.Looked
	Sentiment earshot.Sentiment
	Emotion   earshot.Emotion
}

// LooksFormat is the format of the journal, as in catalog.Formats, from which entries may have looks.
// Earlier programs cannot decode such entries.
const LooksFormat = 2

// ErrTrimmed means that entries that a reader needs are no longer in the journal.
var ErrTrimmed = errors.New("no longer in the journal")

// MissingEntries returns ErrTrimmed with the first and the last entry that a reader would miss.
func MissingEntries(first, last earshot.Position) error {
	return fmt.Errorf("entries %d to %d are %w", first, last, ErrTrimmed)
}

// A Batch is one entry as delivered to a reader.
type Batch struct {
	Entry
	Position earshot.Position // of the last part of the entry; ascending, with gaps
	Time     time.Time        // when it was appended

	// Catalog is the revision of the catalog that the process knew which appended the entry. It is 0
	// if it is unknown: in entries of a single node, and after a restore.
	Catalog uint64

	// Reject stores the entry as a dead letter with a reason. A repeat, also by another reader, has
	// no effect.
	Reject func(ctx context.Context, reason string) error
}

// DeadLetters summarizes the entries that could not be processed.
type DeadLetters struct {
	Count  int64        `json:"count"`
	Recent []DeadLetter `json:"recent"` // newest first, at most 20
}

// A DeadLetter describes a rejected entry.
type DeadLetter struct {
	Position earshot.Position `json:"position"`
	Time     time.Time        `json:"time"` // when it was rejected
	Reason   string           `json:"reason"`
}
