package backup

import (
	"context"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

// A Freeze can hold up all writes to a journal and a catalog together. They must
// all go through what Journal and Catalog return. The zero value is ready.
type Freeze struct {
	writing  sync.RWMutex // held for reading by every write
	trimming sync.RWMutex // held for reading while a backup needs the journal
}

// maxFreeze is how long writes may be held up. The catalog is small: it takes
// that long only when its store does not answer, and then writes fail anyway.
const maxFreeze = 20 * time.Second

// Journal returns j with its writes under control of f. While a backup runs, Trim
// does nothing.
func (f *Freeze) Journal(j journal.Journal) journal.Journal { return &freezingJournal{j, f} }

// Catalog returns s with its writes under control of f.
func (f *Freeze) Catalog(s kv.Store) kv.Store { return &freezingStore{s, f} }

// run calls do while nothing is written. It waits for writes under way.
func (f *Freeze) run(ctx context.Context, do func(context.Context) error) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, maxFreeze)
	defer cancel()
	return do(ctx)
}

// blockTrim keeps the journal from being trimmed until release is called.
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
