// Package jetstream stores the journal in two NATS streams, one for entries and one for dead
// letters. A position is the sequence number of a message.
//
// An entry is one message, or several consecutive ones if it is too large for one. The messages of
// an entry are stored atomically, but each is delivered as a batch of its own.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
)

// StreamName is the name of the stream that contains the entries.
const StreamName = "JOURNAL"

const (
	entrySubject = "journal"

	deadLetterStream  = "DEADLETTERS"
	deadLetterSubject = "deadletter." // followed by the position
)

// oldConsumers are the durable consumers of earlier versions.
var oldConsumers = []string{"pipeline", "pictures"}

// Options of a journal.
type Options struct {
	Log *slog.Logger

	// CatalogRevision returns the revision of the catalog that entries are appended with. If it is
	// nil, entries have none.
	CatalogRevision func() uint64

	// Records is where the journal notes how far it has been trimmed. If it is nil, the first message of
	// the stream tells, which is right only while the stream contains nothing but entries.
	Records kv.Store
}

// A Journal is a [journal.Journal] in JetStream.
type Journal struct {
	node              *natsnode.Node
	entries           jetstream.Stream
	deadLetters       jetstream.Stream
	log               *slog.Logger
	recentDeadLetters deadLetterCache
	records           kv.Store      // may be nil
	catalog           func() uint64 // may be nil
	unprocessed       unprocessed
}

var _ journal.Archive = (*Journal)(nil)

// Open finds or creates the streams.
func Open(ctx context.Context, node *natsnode.Node, o Options) (_ *Journal, err error) {
	j := &Journal{node: node, log: o.Log, records: o.Records, catalog: o.CatalogRevision}
	if j.log == nil {
		j.log = slog.New(slog.DiscardHandler)
	}
	if j.entries, err = node.OpenStream(ctx, jetstream.StreamConfig{Name: StreamName, Subjects: []string{entrySubject}, AllowAtomicPublish: true}); err != nil {
		return nil, err
	}
	if j.deadLetters, err = node.OpenStream(ctx, jetstream.StreamConfig{Name: deadLetterStream, Subjects: []string{deadLetterSubject + ">"}}); err != nil {
		return nil, err
	}
	for _, name := range oldConsumers {
		err := node.Retry(ctx, func(ctx context.Context) error { return j.entries.DeleteConsumer(ctx, name) })
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return nil, fmt.Errorf("remove consumer %s of an earlier version: %w", name, err)
		}
	}
	return j, j.initTrimmed(ctx)
}

// Append implements journal.Journal. If a response is lost, Append retries and the server
// deduplicates, so e is stored once.
func (j *Journal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	parts, err := split(e, j.partLimit())
	if err != nil {
		return 0, err
	}
	if err := j.node.CheckFreeSpace(storageFactor * j.unprocessed.total()); err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	seq, err := j.node.PublishParts(ctx, entrySubject, j.header(), parts)
	if err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	bytes := int64(0)
	for _, part := range parts {
		bytes += int64(len(part))
	}
	j.unprocessed.add(earshot.Position(seq), bytes)
	return earshot.Position(seq), nil
}

// catalogHeader contains the revision of the catalog that the process knew which appended the entry.
// A restored journal does not have it, because the records of a restored catalog have other
// revisions.
const catalogHeader = "Earshot-Catalog"

// header returns the headers of a new entry.
func (j *Journal) header() nats.Header {
	if j.catalog == nil {
		return nil
	}
	return nats.Header{catalogHeader: {strconv.FormatUint(j.catalog(), 10)}}
}

// storageFactor is the maximum number of bytes, indexes included, that the post store needs on the
// same disk per byte of an entry. Append keeps that much space free for entries that are not stored
// yet.
const storageFactor = 4

// Processed implements journal.Journal.
func (j *Journal) Processed(upTo earshot.Position) { j.unprocessed.remove(upTo) }

// Last implements journal.Journal.
func (j *Journal) Last(ctx context.Context) (earshot.Position, error) {
	state, err := j.node.StreamState(ctx, j.entries)
	return earshot.Position(state.LastSeq), err
}

// Pending implements journal.Journal. Each part of a split entry counts. Pending is computed from
// positions, because the server's own counters lag behind acknowledged writes.
func (j *Journal) Pending(ctx context.Context, after earshot.Position) (int64, error) {
	state, err := j.node.StreamState(ctx, j.entries)
	if err != nil {
		return 0, fmt.Errorf("get the end of the journal: %w", err)
	}
	done := max(int64(after), int64(state.FirstSeq)-1) // trimmed entries are not pending
	if done >= int64(state.LastSeq) {
		return 0, nil
	}
	if j.node.HasFences() || state.Msgs != state.LastSeq-state.FirstSeq+1 { // some positions have no entry
		if more, err := j.hasEntryAfter(ctx, done); err != nil || !more {
			return 0, err
		}
	}
	return int64(state.LastSeq) - done, nil
}

// hasEntryAfter reports whether an entry is stored after a position. There may be none even if the
// journal ends later, because a repair that cannot recover the last entries keeps their positions. It
// is slow, because it fetches the entry.
func (j *Journal) hasEntryAfter(ctx context.Context, position int64) (more bool, err error) {
	err = j.node.Retry(ctx, func(ctx context.Context) error {
		_, err := j.entries.GetMsg(ctx, uint64(position)+1, jetstream.WithGetMsgSubject(entrySubject))
		more = err == nil
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("find an entry after position %d of the journal: %w", position, err)
	}
	return more, nil
}
