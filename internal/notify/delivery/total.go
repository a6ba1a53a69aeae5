package delivery

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"earshot"
)

// A Total counts the deliveries of a kind of channel.
type Total struct {
	Kind earshot.ChannelKind

	// Since the process started.
	Sent, Failed, Interrupted int64

	Waiting int // now
}

// Totals returns the totals of all kinds.
func (s *Service) Totals() []Total {
	list := s.totals.list()
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.update(s.Catalog.Deliveries)
	for id, open := range s.index.open {
		if i := slices.Index(earshot.ChannelKinds, s.kind(id)); i >= 0 {
			list[i].Waiting += open
		}
	}
	return list
}

// kind returns the kind of a channel, or "" if it was removed.
func (s *Service) kind(id earshot.ChannelID) earshot.ChannelKind {
	if ch, ok := s.Catalog.Channels.Find(id); ok {
		return ch.Kind
	}
	return ""
}

// totals counts finished deliveries since the process started. The zero value is ready to use.
type totals struct {
	mu    sync.Mutex
	kinds map[earshot.ChannelKind]map[earshot.DeliveryState]int64 // guarded by mu
}

func (t *totals) count(kind earshot.ChannelKind, state earshot.DeliveryState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kinds == nil {
		t.kinds = map[earshot.ChannelKind]map[earshot.DeliveryState]int64{}
	}
	if t.kinds[kind] == nil {
		t.kinds[kind] = map[earshot.DeliveryState]int64{}
	}
	t.kinds[kind][state]++
}

func (t *totals) list() []Total {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Total, len(earshot.ChannelKinds))
	for i, kind := range earshot.ChannelKinds {
		n := t.kinds[kind]
		list[i] = Total{Kind: kind, Sent: n[earshot.DeliverySent], Failed: n[earshot.DeliveryFailed], Interrupted: n[earshot.DeliveryInterrupted]}
	}
	return list
}

// retried remembers the channels for which someone wants another attempt now.
type retried struct {
	mu       sync.Mutex
	channels map[earshot.ChannelID]bool // guarded by mu
}

func (r *retried) add(id earshot.ChannelID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.channels == nil {
		r.channels = map[earshot.ChannelID]bool{}
	}
	r.channels[id] = true
}

// take reports whether a channel is among them, and removes it.
func (r *retried) take(id earshot.ChannelID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ok := r.channels[id]
	delete(r.channels, id)
	return ok
}

// WriteMetrics writes what was sent, and what waits.
func (s *Service) WriteMetrics(w io.Writer) {
	for _, t := range s.Totals() {
		for _, outcome := range []struct {
			name string
			n    int64
		}{{"sent", t.Sent}, {"failed", t.Failed}, {"interrupted", t.Interrupted}} {
			fmt.Fprintf(w, "earshot_deliveries_total{kind=%q,outcome=%q} %d\n", string(t.Kind), outcome.name, outcome.n)
		}
		fmt.Fprintf(w, "earshot_deliveries_waiting{kind=%q} %d\n", string(t.Kind), t.Waiting)
	}
}
