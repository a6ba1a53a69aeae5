package jetstream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode"
)

const (
	reasonHeader   = "Earshot-Reason"
	rejectedHeader = "Earshot-Set-Aside" // time of rejection if it differs from when the message was stored, as after a restore

	maxRecent      = 20
	maxSearched    = 200 // number of sequences to search for them
	maxReasonBytes = 1000
)

// addDeadLetter stores the message at p as a dead letter, with everything needed to examine it or
// to append it again. A repeat has no effect.
func (j *Journal) addDeadLetter(ctx context.Context, p earshot.Position, data []byte, appended time.Time, reason string) error {
	letter := &nats.Msg{
		Subject: deadLetterSubject + strconv.FormatUint(uint64(p), 10),
		Data:    data,
		Header: nats.Header{
			reasonHeader:                        {headerText(reason)},
			appendedHeader:                      {appended.Format(time.RFC3339Nano)},
			jetstream.ExpectedLastSubjSeqHeader: {"0"}, // a repeat is a conflict
		},
	}
	_, err := j.node.Publish(ctx, letter)
	if errors.Is(err, natsnode.ErrConflict) {
		err = j.confirmDeadLetter(ctx, letter.Subject)
	}
	if err != nil {
		return fmt.Errorf("store dead letter of entry %d: %w", p, err)
	}
	j.log.Warn("journal entry stored as a dead letter", "position", uint64(p), "reason", headerText(reason))
	return nil
}

// confirmDeadLetter returns an error unless the dead letter is stored. A cluster also reports a
// conflict while a write is in progress, and that write may still fail.
func (j *Journal) confirmDeadLetter(ctx context.Context, subject string) error {
	return j.node.Retry(ctx, func(ctx context.Context) error {
		_, err := j.deadLetters.GetLastMsgForSubject(ctx, subject)
		return err
	})
}

// DeadLetters implements journal.Journal. It caches the letters until they change, because each is
// as large as its entry and metrics are collected every few seconds.
func (j *Journal) DeadLetters(ctx context.Context) (journal.DeadLetters, error) {
	state, err := j.node.StreamState(ctx, j.deadLetters)
	if err != nil || state.Msgs == 0 {
		return journal.DeadLetters{}, err
	}
	recent, cached := j.recentDeadLetters.get(state)
	if !cached {
		if recent, err = j.readRecent(ctx, state); err != nil {
			return journal.DeadLetters{}, fmt.Errorf("list dead letters: %w", err)
		}
		j.recentDeadLetters.put(state, recent)
	}
	return journal.DeadLetters{Count: int64(state.Msgs), Recent: slices.Clone(recent)}, nil
}

// RetryDeadLetters implements journal.Archive.
func (j *Journal) RetryDeadLetters(ctx context.Context, read earshot.Position) (n int, err error) {
	for l, err := range j.StoredDeadLetters(ctx, math.MaxUint64) {
		if err != nil {
			return n, err
		}
		if err := j.retryDeadLetter(ctx, l, read); err != nil {
			return n, fmt.Errorf("append the dead letter of entry %d again: %w", l.Position, err)
		}
		if err := j.removeDeadLetter(ctx, l.Position); err != nil {
			return n, fmt.Errorf("remove the dead letter of entry %d: %w", l.Position, err)
		}
		n++
	}
	return n, nil
}

// retryDeadLetter appends the entry of a letter unless it will be read again anyway.
func (j *Journal) retryDeadLetter(ctx context.Context, l journal.StoredDeadLetter, read earshot.Position) error {
	if l.Position > read {
		err := j.node.Retry(ctx, func(ctx context.Context) error {
			_, err := j.entries.GetMsg(ctx, uint64(l.Position))
			return err
		})
		if !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
	}
	_, err := j.node.PublishParts(ctx, entrySubject, j.header(), [][]byte{journal.WithoutCursor(l.Data)})
	return err
}

func (j *Journal) removeDeadLetter(ctx context.Context, p earshot.Position) error {
	subject := deadLetterSubject + strconv.FormatUint(uint64(p), 10)
	return j.node.PurgeSubject(ctx, j.deadLetters, subject, 0)
}

// readRecent returns the newest letters, newest first. Letters are never replaced, so the newest
// ones have the last sequences. Letters removed by hand leave gaps; readRecent gives up after
// maxSearched sequences.
func (j *Journal) readRecent(ctx context.Context, state jetstream.StreamState) ([]journal.DeadLetter, error) {
	var list []journal.DeadLetter
	seq := state.LastSeq
	for range maxSearched {
		if seq < state.FirstSeq || seq == 0 || len(list) == maxRecent {
			break
		}
		var m *jetstream.RawStreamMsg
		err := j.node.Retry(ctx, func(ctx context.Context) (err error) {
			m, err = j.deadLetters.GetMsg(ctx, seq)
			return err
		})
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, err
		}
		if d, ok := parseDeadLetter(m); ok {
			list = append(list, d)
		}
		seq--
	}
	return list, nil
}

// parseDeadLetter reads a message, and reports whether it is a dead letter.
func parseDeadLetter(m *jetstream.RawStreamMsg) (journal.DeadLetter, bool) {
	if m == nil {
		return journal.DeadLetter{}, false
	}
	p, err := strconv.ParseUint(strings.TrimPrefix(m.Subject, deadLetterSubject), 10, 64)
	if err != nil {
		return journal.DeadLetter{}, false // a foreign message
	}
	return journal.DeadLetter{
		Position: earshot.Position(p),
		Time:     headerTime(m.Header, rejectedHeader, m.Time),
		Reason:   m.Header.Get(reasonHeader),
	}, true
}

// A deadLetterCache caches the newest letters. Letters are appended and may be removed, but never
// change. So if their number and the last one are unchanged, all of them are.
type deadLetterCache struct {
	mu       sync.Mutex // guards the fields below
	count    uint64
	last     uint64
	lastTime time.Time // differs if the stream was created again
	recent   []journal.DeadLetter
}

func (b *deadLetterCache) get(s jetstream.StreamState) ([]journal.DeadLetter, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.recent, b.count == s.Msgs && b.last == s.LastSeq && b.lastTime.Equal(s.LastTime)
}

func (b *deadLetterCache) put(s jetstream.StreamState, recent []journal.DeadLetter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count, b.last, b.lastTime, b.recent = s.Msgs, s.LastSeq, s.LastTime, recent
}

// headerText returns s as one line of limited length, which fits into a header.
func headerText(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if len(s) > maxReasonBytes {
		s = strings.ToValidUTF8(s[:maxReasonBytes], "") + "…"
	}
	return s
}
