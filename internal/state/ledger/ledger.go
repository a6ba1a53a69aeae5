// Package ledger stores what happens once: analyses, with their requests and results, and runs of
// scheduled reports. Each write replaces a whole record and is conditional on its revision, so if
// several nodes claim an attempt or a run, only one succeeds. The IDs of analyses that are not finished or not counted yet are stored separately, because they are
// few while analyses are many.
//
// Keys of the key-value store: result.7 is analysis 7, a JSON object with Go's field names;
// open.7 means that 7 is pending; user.5.7 means that analysis 7 belongs to user 5;
// report.8.2026-11-16T0700Z is the run of report 8 for a time. User keys
// can be derived from the analyses, so backups omit them. The store drops entries after Retention.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/state/kv"
)

// BucketName is the name of the bucket that stores the ledger.
const BucketName = "ledger"

// Retention is how long an analysis is stored after its last write, and a pending ID after it was
// last added.
const Retention = 30 * 24 * time.Hour

// Errors of a Ledger.
var (
	ErrNotFound = kv.ErrNotFound
	ErrConflict = kv.ErrConflict
)

// A Ledger stores analyses and report runs. All methods are safe for concurrent use.
type Ledger struct{ store kv.Store }

// New returns the ledger in a store, whose entries should expire after [Retention].
func New(store kv.Store) *Ledger { return &Ledger{store} }

// Find returns an analysis and its revision, or ErrNotFound.
func (l *Ledger) Find(ctx context.Context, id earshot.ResultID) (*Analysis, uint64, error) {
	e, err := l.store.Get(ctx, key{id: id}.String())
	if err != nil {
		return nil, 0, err
	}
	a, err := decode(e.Value)
	if err != nil {
		return nil, 0, fmt.Errorf("find analysis %d: %w", id, err)
	}
	return a, e.Revision, nil
}

// Put writes an analysis if it still has the given revision, and returns the new revision. Revision
// 0 means that it must not exist yet. Otherwise Put returns ErrConflict. Once Put returns, the
// analysis survives a crash.
func (l *Ledger) Put(ctx context.Context, a *Analysis, revision uint64) (uint64, error) {
	value, err := encode(a)
	if err != nil {
		return 0, err
	}
	if revision == 0 {
		if err := l.addToUser(ctx, a); err != nil {
			return 0, err
		}
	}
	return l.store.Put(ctx, key{id: a.ID}.String(), value, revision)
}

// AddPending adds a pending ID. Once AddPending returns, the ID survives a crash. A repeat is
// harmless.
func (l *Ledger) AddPending(ctx context.Context, id earshot.ResultID) error {
	if _, err := l.store.Set(ctx, key{id: id, pending: true}.String(), nil); err != nil {
		return fmt.Errorf("add pending ID %d: %w", id, err)
	}
	return nil
}

// RemovePending removes a pending ID. A repeat is harmless. It purges the key, because a tombstone
// would be kept as long as an analysis.
func (l *Ledger) RemovePending(ctx context.Context, id earshot.ResultID) error {
	if err := l.store.Purge(ctx, key{id: id, pending: true}.String()); err != nil {
		return fmt.Errorf("remove pending ID %d: %w", id, err)
	}
	return nil
}

// ListPending returns the pending IDs, ascending.
func (l *Ledger) ListPending(ctx context.Context) ([]earshot.ResultID, error) {
	keys, err := l.keys(ctx, pendingKind)
	if err != nil {
		return nil, fmt.Errorf("list pending IDs: %w", err)
	}
	ids := make([]earshot.ResultID, len(keys))
	for i, k := range keys {
		ids[i] = k.id
	}
	slices.Sort(ids)
	return ids, nil
}

// List returns the analyses of a user, largest ID first, at most limit. If before is not 0, it
// returns only IDs below it. An analysis may be missing once Retention has passed since its first
// write, even if it was written again later. Apart from keys without an analysis, List reads no
// more analyses than it returns.
func (l *Ledger) List(ctx context.Context, user earshot.UserID, before earshot.ResultID, limit int) ([]*Analysis, error) {
	prefix := userPrefix(user)
	keys, err := l.store.Keys(ctx, prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("list the analyses of user %d: %w", user, err)
	}
	ids := make([]earshot.ResultID, 0, len(keys))
	for _, key := range keys {
		id, err := strconv.ParseInt(strings.TrimPrefix(key, prefix), 10, 64)
		if err == nil && (before == 0 || earshot.ResultID(id) < before) {
			ids = append(ids, earshot.ResultID(id))
		}
	}
	slices.Sort(ids)
	var list []*Analysis
	for _, id := range slices.Backward(ids) {
		if len(list) >= limit {
			break
		}
		a, _, err := l.Find(ctx, id)
		if errors.Is(err, ErrNotFound) || err == nil && a.User != user {
			continue // the process ended before it wrote the analysis
		}
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func userPrefix(user earshot.UserID) string {
	return "user." + strconv.FormatInt(int64(user), 10) + "."
}

// addToUser adds an analysis to its user's list. It is called before the analysis is written, so
// every analysis is listed, and a key without an analysis may remain. A repeat is harmless.
func (l *Ledger) addToUser(ctx context.Context, a *Analysis) error {
	key := userPrefix(a.User) + strconv.FormatInt(int64(a.ID), 10)
	if _, err := l.store.Set(ctx, key, nil); err != nil {
		return fmt.Errorf("add %s to its user: %w", key, err)
	}
	return nil
}

// HighestID returns the highest ID of an analysis or a report, or 0.
func (l *Ledger) HighestID(ctx context.Context) (highest int64, err error) {
	for _, kind := range []string{analysisKind, pendingKind} {
		keys, err := l.keys(ctx, kind)
		if err != nil {
			return 0, fmt.Errorf("list analyses: %w", err)
		}
		for _, k := range keys {
			highest = max(highest, int64(k.id))
		}
	}
	reports, err := l.ReportsWithRuns(ctx)
	for _, id := range reports {
		highest = max(highest, int64(id))
	}
	return highest, err
}

// keys returns the keys of a kind, in byte order. It skips invalid keys.
func (l *Ledger) keys(ctx context.Context, kind string) ([]key, error) {
	names, err := l.store.Keys(ctx, kind+".*")
	if err != nil {
		return nil, err
	}
	keys := make([]key, 0, len(names))
	for _, name := range names {
		if k, err := parseKey(name); err == nil {
			keys = append(keys, k)
		}
	}
	return keys, nil
}
