package catalog

import "sync"

// A notifier signals changes on channels.
type notifier struct {
	mu    sync.Mutex
	wakes map[chan<- struct{}]int // guarded by mu; how often each was added
}

// add signals changes on wake, which should have a buffer of 1, until stop is called. Several changes
// may cause one signal.
func (n *notifier) add(wake chan<- struct{}) (stop func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.wakes == nil {
		n.wakes = map[chan<- struct{}]int{}
	}
	n.wakes[wake]++
	return sync.OnceFunc(func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.wakes[wake]--; n.wakes[wake] == 0 {
			delete(n.wakes, wake)
		}
	})
}

func (n *notifier) notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for wake := range n.wakes {
		select {
		case wake <- struct{}{}:
		default: // a signal is pending
		}
	}
}

// Notify signals on wake after every change of the table, by any process, until stop is called. wake
// should have a buffer of 1: several changes may cause one signal. [Table.Changes] tells what changed.
func (t *Table[ID, T]) Notify(wake chan<- struct{}) (stop func()) { return t.notifier.add(wake) }

// NotifyModels signals on wake after every change of [Catalog.Models], by any process, until stop is
// called. wake should have a buffer of 1.
func (c *Catalog) NotifyModels(wake chan<- struct{}) (stop func()) { return c.models.add(wake) }
