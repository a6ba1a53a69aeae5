package backup

import (
	"context"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

// A Freeze blocks all writes of this process to a journal and a catalog at once. All writes must go
// through the values that Journal and Catalog return. The zero value is ready to use.
type Freeze struct {
	writing  sync.RWMutex // read-locked by every write
	trimming sync.RWMutex // read-locked while a backup needs the journal

	mu        sync.Mutex
	trimAfter time.Time     // guarded by mu; until then, a backup of another node needs the journal
	held      chan struct{} // guarded by mu; closed by Thaw; nil: Hold does not block writes
}

// maxFreeze is the maximum time that writes are blocked. The catalog is small, so copying it takes
// that long only if its store does not respond, and then writes fail anyway.
const maxFreeze = 20 * time.Second

// Journal returns j with writes controlled by f. While a backup runs, Trim does nothing.
func (f *Freeze) Journal(j journal.Journal) journal.Journal { return &freezingJournal{j, f} }

// Catalog returns s with writes controlled by f.
func (f *Freeze) Catalog(s kv.Store) kv.Store { return &freezingStore{s, f} }

// run waits for running writes, then calls do while writes are blocked.
func (f *Freeze) run(ctx context.Context, do func(context.Context) error) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, maxFreeze)
	defer cancel()
	return do(ctx)
}

// blockTrim prevents trimming of the journal until release is called.
func (f *Freeze) blockTrim() (release func()) {
	f.trimming.RLock()
	return f.trimming.RUnlock
}

// Hold blocks writes for a backup of another node. It waits for running writes. Writes are possible
// again after Thaw, or after maxFreeze. It fails if another backup holds them, or if this node makes a
// backup itself: the two would wait for each other.
func (f *Freeze) Hold(ctx context.Context) error {
	if !f.trimming.TryLock() {
		return errRunning
	}
	f.trimming.Unlock()
	thaw := make(chan struct{})
	f.mu.Lock()
	if f.held != nil {
		f.mu.Unlock()
		return errRunning
	}
	f.held = thaw
	f.mu.Unlock()
	began := time.Now()
	locked := make(chan struct{})
	go func() {
		f.writing.Lock()
		defer f.writing.Unlock()
		close(locked)
		timeout := time.NewTimer(maxFreeze - time.Since(began))
		defer timeout.Stop()
		select {
		case <-thaw:
		case <-timeout.C:
			f.release(thaw)
		}
	}()
	select {
	case <-locked:
		return nil
	case <-ctx.Done():
		f.release(thaw)
		return ctx.Err()
	}
}

// Thaw lets writes continue that Hold blocks.
func (f *Freeze) Thaw() {
	f.mu.Lock()
	thaw := f.held
	f.mu.Unlock()
	if thaw != nil {
		f.release(thaw)
	}
}

// release ends a Hold, once.
func (f *Freeze) release(thaw chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held == thaw {
		f.held = nil
		close(thaw)
	}
}

// KeepJournal prevents trimming for a while, because a backup of another node reads the journal. The
// node repeats the call while the backup runs.
func (f *Freeze) KeepJournal(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trimAfter = now.Add(KeepInterval * 3)
}

// KeepInterval is how often a backup asks other nodes to keep the journal.
const KeepInterval = 20 * time.Second

func (f *Freeze) keepsJournal(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return now.Before(f.trimAfter)
}

type freezingJournal struct {
	journal.Journal
	freeze *Freeze
}

func (j *freezingJournal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	j.freeze.writing.RLock()
	defer j.freeze.writing.RUnlock()
	return j.Journal.Append(ctx, e)
}

func (j *freezingJournal) Trim(ctx context.Context, upTo earshot.Position, before time.Time) error {
	if j.freeze.keepsJournal(time.Now()) || !j.freeze.trimming.TryLock() {
		return nil
	}
	defer j.freeze.trimming.Unlock()
	return j.Journal.Trim(ctx, upTo, before)
}

type freezingStore struct {
	kv.Store
	freeze *Freeze
}

func (s *freezingStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	s.freeze.writing.RLock()
	defer s.freeze.writing.RUnlock()
	return s.Store.Put(ctx, key, value, revision)
}

func (s *freezingStore) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	s.freeze.writing.RLock()
	defer s.freeze.writing.RUnlock()
	return s.Store.Set(ctx, key, value)
}

func (s *freezingStore) Purge(ctx context.Context, key string) error {
	s.freeze.writing.RLock()
	defer s.freeze.writing.RUnlock()
	return s.Store.Purge(ctx, key)
}

func (s *freezingStore) Delete(ctx context.Context, key string, revision uint64) error {
	s.freeze.writing.RLock()
	defer s.freeze.writing.RUnlock()
	return s.Store.Delete(ctx, key, revision)
}
