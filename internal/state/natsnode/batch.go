package natsnode

import (
	"context"
	"crypto/rand"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// MaxBatch is the maximum number of messages in a call of [Node.PublishBatch]. The server's limit is
// 1,000; the difference leaves room for checks of fences.
const MaxBatch = 990

// PublishBatch stores messages of one stream consecutively, all or none, and returns the sequence
// number of the last. The server syncs them once, and they are sent without waiting for individual
// responses, so many messages cost little more than one.
//
// Without a response, PublishBatch retries for up to 20 seconds. To prevent a retry from storing
// messages twice, the first message of each subject must expect the previous message of that
// subject ([ExpectLast]), or the first message must expect the previous message of the stream.
// ErrConflict may therefore also mean that the messages are stored; the caller must check. The
// stream must allow atomic batches. Under a fence, PublishBatch can also fail with kv.ErrFenced.
func (n *Node) PublishBatch(ctx context.Context, messages []*nats.Msg) (seq uint64, err error) {
	if err := n.CheckFreeSpace(0); err != nil {
		return 0, err
	}
	if fences := fencesOf(ctx, messages[0].Subject); len(fences) > 0 {
		return n.publishFenced(ctx, fences, messages)
	}
	var a ack
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		a, err = n.sendBatch(ctx, messages)
		return err
	})
	return n.acknowledge(a, err, messages...)
}

// sendBatch makes one attempt. The server responds only to the first and the last message. If it
// misses a message before the last, it rejects the last.
func (n *Node) sendBatch(ctx context.Context, messages []*nats.Msg) (ack, error) {
	last := len(messages) - 1
	if last == 0 {
		return n.request(ctx, messages[0])
	}
	batch := rand.Text()
	for i, m := range messages {
		if m.Header == nil {
			m.Header = nats.Header{}
		}
		m.Header.Set("Nats-Batch-Id", batch)
		m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
	}
	messages[last].Header.Set("Nats-Batch-Commit", "1")
	first := 0
	if last > 1 { // one message is not worth the time to find out
		first = 1
		if _, err := n.request(ctx, messages[0]); err != nil {
			return ack{}, err
		}
	}
	for _, m := range messages[first:last] {
		if err := n.conn.PublishMsg(m); err != nil {
			return ack{}, err
		}
	}
	return n.request(ctx, messages[last])
}

// ExpectLast makes m fail with ErrConflict unless the last message of its subject has the given
// sequence number; 0 means that the subject must be empty.
func ExpectLast(m *nats.Msg, seq uint64) {
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(seq, 10))
}
