// Package backup backs up all data of a running service, and restores it. A backup contains what a
// crash at one instant would leave behind: the files of the post store, the catalog, the posts in
// streams, the analyses, and the journal, from which the store and the streams catch up as after
// every start.
//
// In transit, a backup is a tar file; at rest, it is a directory with the same file names. A
// manifest at the end lists every file with its SHA-256, so a truncated stream, a damaged file or
// an unfinished backup is detected before anything is restored. docs/operations.md describes the
// files.
//
// Package app chooses the engines.
package backup

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

// Posts is a post store on disk.
type Posts interface {
	// Flush returns once all appended posts are on disk.
	Flush(ctx context.Context) error

	// Durable returns the position up to which everything is on disk.
	Durable() earshot.Position

	// Checkpoint writes a consistent copy of the store's files to a directory, which must not
	// exist.
	Checkpoint(ctx context.Context, dir string) error
}

// A Service creates backups, one at a time.
type Service struct {
	Posts   Posts // nil: the store has no files here, or is filled from the journal at every start
	Journal journal.Archive
	Catalog kv.Store
	Streams feed.Archive
	Results *ledger.Ledger
	Sources kv.Store // records of live sources; nil: none
	Freeze  *Freeze  // all writes to the journal and the catalog go through it
	Secret  string   // file with the key that signs tokens
	Dir     string   // data directory, which also contains the temporary checkpoint
	Version string   // of the program

	// Save writes the state that is only in memory and belongs into a backup. It may be nil.
	Save func(ctx context.Context)

	// Others makes other nodes wait, too. It is nil if there are none.
	Others Others

	Installation    string        // ID that the streams and the post store have in common
	CatalogRevision func() uint64 // returns the last revision of the catalog; nil: unknown
	Now             func() time.Time

	// VerifyPosts returns an error if a directory, which Posts.Checkpoint has written, is damaged.
	// VerifyState returns an error if the files of the journal, the catalog, the streams or the
	// analyses are damaged. Reading them might skip what is unreadable. Both may be nil.
	VerifyPosts func(ctx context.Context, dir string) error
	VerifyState func(ctx context.Context) error

	running sync.Mutex // held by Write
}

// Others are the other nodes that write to the journal and the catalog.
type Others interface {
	// Freeze calls [Freeze.Hold] on all of them, and fails if one does not respond.
	Freeze(ctx context.Context) error

	// Thaw calls [Freeze.Thaw] on all of them, as far as they can be reached.
	Thaw()

	// KeepJournal calls [Freeze.KeepJournal] on all of them, as far as they can be reached. They also
	// write what Save of [Service] does.
	KeepJournal()
}

// checkpointPrefix is the name prefix of directories with a checkpoint.
const checkpointPrefix = ".checkpoint-"

var errRunning = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Minute,
	Message: "Another backup is in progress. Please try again when it is finished"}

// Write writes a backup to w as a tar file. It blocks writes while it copies the catalog, and the
// journal is not trimmed until it returns. It verifies everything that it copies. After an error
// the output is not a valid backup; if anything was written, it ends with the reason, which
// [Unpack] returns. If w has a method Flush() error, Write calls it when the output is worth
// sending immediately.
func (s *Service) Write(ctx context.Context, w io.Writer) error {
	if !s.running.TryLock() {
		return errRunning
	}
	defer s.running.Unlock()
	defer s.Freeze.blockTrim()()
	defer s.keepJournal()()

	m := Manifest{Format: formatVersion, Version: s.Version, Time: s.Now().UTC(), Installation: s.Installation}
	posts, err := s.checkpoint(ctx, &m)
	if err != nil {
		return err
	}
	defer os.RemoveAll(posts)
	// Records of live sources precede the end of the journal. A source that has a record without
	// the post it refers to would never deliver the post again.
	sources, err := s.copySources(ctx)
	if err != nil {
		return err
	}
	defer sources.Close()
	if s.Save != nil {
		s.Save(ctx)
	}
	c, err := s.snapshot(ctx, &m)
	if err != nil {
		return err
	}
	defer c.stop()
	p := newPacker(w, &m)
	err = firstError(
		func() error { return p.addCatalog(c.catalog) },
		func() error { return p.addFile(secretFile, s.Secret) },
		p.flush, // verifying takes a while
		func() error { return s.verify(ctx, posts) },
		func() error { return p.addTree(ctx, postsDir, posts) },
		func() error { return p.addEntries(s.Journal.Entries(ctx, m.Journal.Last)) },
		func() error { return p.addDeadLetters(s.Journal.StoredDeadLetters(ctx, m.Journal.Last)) },
		func() error { return p.addStreams(c.streams, s.Streams.Messages(ctx, c.streams.Last)) },
		func() error { return p.addResults(c.results) },
		func() error { return p.addSources(sources) },
		p.finish,
	)
	if err != nil {
		p.fail(err)
	}
	return err
}

// verify verifies the files that the backup is made from. posts is the parent of the checkpoint.
func (s *Service) verify(ctx context.Context, posts string) error {
	if s.VerifyPosts != nil && posts != "" {
		if err := s.VerifyPosts(ctx, filepath.Join(posts, postsDir)); err != nil {
			return err
		}
	}
	if s.VerifyState != nil {
		return s.VerifyState(ctx)
	}
	return nil
}

// Clean removes the checkpoints of backups that a crash interrupted. Call it before the first
// Write.
func (s *Service) Clean() error {
	names, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if !strings.HasPrefix(n.Name(), checkpointPrefix) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.Dir, n.Name())); err != nil {
			return fmt.Errorf("remove the checkpoint of an interrupted backup: %w", err)
		}
	}
	return nil
}

// checkpoint returns a directory with a copy of the store's files, or "" for a store without files.
// It sets m.Position, up to which the copy is complete.
func (s *Service) checkpoint(ctx context.Context, m *Manifest) (string, error) {
	if s.Posts == nil {
		return "", nil
	}
	dir, err := os.MkdirTemp(s.Dir, checkpointPrefix)
	if err != nil {
		return "", fmt.Errorf("create a directory for a checkpoint: %w", err)
	}
	err = firstError(
		func() error { return s.Posts.Flush(ctx) },
		func() error { m.Position = s.Posts.Durable(); return nil },
		func() error { return s.Posts.Checkpoint(ctx, filepath.Join(dir, postsDir)) },
	)
	if err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("copy the post store: %w", err)
	}
	return dir, nil
}

// A snapshot is the state at one instant, either copied or as a sequence to read.
type snapshot struct {
	catalog []kv.Entry
	streams feed.State
	results iter.Seq2[kv.Entry, error]
	stop    func() // releases results
}

// snapshot records the end of the journal and returns the state at that instant: the catalog, the
// streams, which are not ahead of the journal, and the analyses. No analysis has an ID that the
// restored catalog will assign again, and every analysis whose query the catalog does not count is
// pending. The checkpoint was made earlier; the journal has what it lacks.
func (s *Service) snapshot(ctx context.Context, m *Manifest) (c snapshot, err error) {
	results := s.Results.Entries(ctx)
	began := time.Now()
	if s.Others != nil {
		defer s.Others.Thaw()
		if err := s.Others.Freeze(ctx); err != nil {
			return c, fmt.Errorf("block writes of other nodes: %w", err)
		}
	}
	err = s.Freeze.run(ctx, func(ctx context.Context) error {
		span, err := s.Journal.Span(ctx)
		if err != nil {
			return err
		}
		m.Journal = Positions(span)
		if s.CatalogRevision != nil {
			m.CatalogRevision = s.CatalogRevision()
		}
		if c.streams, err = s.Streams.State(ctx); err != nil {
			return err
		}
		if c.catalog, err = catalog.Dump(ctx, s.Catalog); err != nil {
			return err
		}
		if s.Others != nil && time.Since(began) >= maxFreeze { // they may have written in the meantime
			return errSlowSnapshot
		}
		c.results, c.stop = prefetchFirst(results)
		return nil
	})
	if err != nil {
		return c, fmt.Errorf("copy the catalog: %w", err)
	}
	return c, nil
}

var errSlowSnapshot = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Minute,
	Message: "Copying the catalog took too long for other nodes to wait. Please try again when the service has less to do"}

// keepJournal asks other nodes not to trim the journal until stop is called.
func (s *Service) keepJournal() (stop func()) {
	if s.Others == nil {
		return func() {}
	}
	s.Others.KeepJournal()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for sleep.For(ctx, KeepInterval) {
			s.Others.KeepJournal()
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// prefetchFirst reads the first entry, which determines the list of all entries, and returns the
// same sequence. The caller must call stop.
func prefetchFirst(entries iter.Seq2[kv.Entry, error]) (all iter.Seq2[kv.Entry, error], stop func()) {
	next, stop := iter.Pull2(entries)
	e, err, more := next()
	return func(yield func(kv.Entry, error) bool) {
		for ; more && yield(e, err); e, err, more = next() {
		}
	}, stop
}

// firstError runs the steps until one fails, and returns its error.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
