package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/limit"
	"earshot/internal/sleep"
)

// What nodes of one installation tell and ask each other, apart from what they store in NATS. All of
// it is best effort: a node that gets no answer does without.
const (
	limitsSubject   = "limits"   // what the rate limits and throttles have counted
	modelsSubject   = "models"   // which model has categorized the posts of a monitor
	picturesSubject = "pictures" // thumbnails and results in the cache
	backupSubject   = "backup"   // requests of the node that makes a backup
	sourceSubject   = "source"   // requests to a live source that runs on another node, for example of a webhook
	snapshotSubject = "snapshot" // the post store; followed by the ID of the node
)

// A Messenger passes messages between the nodes of an installation.
type Messenger interface {
	// Subject returns a subject of this installation.
	Subject(parts ...string) string

	// MaxPayload returns the maximum size of a message.
	MaxPayload() int64

	// Tell sends a message to all nodes that listen to a subject, including this one.
	Tell(subject string, data []byte) error
	Listen(subject string, handle func(data []byte)) (stop func(), err error)

	// Request sends a request and waits for the response of the node that serves the subject.
	Request(ctx context.Context, subject string, data []byte) ([]byte, error)

	// RequestAll sends a request to all nodes that serve a subject, and calls use with each response
	// that is not an error, until use returns false, there were count responses, or ctx ends.
	RequestAll(ctx context.Context, subject string, data []byte, count int, use func(data []byte) (more bool)) error
	Serve(subject string, handle func(ctx context.Context, request []byte) ([]byte, error)) (stop func(), err error)
}

// Handlers answer other nodes.
type Handlers struct {
	Limits   *limit.Exchange                                           // counts together with other nodes
	Model    func(id earshot.MonitorID) int64                          // returns the record of the model in use
	Pictures func(ctx context.Context, request []byte) ([]byte, error) // see AskForPicture
	Freeze   Freeze                                                    // of writes, while another node makes a backup
	Save     func(ctx context.Context)                                 // saves what sources have counted
	Receive  func(ctx context.Context, id earshot.LiveSourceID, r connector.Request) (connector.Response, error)
}

// Serve exchanges messages with other nodes until ctx ends.
func (m *Membership) Serve(ctx context.Context, h Handlers) {
	start := func(name string, open func(subject string) (stop func(), err error)) (stop func()) {
		for {
			stop, err := open(m.Messenger.Subject(name))
			if err == nil {
				return stop
			}
			m.Log.Warn("messages between nodes: subscribing failed; will retry", "subject", name, "error", err)
			if !sleep.For(ctx, time.Second) {
				return func() {}
			}
		}
	}
	defer start(limitsSubject, func(subject string) (func(), error) {
		return m.Messenger.Listen(subject, func(data []byte) { h.Limits.Receive(data, m.Now()) })
	})()
	for name, handle := range map[string]func(context.Context, []byte) ([]byte, error){
		modelsSubject:   func(_ context.Context, request []byte) ([]byte, error) { return m.serveModel(request, h.Model) },
		picturesSubject: h.Pictures,
		backupSubject:   func(ctx context.Context, request []byte) ([]byte, error) { return m.serveBackup(ctx, request, h) },
		sourceSubject:   func(ctx context.Context, request []byte) ([]byte, error) { return m.serveSource(ctx, request, h) },
	} {
		defer start(name, func(subject string) (func(), error) { return m.Messenger.Serve(subject, handle) })()
	}
	var running sync.WaitGroup
	running.Go(func() {
		h.Limits.Run(ctx, func(data []byte) error { return m.Messenger.Tell(m.Messenger.Subject(limitsSubject), data) })
	})
	<-ctx.Done()
	running.Wait()
}

// askAll sends a request to all nodes: see RequestAll of [Messenger].
func (m *Membership) askAll(ctx context.Context, name string, request []byte, use func(data []byte) (more bool)) error {
	return m.Messenger.RequestAll(ctx, m.Messenger.Subject(name), request, m.count(), use)
}

// count returns how many nodes may answer a request, including this one. If one does not, the request
// takes until its timeout. It counts nodes that do not seem to be live, because this one may not have
// seen their next record yet.
func (m *Membership) count() int {
	if m.members == nil {
		return 1
	}
	return max(len(m.members.List()), 2)
}

// modelsTimeout bounds the wait for other nodes to say which model they use. Those that do not answer
// do not count.
const modelsTimeout = 500 * time.Millisecond

// A modelInUse is a node's answer.
type modelInUse struct {
	Node   string
	Record int64
}

// serveModel answers which model has categorized the stored posts of a monitor on this node.
func (m *Membership) serveModel(request []byte, inUse func(id earshot.MonitorID) int64) ([]byte, error) {
	id, err := strconv.ParseInt(string(request), 10, 64)
	if err != nil {
		return nil, err
	}
	return json.Marshal(modelInUse{m.process, inUse(earshot.MonitorID(id))})
}

// ModelsInUse returns the records of the models that have categorized the stored posts of a monitor on
// other nodes.
func (m *Membership) ModelsInUse(ctx context.Context, id earshot.MonitorID) (used []int64) {
	if m.members == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	_ = m.askAll(ctx, modelsSubject, []byte(strconv.FormatInt(int64(id), 10)), func(data []byte) bool {
		var model modelInUse
		if json.Unmarshal(data, &model) == nil && model.Node != m.process {
			used = append(used, model.Record)
		}
		return true
	})
	return used
}

var errNoAnswer = errors.New("no node has answered")

// AskForPicture returns the first answer of a node to a request about pictures.
func (m *Membership) AskForPicture(ctx context.Context, request []byte) (found []byte, err error) {
	err = m.askAll(ctx, picturesSubject, request, func(data []byte) bool {
		found = data
		return false
	})
	if found == nil && err == nil {
		err = errNoAnswer
	}
	return found, err
}
