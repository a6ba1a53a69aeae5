package limit

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// exchanges are the limiters of nodes that send each other messages.
type exchanges struct {
	nodes []*Exchange
	rates []*Rate
	tries []*Failures
	lost  bool // messages get lost
	sent  int
}

func newExchanges(count, limit int) *exchanges {
	x := &exchanges{}
	for range count {
		e, r, f := NewExchange([]byte("secret")), NewRate(limit), NewFailures(3)
		e.AddRate("api", r)
		e.AddFailures("names", f)
		x.nodes, x.rates, x.tries = append(x.nodes, e), append(x.rates, r), append(x.tries, f)
	}
	return x
}

// send delivers a message to all nodes, including its sender.
func (x *exchanges) send(data []byte) error {
	if x.lost {
		return fmt.Errorf("disconnected")
	}
	x.sent++
	for _, e := range x.nodes {
		e.Receive(data, time.Now())
	}
	return nil
}

// round lets every node send what has changed.
func (x *exchanges) round() {
	for _, e := range x.nodes {
		if data := e.Message(); data != nil {
			_ = x.send(data)
		}
	}
}

func TestRequestsOfAUserCountOnAllNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExchanges(3, 10)
		ann, session := Client{User: 1}, Client{User: 1, Session: true}
		f := func(node int, c Client, want int) {
			t.Helper()
			if got, _ := x.rates[node].Count(c, time.Now()); got != want {
				t.Errorf("node %d, %+v: %d requests remain, want %d", node, c, got, want)
			}
		}
		f(0, ann, 9)
		f(1, ann, 9) // the nodes have not told each other yet
		x.round()
		f(2, ann, 7)
		f(2, session, 9)
		x.round()
		f(0, ann, 6)
		for range 6 {
			x.rates[1].Count(ann, time.Now())
		}
		x.round()
		f(0, ann, -1)
		f(2, ann, -1)
		f(1, Client{User: 2}, 9)
		x.round()
		if data := x.nodes[0].Message(); data != nil {
			t.Errorf("nothing has changed, but there is a message: %s", data)
		}
		time.Sleep(time.Minute)
		f(0, ann, 9)
		x.round()
		f(1, ann, 8) // the message began the minute
		x.nodes[1].Receive([]byte(`{"Node":"n","Rates":{"api":{"Window":0,"Users":[1],"Sessions":[false],"Counts":[100]}}}`), time.Now())
		x.nodes[1].Receive([]byte(`{"Node":"n","Rates":{"api":{"Window":99999999999,"Users":[1],"Sessions":[false],"Counts":[100]}}}`), time.Now())
		x.nodes[1].Receive([]byte(`{"Node":"n","Rates":{"api":{"Window":99999999999,"Users":[1]}}}`), time.Now())
		x.nodes[1].Receive([]byte(`no JSON`), time.Now())
		f(1, ann, 7)
	})
}

func TestFailuresCountOnAllNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExchanges(2, 0)
		f := func(node int, name string, want time.Duration) {
			t.Helper()
			if got := x.tries[node].Wait(time.Now(), name); got != want {
				t.Errorf("node %d: %s must wait %v, want %v", node, name, got, want)
			}
		}
		x.tries[0].Add(time.Now(), "ann")
		x.tries[1].Add(time.Now(), "ann")
		x.tries[1].Add(time.Now(), "ann")
		f(1, "ann", 0)
		x.round()
		f(0, "ann", time.Second)
		f(1, "ann", time.Second)
		f(0, "bob", 0)
		x.tries[1].Add(time.Now(), "ann")
		x.round()
		f(0, "ann", 2*time.Second)
		x.tries[0].Reset("ann") // she signed in
		x.round()
		f(1, "ann", 0)
		x.tries[1].Add(time.Now(), "ann")
		x.tries[1].Reset("ann")
		x.tries[1].Add(time.Now(), "ann")
		x.round()
		for range 2 {
			x.tries[0].Add(time.Now(), "ann")
		}
		f(0, "ann", time.Second)
	})
}

func TestExchangeSendsWithinItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExchanges(2, 10)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { x.nodes[0].Run(ctx, x.send) })
		time.Sleep(time.Second)
		if x.sent != 0 {
			t.Errorf("%d messages about nothing were sent", x.sent)
		}
		x.rates[0].Count(Client{User: 1}, time.Now())
		time.Sleep(ExchangeInterval)
		synctest.Wait()
		if got, _ := x.rates[1].Count(Client{User: 1}, time.Now()); got != 8 || x.sent != 1 {
			t.Errorf("%d requests remain after %d messages, want 8 after 1", got, x.sent)
		}
		x.lost = true // the node is cut off for a moment
		x.rates[0].Count(Client{User: 1}, time.Now())
		time.Sleep(ExchangeInterval)
		synctest.Wait()
		x.lost = false
		x.rates[0].Count(Client{User: 1}, time.Now())
		time.Sleep(ExchangeInterval)
		synctest.Wait()
		if got, _ := x.rates[1].Count(Client{User: 1}, time.Now()); got != 5 {
			t.Errorf("%d requests remain after a lost message, want 5", got)
		}
		stop()
		running.Wait()
	})
}
