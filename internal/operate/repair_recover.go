package operate

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local"
	"earshot/internal/state/journal"
)

// recoveredBatch is the number of recovered posts in a journal entry.
const recoveredBatch = 1000

// A postRecovery appends posts to the journal that the post store has lost, so that the next start
// stores and matches them. If several sources have a post, the newest version wins.
type postRecovery struct {
	journal journal.Archive
	lost    *local.LostKeys

	newest    map[earshot.PostKey]earshot.Position // recovered posts
	deletions []positionedDeletion                 // in the journal, in order
	deleted   map[earshot.PostKey]bool             // lost posts that were deleted
	batch     []earshot.Post
}

// A positionedDeletion is a deletion in the journal.
type positionedDeletion struct {
	earshot.Deletion
	at      earshot.Position
	selects func(*earshot.Post) bool
}

// recoverPosts appends lost posts that are in the journal, in damaged segments, or in the store of a
// backup, whose directory may be empty. It returns how many posts it has recovered and how many
// remain lost. If none are lost, no segment remains quarantined. Otherwise a later repair can
// recover them from another backup.
func recoverPosts(ctx context.Context, e *Engines, cfg config.Config, backupDir string) (recovered, lost int64, err error) {
	if e.Files == nil {
		return 0, 0, nil
	}
	recovered, lost, err = appendLost(ctx, e, cfg, backupDir)
	if err != nil || lost > 0 {
		return recovered, lost, err
	}
	stats, err := e.Posts.Stats(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, q := range stats.Quarantined {
		if err := e.Files.Dismiss(ctx, q.Name); err != nil {
			return 0, 0, err
		}
	}
	return recovered, 0, nil
}

// appendLost appends the lost posts, and returns how many it has found and how many not.
func appendLost(ctx context.Context, e *Engines, cfg config.Config, backupDir string) (recovered, lost int64, err error) {
	keys, err := e.Files.LostKeys(ctx)
	if err != nil || keys.Len() == 0 {
		return 0, 0, err
	}
	r := &postRecovery{journal: e.Journal, lost: keys, newest: map[earshot.PostKey]earshot.Position{}, deleted: map[earshot.PostKey]bool{}}
	// The key of a deleted post may be left behind by a crash, so deletions come first.
	for _, visit := range []func(context.Context, journal.Entry, earshot.Position) error{r.noteDeletion, r.addPosts} {
		if err := r.readJournal(ctx, visit); err != nil {
			return 0, 0, err
		}
	}
	dirs := []string{PostsDir(cfg)}
	if backupDir != "" {
		dirs = append(dirs, filepath.Join(backupDir, "posts"))
	}
	for _, dir := range dirs {
		err := local.Recover(ctx, dir, keys, func(p earshot.Post, at earshot.Position) error { return r.add(ctx, p, at) })
		if err != nil {
			return 0, 0, fmt.Errorf("recover posts from %s: %w", dir, err)
		}
	}
	if err := r.flush(ctx); err != nil {
		return 0, 0, err
	}
	recovered = int64(len(r.newest))
	return recovered, int64(keys.Len()) - recovered - int64(len(r.deleted)), nil
}

// readJournal calls visit with the entries that the journal still has.
func (r *postRecovery) readJournal(ctx context.Context, visit func(context.Context, journal.Entry, earshot.Position) error) error {
	span, err := r.journal.Span(ctx)
	if err != nil {
		return err
	}
	for stored, err := range r.journal.Entries(ctx, span.Last) {
		if err != nil {
			return err
		}
		entry, err := journal.Decode(stored.Data)
		if err != nil {
			continue // the pipeline stores it as a dead letter
		}
		if err := visit(ctx, entry, stored.Position); err != nil {
			return err
		}
	}
	return nil
}

func (r *postRecovery) noteDeletion(_ context.Context, e journal.Entry, at earshot.Position) error {
	if e.Deletion == nil {
		return nil
	}
	r.deletions = append(r.deletions, positionedDeletion{*e.Deletion, at, enginekit.DeletionMatcher(*e.Deletion)})
	if e.Deletion.Batch != "" || !e.Deletion.Before.IsZero() {
		return nil // it depends on the post whether it was deleted
	}
	for _, guid := range e.Deletion.GUIDs {
		key := earshot.PostKey{Source: e.Deletion.Source, ContentSource: e.Deletion.ContentSource, GUID: guid}
		if r.lost.Has(key) {
			r.deleted[key] = true
		}
	}
	return nil
}

// addPosts adds the lost posts of an entry.
func (r *postRecovery) addPosts(ctx context.Context, e journal.Entry, at earshot.Position) error {
	for _, p := range e.Posts {
		if !r.lost.Wants(&p, at) {
			continue
		}
		if err := r.add(ctx, p, at); err != nil {
			return err
		}
	}
	return nil
}

// isDeleted reports whether a version of a post was deleted later.
func (r *postRecovery) isDeleted(p *earshot.Post, at earshot.Position) bool {
	return slices.ContainsFunc(r.deletions, func(d positionedDeletion) bool { return d.at > at && d.selects(p) })
}

// add appends a post unless a newer version is known or the post was deleted later. The post is in
// the journal after flush.
func (r *postRecovery) add(ctx context.Context, p earshot.Post, at earshot.Position) error {
	if known, seen := r.newest[p.Key()]; seen && at <= known {
		return nil
	}
	if r.isDeleted(&p, at) {
		r.deleted[p.Key()] = true
		return nil
	}
	delete(r.deleted, p.Key()) // deleted and then uploaded again
	r.newest[p.Key()] = at
	r.batch = append(r.batch, p)
	if len(r.batch) < recoveredBatch {
		return nil
	}
	return r.flush(ctx)
}

func (r *postRecovery) flush(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	if _, err := r.journal.Append(ctx, journal.Entry{Posts: r.batch}); err != nil {
		return err
	}
	r.batch = nil
	return nil
}
