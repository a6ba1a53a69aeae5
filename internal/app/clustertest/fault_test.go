package clustertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A tenure is the time from which a node has a role.
type tenure struct {
	role string
	from time.Time
}

// Lines of a log about roles.
var (
	roleGained = regexp.MustCompile(`^time=(\S+) .*msg="this node has a role now" role=(\S+)`)
	roleLost   = regexp.MustCompile(`msg="a role was lost.* role=(\S+)`)
)

// tenures returns the roles that a node has, according to its log.
func (n *node) tenures() (list []tenure) {
	for _, line := range n.process.Log.Lines() {
		if found := roleLost.FindStringSubmatch(line); found != nil {
			list = slices.DeleteFunc(list, func(t tenure) bool { return t.role == found[1] })
		}
		if found := roleGained.FindStringSubmatch(line); found != nil {
			from, err := time.Parse(time.RFC3339Nano, found[1])
			if err != nil {
				panic(err)
			}
			list = append(list, tenure{found[2], from})
		}
	}
	return list
}

// holder returns the node that has a role: the last one that got it.
func (c *cluster) holder(role string) (holder *node) {
	c.Helper()
	c.await("a node has the role "+role, func() error {
		var last time.Time
		for _, n := range c.nodes {
			for _, t := range n.tenures() {
				if t.role == role && t.from.After(last) {
					last, holder = t.from, n
				}
			}
		}
		if holder == nil {
			return errors.New("none")
		}
		return nil
	})
	return holder
}

// awaitTakeover waits until other nodes have got all roles that a node had at a time, and returns how
// long that took.
func (c *cluster) awaitTakeover(from *node, since time.Time) (took time.Duration) {
	c.Helper()
	roles := from.tenures()
	c.await(fmt.Sprintf("the roles of node %s run elsewhere", from.name), func() error {
		took = 0
		for _, role := range roles {
			after := time.Duration(-1)
			for _, n := range c.nodes {
				for _, t := range n.tenures() {
					if n != from && t.role == role.role && t.from.After(since) {
						after = t.from.Sub(since)
					}
				}
			}
			if after < 0 {
				return fmt.Errorf("%s does not", role.role)
			}
			took = max(took, after)
		}
		return nil
	})
	c.Logf("the %d roles of node %s ran elsewhere after %v", len(roles), from.name, took.Round(time.Millisecond))
	return took
}

// clusterStatus is the part of /manage/v1/cluster that matters here.
type clusterStatus struct {
	Nodes []struct {
		Name, Version string
		Live, Ready   bool
		Roles         []string
	}
	Streams []struct {
		Name     string
		Replicas []struct {
			Node             string
			Current, Offline bool
		}
	}
}

// awaitReplicas waits until every node has everything that NATS stores.
func (c *cluster) awaitReplicas() {
	c.Helper()
	c.await("all replicas are current", func() error {
		for _, n := range c.nodes {
			var s clusterStatus
			if err := c.try(n, "GET", "/manage/v1/cluster", "", &s); err != nil {
				return err
			}
			if len(s.Streams) == 0 {
				return errors.New("no streams are reported")
			}
			for _, stream := range s.Streams {
				for _, r := range stream.Replicas {
					if !r.Current || r.Offline || len(stream.Replicas) < len(c.nodes) {
						return fmt.Errorf("stream %s: %+v", stream.Name, stream.Replicas)
					}
				}
			}
		}
		return nil
	})
}

// A fault does something to nodes and undoes it. It returns a description.
type fault struct {
	name string
	do   func(l *load, r *rand.Rand)
}

// some waits a random time, during which clients go on.
func some(r *rand.Rand, limit time.Duration) {
	<-time.After(time.Duration(r.Float64() * float64(limit)))
}

// faults are what random schedules choose from. Each leaves all nodes running and connected.
var faults = []fault{
	{"kill a node", func(l *load, r *rand.Rand) {
		n := l.random(r)
		l.c.kill(n)
		some(r, 12*time.Second)
		l.c.start(n)
	}},
	{"stop a node properly", func(l *load, r *rand.Rand) {
		n := l.random(r)
		n.process.Stop(l.c)
		l.c.restart(n)
	}},
	{"kill two nodes", func(l *load, r *rand.Rand) {
		first, second := l.c.nodes[0], l.c.nodes[1+r.IntN(len(l.c.nodes)-1)]
		l.c.kill(first)
		some(r, 2*time.Second)
		l.c.kill(second)
		some(r, 5*time.Second)
		l.c.start(second)
		l.c.start(first)
	}},
	{"kill all nodes", func(l *load, r *rand.Rand) {
		for _, n := range l.c.nodes {
			l.c.kill(n)
		}
		for _, i := range r.Perm(len(l.c.nodes)) {
			l.c.start(l.c.nodes[i])
		}
	}},
	{"pause a node", func(l *load, r *rand.Rand) {
		n := l.random(r)
		l.c.pause(n)
		some(r, 15*time.Second)
		l.c.resume(n)
	}},
	{"cut a node off", func(l *load, r *rand.Rand) {
		n, state := l.random(r), []linkState{frozen, closed}[r.IntN(2)]
		l.c.isolate(n, state)
		some(r, 15*time.Second)
		l.c.isolate(n, open)
	}},
	{"cut one link", func(l *load, r *rand.Rand) {
		n := r.IntN(len(l.c.nodes))
		other := (n + 1 + r.IntN(len(l.c.nodes)-1)) % len(l.c.nodes)
		pair := []*link{l.c.links[[2]int{n, other}], l.c.links[[2]int{other, n}]}
		state := []linkState{frozen, closed}[r.IntN(2)]
		for _, link := range pair {
			link.set(state, 0)
		}
		some(r, 15*time.Second)
		for _, link := range pair {
			link.set(open, 0)
		}
	}},
	{"delay all links", func(l *load, r *rand.Rand) {
		for _, link := range l.c.links {
			link.set(open, time.Duration(r.IntN(200))*time.Millisecond)
		}
		some(r, 10*time.Second)
		for _, link := range l.c.links {
			link.set(open, 0)
		}
	}},
	{"kill a node and remove its data", func(l *load, r *rand.Rand) {
		// The others must have everything: a majority without an entry may lose it.
		l.ready()
		l.c.awaitReplicas()
		n := l.random(r)
		l.c.kill(n)
		l.c.empty(n)
		l.c.restart(n)
		l.c.awaitReplicas()
	}},
	{"change the clock of a node", func(l *load, r *rand.Rand) {
		n := l.random(r)
		n.skew = time.Duration(r.NormFloat64() * float64(10*time.Minute))
		l.c.kill(n)
		l.c.restart(n)
	}},
}

// random returns a random node.
func (l *load) random(r *rand.Rand) *node { return l.c.nodes[r.IntN(len(l.c.nodes))] }

// ready waits until all nodes are ready.
func (l *load) ready() {
	l.c.Helper()
	for _, n := range l.c.nodes {
		l.c.awaitReady(n)
	}
}

// disturb runs random faults, one after the other. It returns their names.
func (l *load) disturb(r *rand.Rand, steps int) string {
	l.c.Helper()
	var names []string
	for range steps {
		l.progress(int64(r.IntN(20)))
		f := faults[r.IntN(len(faults))]
		names = append(names, f.name)
		began := time.Now()
		f.do(l, r)
		l.history.add(began, "fault", "all", f.name, "undone")
		if r.IntN(2) == 0 {
			l.ready()
		}
	}
	l.ready()
	return strings.Join(names, ", ")
}
