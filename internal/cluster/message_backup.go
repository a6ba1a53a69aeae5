package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"earshot"
)

const (
	// presenceTimeout is how long a backup waits for nodes to say that they run. A node that can write
	// is connected to NATS and answers much sooner.
	presenceTimeout = 2 * time.Second
	// freezeTimeout is how long it waits until they have stopped writing. They must wait for writes
	// that are running.
	freezeTimeout = 10 * time.Second
)

// What a node that makes a backup asks the others.
const (
	askPresent = "present"
	askFreeze  = "freeze"
	askThaw    = "thaw"
	askKeep    = "keep" // the journal, and save what sources have counted
)

// A backupRequest is a request of the node that makes a backup.
type backupRequest struct {
	Process string // of that node
	Ask     string
}

// A backupAnswer says who answers: the ID of the node.
type backupAnswer struct{ Node string }

var errOwnRequest = errors.New("this is the node that asks")

// A Freeze blocks writes while another node makes a backup.
type Freeze interface {
	Hold(ctx context.Context) error
	Thaw()
	KeepJournal(now time.Time)
}

// serveBackup answers a request of a node that makes a backup.
func (m *Membership) serveBackup(ctx context.Context, data []byte, h Handlers) ([]byte, error) {
	var r backupRequest
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Process == m.process {
		return nil, errOwnRequest
	}
	switch r.Ask {
	case askFreeze:
		if err := h.Freeze.Hold(ctx); err != nil {
			return nil, err
		}
	case askThaw:
		h.Freeze.Thaw()
	case askKeep:
		h.Freeze.KeepJournal(time.Now())
		h.Save(ctx)
	}
	return json.Marshal(backupAnswer{m.Identity.ID})
}

// Others are the other nodes, for a backup that this node makes.
type Others struct{ *Membership }

// ask sends a request to all nodes and returns the IDs of those that agree. It waits for count answers,
// but not longer than timeout.
func (o Others) ask(ctx context.Context, what string, count int, timeout time.Duration) (agree map[string]bool, err error) {
	data, err := json.Marshal(backupRequest{o.process, what})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	agree = map[string]bool{}
	err = o.Messenger.RequestAll(ctx, o.Messenger.Subject(backupSubject), data, count, func(data []byte) bool {
		var r backupAnswer
		if json.Unmarshal(data, &r) == nil {
			agree[r.Node] = true
		}
		return true
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return agree, err
}

// Freeze makes other nodes stop writing. All nodes that are live or answer must do so.
func (o Others) Freeze(ctx context.Context) error {
	present, err := o.ask(ctx, askPresent, o.count(), presenceTimeout)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, m := range o.members.List() {
		names[m.ID] = m.Name
		if m.Live && !m.Self {
			present[m.ID] = true
		}
	}
	if len(present) == 0 {
		return nil
	}
	frozen, err := o.ask(ctx, askFreeze, len(present)+1, freezeTimeout)
	if err != nil {
		return err
	}
	for id := range present {
		if !frozen[id] {
			return &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Minute,
				Message: fmt.Sprintf("Node %s did not stop writing for the backup, or makes one itself. Please try again", cmp.Or(names[id], id))}
		}
	}
	return nil
}

// Thaw lets other nodes write again, as far as they can be reached.
func (o Others) Thaw() { o.tell(askThaw) }

// KeepJournal keeps other nodes from trimming the journal, as far as they can be reached.
func (o Others) KeepJournal() { o.tell(askKeep) }

// tell sends a request without waiting for answers.
func (o Others) tell(what string) {
	if _, err := o.ask(context.Background(), what, 0, time.Second); err != nil {
		o.Log.Warn("other nodes could not be told about a backup", "message", what, "error", err)
	}
}
