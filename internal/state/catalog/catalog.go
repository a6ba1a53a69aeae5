// Package catalog keeps what is not a post: users, teams, monitors, streams, content
// sources, the contract. It is small, so each process holds all of it in memory
// by watching the store, and a changed monitor reaches every matcher at once.
// Writes compare and set on the record's revision and are visible to this
// process when they return.
//
// Records are stored as JSON under Go's field names; testdata/records.golden
// pins them.
package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"earshot"
)

// A Catalog is the metadata, in memory and in a Store.
type Catalog struct {
	Teams    *Table[earshot.TeamID, earshot.Team]
	Users    *Table[earshot.UserID, earshot.User]
	Monitors *Table[earshot.MonitorID, earshot.Monitor]
	Sources  *Table[earshot.ContentSourceID, earshot.ContentSource]
	Streams  *Table[earshot.StreamID, earshot.Stream]

	// Whole is held by changes that depend on several records: a team's limit, its
	// end, the last administrator. It orders those of this process.
	Whole sync.Mutex

	store   Store
	large   largeRecords
	stop    context.CancelFunc
	watcher sync.WaitGroup
}

// Open reads everything in the store and keeps watching it until Close.
func Open(ctx context.Context, store Store, log *slog.Logger) (*Catalog, error) {
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	c := &Catalog{
		Teams:    newTable[earshot.TeamID, earshot.Team](store, "team"),
		Users:    newTable[earshot.UserID, earshot.User](store, "user"),
		Monitors: newTable[earshot.MonitorID, earshot.Monitor](store, "monitor"),
		Sources:  newTable[earshot.ContentSourceID, earshot.ContentSource](store, "source"),
		Streams:  newTable[earshot.StreamID, earshot.Stream](store, "stream"),
		store:    store,
		large:    largeRecords{parts: map[int64]map[int]bool{}},
		stop:     stop,
	}
	ready, failed := make(chan struct{}), make(chan error, 1)
	c.watcher.Go(func() { c.watch(watching, log, sync.OnceFunc(func() { close(ready) }), failed) })
	select {
	case <-ready:
		return c, nil
	case err := <-failed:
		c.Close()
		return nil, fmt.Errorf("read catalog: %w", err)
	case <-ctx.Done():
		c.Close()
		return nil, fmt.Errorf("read catalog: %w", ctx.Err())
	}
}

// Close stops watching.
func (c *Catalog) Close() {
	c.stop()
	c.watcher.Wait()
}

// watch follows the store for as long as the catalog is open. Before the first
// complete read an error is final; later ones are waited out, because serving
// from memory beats not serving.
func (c *Catalog) watch(ctx context.Context, log *slog.Logger, ready func(), failed chan<- error) {
	loaded := false
	for {
		err := c.store.Watch(ctx, func(r Record) { c.apply(r, log) }, func() { loaded = true; ready() })
		switch {
		case ctx.Err() != nil:
			return
		case !loaded:
			failed <- err
			return
		}
		log.Error("catalog watch ended; trying again", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

func (c *Catalog) apply(r Record, log *slog.Logger) {
	kind, id, _ := strings.Cut(r.Key, ".")
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		c.large.note(r)
		return // a name, the sequence, the contract, something large: read when needed
	}
	switch kind {
	case c.Teams.prefix:
		err = c.Teams.apply(earshot.TeamID(n), r)
	case c.Users.prefix:
		err = c.Users.apply(earshot.UserID(n), r)
	case c.Monitors.prefix:
		err = c.Monitors.apply(earshot.MonitorID(n), r)
	case c.Sources.prefix:
		err = c.Sources.apply(earshot.ContentSourceID(n), r)
	case c.Streams.prefix:
		err = c.Streams.apply(earshot.StreamID(n), r)
	}
	if err != nil {
		log.Error("catalog record is unreadable; the last readable version stays in force", "key", r.Key, "error", err)
	}
}

// FindMonitor returns the monitor with that id, or the one that has a filter
// with that id. Removed monitors are not found.
func (c *Catalog) FindMonitor(id earshot.MonitorID) (*earshot.Monitor, bool) {
	if m, ok := c.Monitors.Find(id); ok {
		return m, !m.Removed
	}
	for _, m := range c.Monitors.List() {
		if _, ok := m.Filter(id); ok {
			return m, !m.Removed
		}
	}
	return nil, false
}

// NextIDs reserves n consecutive ids and returns the first.
func (c *Catalog) NextIDs(ctx context.Context, n int) (int64, error) {
	return c.next(ctx, "sequence", earshot.FirstID, n)
}

// next reserves n consecutive numbers of a sequence that begins with a number, and returns
// the first.
func (c *Catalog) next(ctx context.Context, sequence string, begin int64, n int) (int64, error) {
	var first int64
	err := c.update(ctx, sequence, func(value []byte) ([]byte, error) {
		first = begin
		if value != nil {
			if err := json.Unmarshal(value, &first); err != nil {
				return nil, err
			}
		}
		return json.Marshal(first + int64(n))
	})
	if err != nil {
		return 0, fmt.Errorf("next id: %w", err)
	}
	return first, nil
}

// update changes the record at key, trying again when someone else changes it
// meanwhile. change gets nil when there is no record.
func (c *Catalog) update(ctx context.Context, key string, change func([]byte) ([]byte, error)) error {
	for range maxTries {
		r, err := c.store.Get(ctx, key)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		value, err := change(r.Value)
		if err != nil {
			return err
		}
		_, err = c.store.Put(ctx, key, value, r.Revision)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return errBusy
}

// maxTries bounds how often a write is tried against competing writers.
const maxTries = 1000

var errBusy = &earshot.Error{Kind: earshot.Unavailable, Message: "Too many changes at the same time; try again", RetryAfter: time.Second}
