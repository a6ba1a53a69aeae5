package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
)

// Contents is everything that a service stores, one entry per thing: its name, such as
// "catalog user.3" or "post News g17", and a description or a hash of its value.
type Contents map[string]string

func (c Contents) put(kind string, id, value any) { c[fmt.Sprint(kind, " ", id)] = fmt.Sprint(value) }

// putData is put for values that are too long for a message.
func (c Contents) putData(kind string, id any, data []byte) {
	c.put(kind, id, fmt.Sprintf("%d bytes, %x", len(data), sha256.Sum256(data)))
}

// Contents reads everything from the engines. It waits until the service is idle.
func (a *App) Contents(ctx context.Context) (Contents, error) {
	c := Contents{}
	for _, read := range []func(context.Context, Contents) error{
		a.awaitIdle, a.readCatalog, a.readJournal, a.readStreams, a.readAnalyses, a.readSourceRecords, a.readPosts, a.readSets, a.readSnapshots,
	} {
		if err := read(ctx, c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (a *App) awaitIdle(ctx context.Context, _ Contents) error { return a.AwaitIdle(ctx) }

func (a *App) readCatalog(ctx context.Context, c Contents) error {
	entries, err := catalog.Dump(ctx, a.backups.Catalog)
	for _, e := range entries {
		c.putData("catalog", e.Key, e.Value)
	}
	return err
}

func (a *App) readJournal(ctx context.Context, c Contents) error {
	span, err := a.backups.Journal.Span(ctx)
	if err != nil {
		return err
	}
	c.put("journal", "span", span)
	err = each(a.backups.Journal.Entries(ctx, span.Last), func(e journal.StoredEntry) {
		c.putData("journal", e.Position, fmt.Append(e.Data, e.Time))
	})
	if err != nil {
		return err
	}
	return each(a.backups.Journal.StoredDeadLetters(ctx, math.MaxInt64), func(l journal.StoredDeadLetter) {
		c.putData("dead letter", l.Position, fmt.Append(l.Data, l.Time, l.RejectedAt, l.Reason))
	})
}

func (a *App) readStreams(ctx context.Context, c Contents) error {
	s, err := a.feed.State(ctx)
	if err != nil {
		return err
	}
	for id, cursor := range s.Cursors {
		c.put("stream cursor", id, cursor)
	}
	c.put("stream", "epoch", s.Epoch)
	c.put("stream", "jumps", s.Jumps)
	// Messages that were not acknowledged before a kill are written again, with a new time.
	return each(a.feed.Messages(ctx, s.Last), func(m feed.StoredMessage) {
		c.putData("stream message", fmt.Sprint(m.Stream, " ", m.Number), m.Data)
	})
}

func (a *App) readAnalyses(ctx context.Context, c Contents) error {
	return each(a.ledger.Entries(ctx), func(e kv.Entry) { c.putData("analysis", e.Key, e.Value) })
}

func (a *App) readSourceRecords(ctx context.Context, c Contents) error {
	records, err := catalog.Dump(ctx, a.connectorRecords)
	for _, e := range records {
		c.putData("source record", e.Key, e.Value)
	}
	return err
}

// WriteSourceRecords writes records as a connector does, and removes some.
func (a *App) WriteSourceRecords(ctx context.Context, n int) error {
	for i := range n {
		key := fmt.Sprintf("7.cache.%d", i)
		if _, err := a.connectorRecords.Set(ctx, key, bytes.Repeat(fmt.Appendf(nil, "%d of %d;", i, n), 50)); err != nil {
			return err
		}
		if i%4 == 3 {
			if err := a.connectorRecords.Purge(ctx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// always is a range of time that includes all posts.
var always = poststore.Selection{From: time.Unix(0, 0), To: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}

// readPosts reads the posts from segments, and again by their keys.
func (a *App) readPosts(ctx context.Context, c Contents) error {
	posts, total, err := a.posts.Posts(ctx, always, math.MaxInt32)
	if err != nil {
		return err
	}
	c.put("posts", "total", total)
	var keys []earshot.PostKey
	for _, p := range posts {
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		c.putData("post", p.Key(), text)
		keys = append(keys, p.Key())
	}
	found, err := a.posts.Find(ctx, keys)
	for _, p := range found {
		c.put("post by key", p.Key(), p.Time)
	}
	return err
}

// readSets reads which posts are in which sets.
func (a *App) readSets(ctx context.Context, c Contents) error {
	generations, err := a.posts.Generations(ctx)
	if err != nil {
		return err
	}
	for set, generation := range generations {
		c.put("generation", set, generation)
	}
	for _, m := range a.catalog.Monitors.List() {
		sets := map[string]poststore.SetID{"": poststore.MonitorSet(m.ID), "own": poststore.OwnSet(m.ID)}
		for _, f := range m.Filters {
			sets[fmt.Sprint("filter ", f.ID)], sets[fmt.Sprint("own, filter ", f.ID)] = poststore.MonitorSet(f.ID), poststore.OwnSet(f.ID)
		}
		for _, category := range m.Categories {
			// The other buffer contains what an earlier model assigned, and is not used.
			for i, set := range poststore.CategorySets([]earshot.CategoryID{category.ID}, m.Training.Model.Buffer) {
				sets[fmt.Sprint("category ", category.ID, " ", i)] = set
			}
		}
		for name, set := range sets {
			if err := a.readSet(ctx, c, fmt.Sprint(m.ID, " ", name), set); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *App) readSet(ctx context.Context, c Contents, name string, set poststore.SetID) error {
	of := always
	of.Set = set
	posts, _, err := a.posts.Posts(ctx, of, math.MaxInt32)
	var keys []string
	for _, p := range posts {
		keys = append(keys, fmt.Sprint(p.Key()))
	}
	c.putData("set", name, []byte(strings.Join(slices.Sorted(slices.Values(keys)), "\n")))
	return err
}

func (a *App) readSnapshots(ctx context.Context, c Contents) error {
	for _, m := range a.catalog.Monitors.List() {
		snapshots, err := a.posts.Snapshots(ctx, m.ID, earshot.Days{Start: earshot.Date{Year: 2000, Month: 1, Day: 1}, End: earshot.Date{Year: 2100, Month: 1, Day: 1}})
		if err != nil {
			return err
		}
		for _, s := range snapshots {
			text, err := json.Marshal(s)
			if err != nil {
				return err
			}
			c.put("snapshot", fmt.Sprint(m.ID, " ", s.Date), string(text))
		}
	}
	return nil
}

// each calls visit with every element, and returns the error that ends the sequence.
func each[T any](of iter.Seq2[T, error], visit func(T)) error {
	for v, err := range of {
		if err != nil {
			return err
		}
		visit(v)
	}
	return nil
}

// Differences lists the entries in which c differs from want, sorted.
func (c Contents) Differences(want Contents) (list []string) {
	all := maps.Clone(want)
	maps.Copy(all, c)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		got, has := c[name]
		wanted, expected := want[name]
		switch {
		case !has:
			list = append(list, name+" is missing")
		case !expected:
			list = append(list, fmt.Sprintf("%s is new: %.200s", name, got))
		case got != wanted:
			list = append(list, fmt.Sprintf("%s: got %.200s, want %.200s", name, got, wanted))
		}
	}
	return list
}

// RejectEntry writes a journal entry that cannot be decoded, so it becomes a dead letter.
func (a *App) RejectEntry() error {
	if _, err := a.node.JetStream().Publish(context.Background(), "journal", []byte("\x07unreadable")); err != nil {
		return err
	}
	return a.CatchUp(context.Background())
}

// TrimJournal removes the entries up to a position as if they were old.
func (a *App) TrimJournal(ctx context.Context, upTo earshot.Position) error {
	if err := a.files.Flush(ctx); err != nil {
		return err
	}
	return a.Journal.Trim(ctx, min(upTo, a.posts.Durable()), time.Now().Add(time.Hour))
}

// Unflushed returns the number of journal entries that only the journal has on disk.
func (a *App) Unflushed(ctx context.Context) (int64, error) {
	last, err := a.Journal.Last(ctx)
	return int64(last) - int64(a.posts.Durable()), err
}

// Quarantined returns the number of segments that the service runs without.
func (a *App) Quarantined(ctx context.Context) (int, error) {
	stats, err := a.posts.Stats(ctx)
	return len(stats.Quarantined), err
}

// A StreamMessage identifies a message of the embedded NATS server.
type StreamMessage struct {
	Stream   string
	Sequence uint64
}

func (m StreamMessage) String() string { return fmt.Sprintf("%s %d", m.Stream, m.Sequence) }

// MarshalText makes a StreamMessage a key of a JSON object.
func (m StreamMessage) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (m *StreamMessage) UnmarshalText(text []byte) error {
	i := strings.LastIndex(string(text), " ")
	m.Stream = string(text[:i])
	_, err := fmt.Sscan(string(text[i:]), &m.Sequence)
	return err
}

// A MessageContent describes a message.
type MessageContent struct {
	Subject  string
	Hash     string
	Deletion bool // it deletes an entry
}

// StreamMessages returns each message in the streams and buckets of a data directory,
// without a running service.
func StreamMessages(ctx context.Context, data string) (map[StreamMessage]MessageContent, error) {
	node, err := natsnode.Open(ctx, natsnode.Options{Dir: filepath.Join(data, "nats")})
	if err != nil {
		return nil, err
	}
	defer node.Close()
	all := map[StreamMessage]MessageContent{}
	streams := node.JetStream().ListStreams(ctx)
	for info := range streams.Info() {
		s, err := node.JetStream().Stream(ctx, info.Config.Name)
		if err != nil {
			return nil, err
		}
		for n := info.State.FirstSeq; n <= info.State.LastSeq; n++ {
			m, err := s.GetMsg(ctx, n)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s, message %d: %w", info.Config.Name, n, err)
			}
			all[StreamMessage{info.Config.Name, n}] = MessageContent{
				Subject: m.Subject, Hash: fmt.Sprintf("%x", sha256.Sum256(m.Data)), Deletion: m.Header.Get("KV-Operation") != "",
			}
		}
	}
	return all, streams.Err()
}
