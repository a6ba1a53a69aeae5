// Package kv defines a small key-value store. Every entry has a revision, and writes can be
// conditional on it (compare-and-set), so concurrent writers do not overwrite each other and need
// no lock. The catalog, the ledger of analyses and the cursors of streams are built on it.
//
// Implementations: [earshot/internal/state/natsnode.Bucket], which is durable, and [Memory]. The
// contract test for both is package kvtest.
package kv

import (
	"context"
	"errors"
	"fmt"
	"regexp"
)

var (
	ErrNotFound = errors.New("kv: key not found")
	ErrConflict = errors.New("kv: unexpected revision")

	// ErrFenced means that the context of a write belongs to a process that is no longer entitled
	// to write, because another one has taken over. The write is not stored; after a lost response,
	// it may have been stored before.
	ErrFenced = errors.New("kv: another process has taken over")
)

// A Store maps keys to values. A key consists of parts separated by dots; a part consists of
// letters, digits, '-', '_' and '='. Example: user.5.7. All methods are safe for concurrent use.
// Once a write returns, it survives a crash.
type Store interface {
	// Get returns the entry at key, or ErrNotFound.
	Get(ctx context.Context, key string) (Entry, error)

	// Put writes value if the entry still has the given revision, and returns the new revision.
	// Revision 0 means that there must be no entry. Otherwise Put returns ErrConflict.
	Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)

	// Set writes value unconditionally and returns the new revision. A repeat is harmless.
	Set(ctx context.Context, key string, value []byte) (uint64, error)

	// Delete removes the entry if it still has the given revision, and returns ErrConflict
	// otherwise. Watchers see the deletion. It may leave a tombstone, which Keys may list.
	Delete(ctx context.Context, key string, revision uint64) error

	// Purge removes the entry and leaves no tombstone. Watchers do not see it. It is not an error
	// if there is no entry. An entry written after Purge starts is not removed.
	Purge(ctx context.Context, key string) error

	// Keys returns the keys that match filter, in byte order. In the filter, * matches one part and
	// a final > matches one or more parts, for example open.* and user.5.>
	Keys(ctx context.Context, filter string) ([]string, error)

	// Watch calls change for every existing entry, then ready once, then change for later writes in
	// order, until ctx ends. It passes ready a revision up to which change has seen every entry; this
	// is at least that of the last write before Watch, even if that entry was purged. It may skip all but the last of several writes to the same key in
	// quick succession. A deletion has a nil Value and a revision of its own. Watch returns the
	// error of ctx, or the reason why it cannot continue.
	Watch(ctx context.Context, change func(Entry), ready func(revision uint64)) error

	// Unseen returns a revision up to which there is nothing left to see for a watcher that has seen
	// everything up to after: entries of the revisions in between were purged, or replaced later.
	// more reports whether there are later writes.
	Unseen(ctx context.Context, after uint64) (upTo uint64, more bool, err error)
}

// An Entry is a value and the revision that wrote it. Revisions always increase.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64
}

var validKey = regexp.MustCompile(`^[-_=A-Za-z0-9]+(\.[-_=A-Za-z0-9]+)*$`)

// CheckKey returns an error if key is invalid.
func CheckKey(key string) error {
	if !validKey.MatchString(key) {
		return fmt.Errorf("invalid key %q", key)
	}
	return nil
}
