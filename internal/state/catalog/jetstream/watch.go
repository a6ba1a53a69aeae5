package jetstream

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/catalog"
	"earshot/internal/state/natsnode"
)

const (
	heartbeat    = time.Second // of the server, while nothing changes
	firstPause   = 20 * time.Millisecond
	longestPause = 5 * time.Second
)

var errGap = errors.New("a change was lost on its way")

// Watch implements catalog.Store. It survives the loss of the connection and of
// servers: it goes on after the last change it has shown. Each interruption is
// logged when it begins and when it ends, however many attempts lie between.
func (s *Store) Watch(ctx context.Context, change func(catalog.Record), ready func()) error {
	v := &view{bucket: s.bucket, change: change, ready: ready, shown: map[string]bool{}}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		before := v.last
		err := s.follow(ctx, v) // whatever its reason, the next one goes on
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case s.node.Conn().IsClosed():
			return s.node.Failure(nats.ErrConnectionClosed)
		case v.last > before:
			pause = firstPause
		}
		s.interrupted(v, err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (s *Store) interrupted(v *view, err error) {
	if !v.broken {
		s.node.Log().Warn("catalog watching interrupted, will go on", "err", err)
	}
	v.broken = true
}

func (s *Store) resumed(v *view) {
	if v.broken {
		s.node.Log().Info("catalog watching goes on")
	}
	v.broken = false
}

// mostPending is how many bytes are asked for at a time: more than the largest message, and few
// enough that the server does not take a watcher for one that is too slow.
const mostPending = natsnode.MaxPayload + 1<<20

// follow shows changes until something fails. Every message is delivered once,
// numbered from 1, so one that got lost shows as a gap.
func (s *Store) follow(ctx context.Context, v *view) error {
	var c jetstream.Consumer
	err := s.node.Repeat(ctx, func(ctx context.Context) (err error) {
		c, err = s.bucket.Stream().CreateConsumer(ctx, v.consumer())
		return err
	})
	if err != nil {
		return err
	}
	messages, err := c.Messages(jetstream.PullHeartbeat(heartbeat), jetstream.PullMaxBytes(mostPending))
	if err != nil {
		return err
	}
	defer messages.Stop()
	s.resumed(v)

	left := c.CachedInfo().NumPending
	if left == 0 {
		v.complete()
	}
	for delivery := uint64(1); ; delivery++ {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Consumer != delivery {
			return errGap
		}
		v.show(m, meta.Sequence.Stream)
		if delivery >= left || meta.NumPending == 0 {
			v.complete()
		}
	}
}

// A view is what a watcher has been shown, over all of its consumers.
type view struct {
	bucket  *natsnode.Bucket
	change  func(catalog.Record)
	ready   func()
	isReady bool
	broken  bool            // interrupted, and not resumed yet
	last    uint64          // newest revision shown or passed over
	shown   map[string]bool // keys shown before ready; nil afterwards
}

// consumer begins with the newest message of each key, and after a failure with
// the first message that was not seen.
func (v *view) consumer() jetstream.ConsumerConfig {
	config := jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject:     v.bucket.Subject(">"),
		AckPolicy:         jetstream.AckNonePolicy,
		Replicas:          1,
		MemoryStorage:     true,
		InactiveThreshold: time.Minute, // nobody else removes it
	}
	if v.isReady {
		config.DeliverPolicy = jetstream.DeliverByStartSequencePolicy
		config.OptStartSeq = v.last + 1
	}
	return config
}

// show passes a change on unless an earlier consumer has. Before ready there is
// nothing to say of keys that were deleted before they could be shown.
func (v *view) show(m jetstream.Msg, revision uint64) {
	if revision <= v.last {
		return
	}
	v.last = revision
	r := catalog.Record{Key: v.bucket.Key(m.Subject()), Revision: revision}
	if !natsnode.IsDeletion(m.Headers()) {
		r.Value = append([]byte{}, m.Data()...) // never nil, which is for deletions
	}
	if !v.isReady {
		if r.Value == nil && !v.shown[r.Key] {
			return
		}
		v.shown[r.Key] = true
	}
	v.change(r)
}

func (v *view) complete() {
	if !v.isReady {
		v.isReady, v.shown = true, nil
		v.ready()
	}
}
