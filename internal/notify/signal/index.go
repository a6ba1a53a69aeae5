package signal

import (
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// A key identifies what a signal is about. At most one signal with a key is firing.
type key struct {
	monitor earshot.MonitorID
	rule    earshot.RuleID // 0 for unusual activity, of which a monitor has one rule
	kind    earshot.SignalKind
	subject string
}

func keyOf(m earshot.MonitorID, r earshot.RuleID, kind earshot.SignalKind, subject string) key {
	if kind != earshot.ThresholdSignal && kind != earshot.PostSignal {
		r = 0
	}
	return key{m, r, kind, subject}
}

func signalKey(sig *earshot.Signal) key { return keyOf(sig.Monitor, sig.Rule, sig.Kind, sig.Subject) }

// name returns the name that a signal with this key reserves while it is firing, so that two processes
// cannot raise it twice. Names ignore case, so the subject is encoded.
func (k key) name() catalog.UniqueName {
	return catalog.UniqueName{Kind: "signal", Text: fmt.Sprintf("%d %d %s %x", k.monitor, k.rule, k.kind, k.subject)}
}

// A signalIndex finds signals. It follows the catalog; an update costs time proportional to the number
// of changed signals.
type signalIndex struct {
	mu      sync.Mutex // guards the fields below
	version uint64     // of the table
	byID    map[earshot.SignalID]*earshot.Signal
	last    map[key]*earshot.Signal                         // firing, or else the newest one
	firing  map[earshot.MonitorID]map[earshot.SignalID]bool // by monitor
	pending map[earshot.SignalID]bool                       // with events that were not handed over for delivery
}

// update applies catalog changes since the last call. The caller must hold mu.
func (x *signalIndex) update(c *catalog.Catalog) {
	ids, version := c.Signals.Changes(x.version)
	if x.byID == nil {
		x.byID, x.last = map[earshot.SignalID]*earshot.Signal{}, map[key]*earshot.Signal{}
		x.firing, x.pending = map[earshot.MonitorID]map[earshot.SignalID]bool{}, map[earshot.SignalID]bool{}
	}
	for _, id := range ids {
		x.remove(id)
		if sig, ok := c.Signals.Find(id); ok {
			x.add(sig)
		}
	}
	x.version = version
}

func (x *signalIndex) add(sig *earshot.Signal) {
	x.byID[sig.ID] = sig
	if before := x.last[signalKey(sig)]; before == nil || before.State != earshot.Firing && !sig.Raised.Before(before.Raised) {
		x.last[signalKey(sig)] = sig
	}
	if sig.State == earshot.Firing {
		if x.firing[sig.Monitor] == nil {
			x.firing[sig.Monitor] = map[earshot.SignalID]bool{}
		}
		x.firing[sig.Monitor][sig.ID] = true
	}
	if sig.Notified < sig.LastNumber {
		x.pending[sig.ID] = true
	}
}

func (x *signalIndex) remove(id earshot.SignalID) {
	old, ok := x.byID[id]
	if !ok {
		return
	}
	delete(x.byID, id)
	delete(x.pending, id)
	delete(x.firing[old.Monitor], id)
	if len(x.firing[old.Monitor]) == 0 {
		delete(x.firing, old.Monitor)
	}
	if x.last[signalKey(old)] == old {
		delete(x.last, signalKey(old))
	}
}

// lookup returns the last signal with a key, firing or not, or nil.
func (x *signalIndex) lookup(c *catalog.Catalog, k key) *earshot.Signal {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.update(c)
	return x.last[k]
}

// find returns the firing signal with a key, or nil.
func (x *signalIndex) find(c *catalog.Catalog, k key) *earshot.Signal {
	if sig := x.lookup(c, k); sig != nil && sig.State == earshot.Firing {
		return sig
	}
	return nil
}

// open returns the firing signals of a monitor, in no particular order.
func (x *signalIndex) open(c *catalog.Catalog, id earshot.MonitorID) (list []*earshot.Signal) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.update(c)
	for id := range x.firing[id] {
		list = append(list, x.byID[id])
	}
	return list
}

// allOpen returns all firing signals, in no particular order.
func (x *signalIndex) allOpen(c *catalog.Catalog) (list []*earshot.Signal) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.update(c)
	for _, ids := range x.firing {
		for id := range ids {
			list = append(list, x.byID[id])
		}
	}
	return list
}

// undelivered returns the signals with events that were not handed over for delivery.
func (x *signalIndex) undelivered(c *catalog.Catalog) (list []*earshot.Signal) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.update(c)
	for id := range x.pending {
		list = append(list, x.byID[id])
	}
	return list
}

// hasNewcomer reports whether a volume signal of the monitor that was firing after a time lists a
// newcomer.
func (x *signalIndex) hasNewcomer(c *catalog.Catalog, k key, after time.Time) bool {
	sig := x.lookup(c, keyOf(k.monitor, 0, earshot.VolumeSignal, ""))
	if sig == nil || sig.State != earshot.Firing && sig.Resolved.Before(after) {
		return false
	}
	for _, n := range sig.Newcomers {
		if n.Kind == k.kind && n.Subject == k.subject {
			return true
		}
	}
	return false
}
