package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/journal"
	"earshot/internal/natsnode"
)

const (
	reasonHeader = "Earshot-Reason"
	timeHeader   = "Earshot-Appended"

	recentLetters = 20
	longestReason = 1000
)

// setAside stores the message at p among the dead letters, with what is needed
// to look into it or to append it again. It may be repeated: the first counts.
func (j *Journal) setAside(ctx context.Context, p earshot.Position, m jetstream.Msg, appended time.Time, reason string) error {
	letter := &nats.Msg{
		Subject: deadSubject + strconv.FormatUint(uint64(p), 10),
		Data:    m.Data(),
		Header: nats.Header{
			reasonHeader:                        {headerText(reason)},
			timeHeader:                          {appended.Format(time.RFC3339Nano)},
			jetstream.ExpectedLastSubjSeqHeader: {"0"}, // a second one is a conflict
		},
	}
	_, err := j.node.Publish(ctx, letter)
	if errors.Is(err, natsnode.ErrConflict) {
		err = j.confirm(ctx, letter.Subject)
	}
	if err != nil {
		return fmt.Errorf("set entry %d aside: %w", p, err)
	}
	j.log.Warn("journal entry set aside", "position", uint64(p), "reason", headerText(reason))
	return nil
}

// confirm returns an error unless there is a letter. A cluster also speaks of a
// conflict while one is on its way, and that one may yet be lost.
func (j *Journal) confirm(ctx context.Context, subject string) error {
	return j.node.Repeat(ctx, func(ctx context.Context) error {
		_, err := j.dead.GetLastMsgForSubject(ctx, subject)
		return err
	})
}

// DeadLetters implements journal.Journal.
func (j *Journal) DeadLetters(ctx context.Context) (journal.DeadLetters, error) {
	state, err := j.state(ctx, j.dead)
	if err != nil || state.Msgs == 0 {
		return journal.DeadLetters{}, err
	}
	// Letters are never replaced, so the newest have the last numbers.
	from := max(state.FirstSeq, state.LastSeq-min(state.LastSeq, recentLetters)+1)
	var recent []journal.DeadLetter
	err = j.node.Repeat(ctx, func(ctx context.Context) (err error) {
		recent, err = j.letters(ctx, from)
		return err
	})
	if err != nil {
		return journal.DeadLetters{}, fmt.Errorf("list dead letters: %w", err)
	}
	return journal.DeadLetters{Count: int64(state.Msgs), Recent: recent}, nil
}

// letters returns the newest letters from a number on, newest first. It fetches
// headers alone: the entries themselves may be large.
func (j *Journal) letters(ctx context.Context, from uint64) ([]journal.DeadLetter, error) {
	c, err := j.dead.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:   from,
		HeadersOnly:   true,
	})
	if err != nil {
		return nil, err
	}
	fetched, err := c.FetchNoWait(recentLetters)
	if err != nil {
		return nil, err
	}
	var list []journal.DeadLetter
	for m := range fetched.Messages() {
		if d, ok := letter(m); ok {
			list = append(list, d)
		}
	}
	slices.Reverse(list)
	return list, fetched.Error()
}

func letter(m jetstream.Msg) (journal.DeadLetter, bool) {
	meta, err := m.Metadata()
	if err != nil {
		return journal.DeadLetter{}, false
	}
	p, err := strconv.ParseUint(strings.TrimPrefix(m.Subject(), deadSubject), 10, 64)
	if err != nil {
		return journal.DeadLetter{}, false // put there by someone else
	}
	return journal.DeadLetter{
		Position: earshot.Position(p),
		Time:     meta.Timestamp.UTC(),
		Reason:   m.Headers().Get(reasonHeader),
	}, true
}

// headerText makes s fit for a header: one line, not too long.
func headerText(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if len(s) > longestReason {
		s = strings.ToValidUTF8(s[:longestReason], "") + "…"
	}
	return s
}
