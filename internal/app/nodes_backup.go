package app

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
	backupSubject = "backup"

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

// serveBackup answers a request of a node that makes a backup.
func (a *App) serveBackup(ctx context.Context, data []byte) ([]byte, error) {
	var r backupRequest
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Process == a.process {
		return nil, errOwnRequest
	}
	switch r.Ask {
	case askFreeze:
		if err := a.freeze.Hold(ctx); err != nil {
			return nil, err
		}
	case askThaw:
		a.freeze.Thaw()
	case askKeep:
		a.freeze.KeepJournal(time.Now())
		a.Sources.Save(ctx)
	}
	return json.Marshal(backupAnswer{a.members.Identity.ID})
}

// otherNodes implements [backup.Others].
type otherNodes struct{ *App }

// ask sends a request to all nodes and returns the IDs of those that agree. It waits for count answers,
// but not longer than timeout.
func (o otherNodes) ask(ctx context.Context, what string, count int, timeout time.Duration) (agree map[string]bool, err error) {
	data, err := json.Marshal(backupRequest{o.process, what})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	agree = map[string]bool{}
	err = o.node.RequestAll(ctx, o.node.Subject(backupSubject), data, count, func(data []byte) bool {
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

// Freeze implements [backup.Others]. All nodes that are live or answer must stop writing.
func (o otherNodes) Freeze(ctx context.Context) error {
	present, err := o.ask(ctx, askPresent, o.countNodes(), presenceTimeout)
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

// Thaw implements [backup.Others].
func (o otherNodes) Thaw() { o.tell(askThaw) }

// KeepJournal implements [backup.Others].
func (o otherNodes) KeepJournal() { o.tell(askKeep) }

// tell sends a request without waiting for answers.
func (o otherNodes) tell(what string) {
	if _, err := o.ask(context.Background(), what, 0, time.Second); err != nil {
		o.log.Warn("other nodes could not be told about a backup", "message", what, "error", err)
	}
}
