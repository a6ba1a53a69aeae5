package backup

import (
	"context"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

// A Freeze blocks all writes to a journal and a catalog at once. All writes must go through the
// values that Journal and Catalog return. The zero value is ready to use.
type Freeze struct {
	writing  sync.RWMutex // read-locked by every write
	trimming sync.RWMutex // read-locked while a backup needs the journal
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
	if !j.freeze.trimming.TryLock() {
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
