package jetstream

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/catalog"
)

const (
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// Watch implements catalog.Store. It survives the loss of the connection and of
// servers: it goes on after the last change it has shown.
func (s *Store) Watch(ctx context.Context, change func(catalog.Record), ready func()) error {
	v := &view{change: change, ready: ready, shown: map[string]bool{}}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		before := v.last
		err := s.follow(ctx, v)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, nats.ErrConnectionClosed):
			return s.node.Failure(err)
		case v.last > before:
			pause = firstPause
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// follow shows changes until the subscription ends.
func (s *Store) follow(ctx context.Context, v *view) error {
	var opts []jetstream.WatchOpt
	if v.isReady {
		opts = append(opts, jetstream.ResumeFromRevision(v.last+1))
	}
	w, err := s.kv.WatchAll(ctx, opts...)
	if err != nil {
		return err
	}
	defer abandon(w)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-w.Updates():
			switch {
			case !open && s.node.Conn().IsClosed():
				return nats.ErrConnectionClosed
			case !open:
				return nil
			case e == nil:
				v.complete()
			default:
				v.show(e)
			}
		}
	}
}

// abandon ends w. Its subscription may be blocked on an update that nobody will
// take, so the rest is read until it is gone.
func abandon(w jetstream.KeyWatcher) {
	w.Stop() // fails when the subscription is gone already
	go func() {
		for range w.Updates() {
		}
	}()
}

// A view is what a watcher has been shown, over all of its subscriptions.
type view struct {
	change  func(catalog.Record)
	ready   func()
	isReady bool
	last    uint64          // newest revision shown
	shown   map[string]bool // keys shown before ready; nil afterwards
}

// show passes a change on unless an earlier subscription has. Before ready there
// is nothing to say of keys that were deleted before they could be shown.
func (v *view) show(e jetstream.KeyValueEntry) {
	if e.Revision() <= v.last {
		return
	}
	v.last = e.Revision()
	r := catalog.Record{Key: e.Key(), Revision: e.Revision()}
	if e.Operation() == jetstream.KeyValuePut {
		r.Value = append([]byte{}, e.Value()...) // never nil, which is for deletions
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
