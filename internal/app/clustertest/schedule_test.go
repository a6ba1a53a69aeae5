package clustertest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot/internal/test/testenv"
)

var (
	schedules = flag.Uint64("schedules", 10, "number of random schedules with -long")
	firstSeed = flag.Uint64("first", 1, "seed of the first of them")
	onlySeed  = flag.Uint64("seed", 0, "run only the random schedule with this seed")
)

// size is the number of nodes.
const size = 3

// maxTakeover is how long roles of a killed node may rest. On a machine that is not busy it is less
// than 10 seconds; BenchmarkCluster measures it.
const maxTakeover = 90 * time.Second

// begin starts a cluster with a load that has made some progress.
func begin(t testing.TB, binary string, seed uint64) *load {
	t.Helper()
	if testing.Short() {
		t.Skip("runs a cluster of real processes")
	}
	l := newLoad(newCluster(t, binary, size), seed)
	l.run()
	l.progress(20)
	return l
}

// TestFaults kills, pauses, cuts off, empties and upgrades nodes of one cluster, one fault after the
// other, while clients use all nodes. In the end, what the clients were told must be true everywhere.
func TestFaults(t *testing.T) {
	l := begin(t, build(t), 2)
	for _, f := range []struct {
		name string
		do   func(t *testing.T, l *load)
	}{
		{"kill the holder of a role", killRoleHolder},
		{"pause the holder of a role", pauseRoleHolder},
		{"cut a node off", partition},
		{"empty a node", emptyNode},
		{"upgrade all nodes", upgradeAll},
		{"use up the contract", useUpContract},
	} {
		began := time.Now()
		f.do(t, l)
		l.history.add(began, "fault", "all", f.name, "undone")
		t.Logf("%s: %v", f.name, time.Since(began).Round(time.Millisecond))
	}
	l.check()
}

// killRoleHolder kills the node that fills the streams. Others take over its roles.
func killRoleHolder(t *testing.T, l *load) {
	victim := l.c.holder("streams")
	killed := time.Now()
	l.c.kill(victim)
	if took := l.c.awaitTakeover(victim, killed); took > maxTakeover {
		t.Errorf("the roles of the killed node ran elsewhere after %v, want at most %v", took, maxTakeover)
	}
	l.progress(20)
	l.c.restart(victim)
	l.progress(20)
}

// pauseRoleHolder pauses the node that fills the streams until another one does, and continues it:
// it must not write with the lease it had.
func pauseRoleHolder(_ *testing.T, l *load) {
	victim := l.c.holder("streams")
	paused := time.Now()
	l.c.pause(victim)
	l.c.awaitTakeover(victim, paused)
	l.progress(20)
	l.c.resume(victim)
	l.ready()
	l.progress(20)
}

// partition cuts a node off. The others go on; it answers reads from its own store, acknowledges
// nothing, and says that it is not ready.
func partition(t *testing.T, l *load) {
	alone := l.c.holder("streams")
	cut := time.Now()
	l.c.isolate(alone, frozen)
	l.c.awaitTakeover(alone, cut)
	l.progress(20)
	a, err := l.c.call(alone, "GET", fmt.Sprintf("/api/monitor/volume?id=%d&%s", l.all, allDays), "")
	if err != nil || a.status != http.StatusOK {
		t.Errorf("a read on the node that is cut off: %v, %+v", err, a)
	}
	before := l.acknowledgedBy(alone)
	l.progress(20)
	if after := l.acknowledgedBy(alone); after > before {
		t.Errorf("the node that is cut off acknowledged %d uploads", after-before)
	}
	l.c.await("the node that is cut off is not ready", func() error {
		a, err := l.c.call(alone, "GET", "/readyz", "")
		if err == nil && (a.status != http.StatusServiceUnavailable || !strings.Contains(string(a.body), "cut off")) {
			err = fmt.Errorf("got %d %s", a.status, a.body)
		}
		return err
	})
	l.c.isolate(alone, open)
	l.ready()
	l.progress(20)
}

// emptyNode starts a node with an empty data directory. It gets everything from the others.
func emptyNode(_ *testing.T, l *load) {
	l.c.awaitReplicas() // a majority without an entry may lose it
	n := l.c.nodes[1]
	l.c.kill(n)
	l.progress(20)
	l.c.empty(n)
	l.c.restart(n)
	l.c.awaitReplicas()
	l.progress(20)
}

// upgradeAll replaces the program of one node after the other. Nodes of both versions work together in
// the meantime.
func upgradeAll(t *testing.T, l *load) {
	next := buildVersion(t, "v1.1.0")
	for _, n := range l.c.nodes {
		n.process.Stop(t)
		l.progress(10)
		n.binary = next
		l.c.restart(n)
		l.progress(10)
		l.awaitMembers() // with their versions
	}
}

// useUpContract uploads more than the contract allows, on all nodes, while one of them is killed. No
// more documents are accepted than the contract allows.
func useUpContract(t *testing.T, l *load) {
	day := time.Now().UTC().YearDay()
	l.limit.Store(maxDocuments)
	quota := l.documents.Load() + 400
	l.c.must(l.c.nodes[0], "PUT", "/manage/v1/contract", fmt.Sprintf(`{"documentsPerDay":%d}`, quota), &struct{}{})
	l.progress(10)
	l.c.kill(l.c.nodes[2])
	l.awaitRefusals()
	l.c.restart(l.c.nodes[2])
	l.halt()
	if sum := l.acknowledgedDocuments(); sum > quota && time.Now().UTC().YearDay() == day {
		t.Errorf("%d documents were acknowledged, the contract allows %d", sum, quota)
	}
}

// TestRandomSchedules runs random faults. Each schedule is determined by its seed, except for the
// exact times.
func TestRandomSchedules(t *testing.T) {
	if *onlySeed == 0 {
		testenv.SkipUnlessLong(t)
	}
	binary := buildSkewed(t)
	from, to := *firstSeed, *firstSeed+*schedules-1
	if *onlySeed != 0 {
		from, to = *onlySeed, *onlySeed
	}
	for s := from; s <= to; s++ {
		t.Run(fmt.Sprintf("seed=%d", s), func(t *testing.T) {
			r := rand.New(rand.NewPCG(s, 0))
			l := begin(t, binary, s)
			t.Logf("seed %d: %s", s, l.disturb(r, 3+r.IntN(5)))
			l.check()
		})
	}
}
