package natsnode

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/acklog"
	"earshot/internal/state/natsfile"
)

// Publish stores m once and returns its sequence number. Without a response, it retries for up to
// 20 seconds; the server recognizes a retry by the message ID, which Publish adds if m has none. It
// fails with StorageFull, with Unavailable (m may or may not be stored), or with ErrConflict if the
// last message is not the one that m expects. After a retry, ErrConflict may also mean that m
// itself is the last message; callers that need to know compare the IDs. Under a fence ([WithFence])
// it can also fail with kv.ErrFenced; after a retry, m may have been stored before the fence was lost.
func (n *Node) Publish(ctx context.Context, m *nats.Msg) (seq uint64, err error) {
	fences := fencesOf(ctx, m.Subject)
	if len(fences) == 0 {
		return n.publish(ctx, m)
	}
	if err := n.CheckFreeSpace(0); err != nil {
		return 0, err
	}
	setID(m)
	return n.publishFenced(ctx, fences, []*nats.Msg{m})
}

// publish is Publish without fences.
func (n *Node) publish(ctx context.Context, m *nats.Msg) (seq uint64, err error) {
	setID(m)
	if err := n.CheckFreeSpace(0); err != nil {
		return 0, err
	}
	var a ack
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		a, err = n.request(ctx, m)
		return err
	})
	return n.acknowledge(a, err, m)
}

// setID gives m an ID if it has none.
func setID(m *nats.Msg) {
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	if m.Header.Get(jetstream.MsgIDHeader) == "" {
		m.Header.Set(jetstream.MsgIDHeader, rand.Text())
	}
}

// PublishParts stores the parts as consecutive messages, all or none, and returns the sequence
// number of the last. Each has the given headers, which may be nil. It retries and fails like Publish. The stream must allow atomic batches.
func (n *Node) PublishParts(ctx context.Context, subject string, header nats.Header, parts [][]byte) (seq uint64, err error) {
	if len(parts) == 1 {
		return n.Publish(ctx, &nats.Msg{Subject: subject, Data: parts[0], Header: maps.Clone(header)})
	}
	if err := n.CheckFreeSpace(0); err != nil {
		return 0, err
	}
	id := rand.Text()
	messages := make([]*nats.Msg, len(parts))
	for i := range parts {
		messages[i] = &nats.Msg{Subject: subject, Data: parts[i], Header: nats.Header{jetstream.MsgIDHeader: {fmt.Sprintf("%s.%d", id, i+1)}}}
		maps.Copy(messages[i].Header, header)
	}
	if fences := fencesOf(ctx, subject); len(fences) > 0 {
		return n.publishFenced(ctx, fences, messages)
	}
	var a ack
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		a, err = n.publishPartsOnce(ctx, messages)
		return err
	})
	return n.acknowledge(a, err, messages[len(messages)-1])
}

// publishPartsOnce makes one attempt, unless an earlier attempt was stored and its response lost.
// In that case the last part is a duplicate, and the response to it contains the sequence number.
func (n *Node) publishPartsOnce(ctx context.Context, messages []*nats.Msg) (ack, error) {
	a, err := n.sendParts(ctx, messages)
	if hasCode(err, codeBatchIsDuplicate) {
		return n.request(ctx, messages[len(messages)-1])
	}
	return a, err
}

// sendParts sends the parts. Each attempt has its own batch ID, so leftovers of a failed attempt do
// not interfere. The message IDs are the same for all attempts.
func (n *Node) sendParts(ctx context.Context, messages []*nats.Msg) (a ack, err error) {
	batch := rand.Text()
	for i, part := range messages {
		m := clone(part)
		m.Header.Set("Nats-Batch-Id", batch)
		m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		if i == len(messages)-1 {
			m.Header.Set("Nats-Batch-Commit", "1")
		}
		if a, err = n.request(ctx, m); err != nil {
			return a, err
		}
	}
	return a, nil
}

// An ack is the server's acknowledgment of a message.
type ack struct {
	Stream   string              `json:"stream"`
	Sequence uint64              `json:"seq"`
	Error    *jetstream.APIError `json:"error"`
}

// request sends m and returns the server's acknowledgment, which is empty if the server only
// acknowledges the receipt of a part of a batch.
func (n *Node) request(ctx context.Context, m *nats.Msg) (a ack, err error) {
	reply, err := n.conn.RequestMsgWithContext(ctx, m)
	if err != nil || len(reply.Data) == 0 {
		return a, err
	}
	if err := json.Unmarshal(reply.Data, &a); err != nil {
		return a, fmt.Errorf("read acknowledgment of %s: %w", m.Subject, err)
	}
	if a.Error != nil {
		return a, a.Error
	}
	return a, nil
}

// acknowledge records that messages are stored, the last of them with the sequence number of a, and
// returns that number. Callers pass the error of publishing the messages; after an error,
// acknowledge records nothing.
func (n *Node) acknowledge(a ack, err error, messages ...*nats.Msg) (uint64, error) {
	if err != nil || n.acks == nil {
		return a.Sequence, err
	}
	recorded := make([]acklog.Message, len(messages))
	for i, m := range messages {
		recorded[i] = acklog.Message{
			Subject:  m.Subject,
			Deletion: isDeletion(m.Header),
			Lifetime: natsfile.Lifetime(m.Header.Get(jetstream.MsgTTLHeader)),
		}
	}
	if err := n.acks.Acknowledged(a.Stream, a.Sequence, recorded...); err != nil {
		return 0, n.TranslateError(err)
	}
	return a.Sequence, nil
}
