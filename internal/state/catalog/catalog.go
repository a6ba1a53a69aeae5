// Package catalog stores everything except posts: users, teams, monitors, streams, content sources,
// live sources, dashboards, what people note about posts, rules, signals, channels, the contract. The
// data is small, so each process keeps all of it in memory by watching the key-value store, and a changed monitor reaches every matcher immediately. Writes are conditional
// on the record's revision, and are visible to this process once they return.
//
// A record is a JSON object with Go's field names, which testdata/records.golden pins. Its key
// consists of its table and its ID, for example monitor.2147483649.
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
	"earshot/internal/sleep"
	"earshot/internal/state/kv"
)

// BucketName is the name of the bucket that stores the catalog.
const BucketName = "catalog"

// ErrNotFound means that a record does not exist.
var ErrNotFound = kv.ErrNotFound

// A Catalog keeps the metadata in memory and in a [kv.Store].
type Catalog struct {
	Teams    *Table[earshot.TeamID, earshot.Team]
	Users    *Table[earshot.UserID, earshot.User]
	Monitors *Table[earshot.MonitorID, earshot.Monitor]
	Sources  *Table[earshot.ContentSourceID, earshot.ContentSource]
	Streams  *Table[earshot.StreamID, earshot.Stream]

	Erasures *Table[earshot.ErasureID, earshot.Erasure]

	Live        *Table[earshot.LiveSourceID, earshot.LiveSource]
	Checkpoints *Table[earshot.LiveSourceID, Checkpoint]

	Dashboards  *Table[earshot.DashboardID, earshot.Dashboard]
	Views       *Table[earshot.ViewID, earshot.SavedView]
	ShareLinks  *Table[earshot.ShareLinkID, earshot.ShareLink]
	Annotations *Table[earshot.AnnotationID, earshot.Annotation]
	Marks       *Table[earshot.MarkID, earshot.PostMark]
	Corrections *Table[earshot.CorrectionID, earshot.Correction]
	Samples     *Table[earshot.LabelSampleID, earshot.LabelSample]

	Rules      *Table[earshot.RuleID, earshot.Rule]
	Signals    *Table[earshot.SignalID, earshot.Signal]
	Channels   *Table[earshot.ChannelID, earshot.Channel]
	Deliveries *Table[earshot.DeliveryID, earshot.Delivery]
	Reports    *Table[earshot.ReportID, earshot.ScheduledReport]
	FeedLinks  *Table[earshot.FeedLinkID, earshot.FeedLink]
	Clients    *Table[earshot.ClientID, earshot.Client]

	Invitations *Table[earshot.InvitationID, earshot.Invitation]

	// Lock makes Exclusive exclude other processes too. Nil: no other process writes.
	Lock Lock

	exclusive chan struct{} // contains a value while Exclusive runs
	store     kv.Store
	read      *revisions
	blobs     blobIndex
	formats   formatWatch
	models    notifier
	stop      context.CancelFunc
	watcher   sync.WaitGroup
}

// Open reads the whole store and watches it until Close.
func Open(ctx context.Context, store kv.Store, log *slog.Logger) (*Catalog, error) {
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	read := &revisions{}
	store = &notedStore{store, read}
	c := &Catalog{
		Teams:       newTable[earshot.TeamID, earshot.Team](store, "team"),
		Users:       newTable[earshot.UserID, earshot.User](store, "user"),
		Monitors:    newTable[earshot.MonitorID, earshot.Monitor](store, "monitor"),
		Sources:     newTable[earshot.ContentSourceID, earshot.ContentSource](store, "source"),
		Streams:     newTable[earshot.StreamID, earshot.Stream](store, "stream"),
		Erasures:    newTable[earshot.ErasureID, earshot.Erasure](store, "erasure"),
		Live:        newTable[earshot.LiveSourceID, earshot.LiveSource](store, "live"),
		Checkpoints: newTable[earshot.LiveSourceID, Checkpoint](store, "checkpoint"),
		Dashboards:  newTable[earshot.DashboardID, earshot.Dashboard](store, "dashboard"),
		Views:       newTable[earshot.ViewID, earshot.SavedView](store, "view"),
		ShareLinks:  newTable[earshot.ShareLinkID, earshot.ShareLink](store, "sharelink"),
		Annotations: newTable[earshot.AnnotationID, earshot.Annotation](store, "annotation"),
		Marks:       newTable[earshot.MarkID, earshot.PostMark](store, "mark"),
		Corrections: newTable[earshot.CorrectionID, earshot.Correction](store, "correction"),
		Samples:     newTable[earshot.LabelSampleID, earshot.LabelSample](store, "labelsample"),
		Rules:       newTable[earshot.RuleID, earshot.Rule](store, "rule"),
		Signals:     newTable[earshot.SignalID, earshot.Signal](store, "signal"),
		Channels:    newTable[earshot.ChannelID, earshot.Channel](store, "channel"),
		Deliveries:  newTable[earshot.DeliveryID, earshot.Delivery](store, "delivery"),
		Reports:     newTable[earshot.ReportID, earshot.ScheduledReport](store, "report"),
		FeedLinks:   newTable[earshot.FeedLinkID, earshot.FeedLink](store, "feedlink"),
		Invitations: newTable[earshot.InvitationID, earshot.Invitation](store, "invitation"),
		Clients:     newTable[earshot.ClientID, earshot.Client](store, "client"),
		exclusive:   make(chan struct{}, 1),
		store:       store,
		read:        read,
		blobs:       blobIndex{chunks: map[int64]map[int]bool{}},
		stop:        stop,
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

// watch applies changes of the store until the catalog is closed. An error before the first
// complete read is final. Later errors are retried, because serving stale data is better than not
// serving.
func (c *Catalog) watch(ctx context.Context, log *slog.Logger, ready func(), failed chan<- error) {
	loaded := false
	for {
		err := c.store.Watch(ctx, func(e kv.Entry) { c.apply(e, log) }, func(revision uint64) {
			c.read.advance(revision)
			loaded = true
			ready()
		})
		switch {
		case ctx.Err() != nil:
			return
		case !loaded:
			failed <- err
			return
		}
		log.Error("catalog watch failed; will retry", "error", err)
		if !sleep.For(ctx, time.Second) {
			return
		}
	}
}

func (c *Catalog) apply(e kv.Entry, log *slog.Logger) {
	defer c.read.advance(e.Revision)
	if e.Key == formatsKey {
		c.formats.apply(e, log)
	}
	table, id, _ := strings.Cut(e.Key, ".")
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		if e.Key == modelsKey {
			c.models.notify()
		}
		c.blobs.apply(e)
		return // names, sequences, singletons and blobs are read on demand
	}
	switch table {
	case c.Teams.prefix:
		err = c.Teams.apply(earshot.TeamID(n), e)
	case c.Users.prefix:
		err = c.Users.apply(earshot.UserID(n), e)
	case c.Monitors.prefix:
		err = c.Monitors.apply(earshot.MonitorID(n), e)
	case c.Sources.prefix:
		err = c.Sources.apply(earshot.ContentSourceID(n), e)
	case c.Streams.prefix:
		err = c.Streams.apply(earshot.StreamID(n), e)
	case c.Erasures.prefix:
		err = c.Erasures.apply(earshot.ErasureID(n), e)
	case c.Live.prefix:
		err = c.Live.apply(earshot.LiveSourceID(n), e)
	case c.Checkpoints.prefix:
		err = c.Checkpoints.apply(earshot.LiveSourceID(n), e)
	case c.Dashboards.prefix:
		err = c.Dashboards.apply(earshot.DashboardID(n), e)
	case c.Views.prefix:
		err = c.Views.apply(earshot.ViewID(n), e)
	case c.ShareLinks.prefix:
		err = c.ShareLinks.apply(earshot.ShareLinkID(n), e)
	case c.Annotations.prefix:
		err = c.Annotations.apply(earshot.AnnotationID(n), e)
	case c.Marks.prefix:
		err = c.Marks.apply(earshot.MarkID(n), e)
	case c.Corrections.prefix:
		err = c.Corrections.apply(earshot.CorrectionID(n), e)
	case c.Samples.prefix:
		err = c.Samples.apply(earshot.LabelSampleID(n), e)
	case c.Rules.prefix:
		err = c.Rules.apply(earshot.RuleID(n), e)
	case c.Signals.prefix:
		err = c.Signals.apply(earshot.SignalID(n), e)
	case c.Channels.prefix:
		err = c.Channels.apply(earshot.ChannelID(n), e)
	case c.Deliveries.prefix:
		err = c.Deliveries.apply(earshot.DeliveryID(n), e)
	case c.Reports.prefix:
		err = c.Reports.apply(earshot.ReportID(n), e)
	case c.FeedLinks.prefix:
		err = c.FeedLinks.apply(earshot.FeedLinkID(n), e)
	case c.Invitations.prefix:
		err = c.Invitations.apply(earshot.InvitationID(n), e)
	case c.Clients.prefix:
		err = c.Clients.apply(earshot.ClientID(n), e)
	}
	if err != nil {
		log.Error("catalog record is unreadable; the last readable version stays in effect", "key", e.Key, "error", err)
	}
}

// FindMonitor returns the monitor with the given ID, or the monitor of the filter with that ID. It
// does not return removed monitors.
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

// sequenceKey is the key of the next ID.
const sequenceKey = "sequence"

// NextIDs reserves n consecutive IDs and returns the first.
func (c *Catalog) NextIDs(ctx context.Context, n int) (int64, error) {
	return c.reserveIDs(ctx, sequenceKey, earshot.FirstID, n)
}

// reserveIDs reserves n consecutive IDs of the sequence at key, which starts at start, and returns
// the first.
func (c *Catalog) reserveIDs(ctx context.Context, key string, start int64, n int) (int64, error) {
	var first int64
	err := c.update(ctx, key, func(value []byte) ([]byte, error) {
		first = start
		if value != nil {
			if err := json.Unmarshal(value, &first); err != nil {
				return nil, err
			}
		}
		return json.Marshal(first + int64(n))
	})
	if err != nil {
		return 0, fmt.Errorf("reserve IDs: %w", err)
	}
	return first, nil
}

// update changes the value at key, and retries if another writer changes it first. change is called
// with nil if key has no value.
func (c *Catalog) update(ctx context.Context, key string, change func([]byte) ([]byte, error)) error {
	for range maxTries {
		e, err := c.store.Get(ctx, key)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		value, err := change(e.Value)
		if err != nil {
			return err
		}
		_, err = c.store.Put(ctx, key, value, e.Revision)
		if !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
	return errBusy
}

// maxTries bounds the attempts of a write against competing writers. It is enough for any number of
// writers that make progress, and returns an error if one never does.
const maxTries = 1000

var errBusy = &earshot.Error{Kind: earshot.Unavailable, Message: "Too many changes at the same time; try again", RetryAfter: time.Second}
