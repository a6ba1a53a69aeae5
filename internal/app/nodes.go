package app

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"earshot"
	"earshot/internal/limit"
	"earshot/internal/state/natsnode"
)

// What nodes of one installation tell and ask each other, apart from what they store in NATS. All of
// it is best effort: a node that gets no answer does without.
const (
	limitsSubject   = "limits"   // what the rate limits and throttles have counted
	modelsSubject   = "models"   // which model has categorized the posts of a monitor
	picturesSubject = "pictures" // thumbnails and results in the cache
)

// modelsTimeout bounds the wait for other nodes to say which model they use. Those that do not answer
// do not count.
const modelsTimeout = 500 * time.Millisecond

// A modelInUse is a node's answer.
type modelInUse struct {
	Node   string
	Record int64
}

// runNodes exchanges messages with other nodes until ctx ends.
func (a *App) runNodes(ctx context.Context, x *limit.Exchange) {
	subject := func(name string) string { return a.node.Subject(name) }
	start := func(name string, open func() (stop func(), err error)) (stop func()) {
		for {
			stop, err := open()
			if err == nil {
				return stop
			}
			a.log.Warn("messages between nodes: subscribing failed; will retry", "subject", name, "error", err)
			select {
			case <-ctx.Done():
				return func() {}
			case <-time.After(time.Second):
			}
		}
	}
	defer start(limitsSubject, func() (func(), error) {
		return a.node.Listen(subject(limitsSubject), func(data []byte) { x.Receive(data, a.options.Now()) })
	})()
	defer start(modelsSubject, func() (func(), error) { return a.node.Serve(subject(modelsSubject), a.serveModel) })()
	defer start(picturesSubject, func() (func(), error) { return a.node.Serve(subject(picturesSubject), a.Pictures.Answer) })()
	defer start(backupSubject, func() (func(), error) { return a.node.Serve(subject(backupSubject), a.serveBackup) })()
	defer start(sourceSubject, func() (func(), error) { return a.node.Serve(subject(sourceSubject), a.serveSource) })()
	var running sync.WaitGroup
	running.Go(func() {
		x.Run(ctx, func(data []byte) error { return a.node.Tell(subject(limitsSubject), data) })
	})
	<-ctx.Done()
	running.Wait()
}

// shareLimits returns what makes this node count requests and failed sign-ins together with others.
func (a *App) shareLimits() *limit.Exchange {
	x := limit.NewExchange(a.secret)
	x.AddRate("api", a.options.limits.API)
	x.AddRate("other", a.options.limits.Other)
	a.Accounts.ShareFailures(x)
	a.Shares.ShareFailures(x)
	return x
}

// serveModel answers which model has categorized the stored posts of a monitor on this node.
func (a *App) serveModel(_ context.Context, request []byte) ([]byte, error) {
	id, err := strconv.ParseInt(string(request), 10, 64)
	if err != nil {
		return nil, err
	}
	return json.Marshal(modelInUse{a.process, a.rematch.InUse(earshot.MonitorID(id))})
}

// otherModels implements Others of [rematch.Options].
func (a *App) otherModels(ctx context.Context, id earshot.MonitorID) (used []int64) {
	if a.members == nil {
		return nil // there are no other nodes
	}
	ctx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	_ = a.node.RequestAll(ctx, a.node.Subject(modelsSubject), []byte(strconv.FormatInt(int64(id), 10)), a.countNodes(), func(data []byte) bool {
		var m modelInUse
		if json.Unmarshal(data, &m) == nil && m.Node != a.process {
			used = append(used, m.Record)
		}
		return true
	})
	return used
}

// askForPicture implements Remote of [picture.Options].
func (a *App) askForPicture(ctx context.Context, request []byte) (found []byte, err error) {
	err = a.node.RequestAll(ctx, a.node.Subject(picturesSubject), request, a.countNodes(), func(data []byte) bool {
		found = data
		return false
	})
	if found == nil && err == nil {
		err = natsnode.ErrNoResponder
	}
	return found, err
}

// countNodes returns how many nodes may answer a request, including this one. If one does not, the
// request takes until its timeout. It counts nodes that do not seem to be live, because this one may
// not have seen their next record yet.
func (a *App) countNodes() int {
	if a.members == nil {
		return 1
	}
	return max(len(a.members.List()), 2)
}

// runTraining fits models and removes what no monitor references, until ctx ends. One of several nodes
// runs it.
func (a *App) runTraining(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { a.rematch.RunTraining(ctx) })
	running.Go(func() { a.Training.RunSweep(ctx) })
	running.Wait()
}
