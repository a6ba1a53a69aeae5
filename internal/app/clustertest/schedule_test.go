package clustertest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"earshot/internal/testenv"
)

var (
	schedules = flag.Int("schedules", 100, "number of random schedules with -long")
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

// TestKillRoleHolder kills the node that fills the streams. Others take over its roles.
func TestKillRoleHolder(t *testing.T) {
	testenv.SkipUnderRace(t)
	l := begin(t, build(t), 2)
	victim := l.c.holder("streams")
	killed := time.Now()
	l.c.kill(victim)
	if took := l.c.awaitTakeover(victim, killed); took > maxTakeover {
		t.Errorf("the roles of the killed node ran elsewhere after %v, want at most %v", took, maxTakeover)
	}
	l.progress(20)
	l.c.restart(victim)
	l.progress(20)
	l.check()
}

// TestPauseRoleHolder pauses the node that fills the streams until another one does, and continues
// it: it must not write with the lease it had.
func TestPauseRoleHolder(t *testing.T) {
	testenv.SkipUnderRace(t)
	l := begin(t, build(t), 3)
	victim := l.c.holder("streams")
	paused := time.Now()
	l.c.pause(victim)
	l.c.awaitTakeover(victim, paused)
	l.progress(20)
	l.c.resume(victim)
	l.progress(20)
	l.check()
}

// TestPartition cuts a node off. The others go on; it answers reads from its own store, and
// acknowledges nothing.
func TestPartition(t *testing.T) {
	testenv.SkipUnderRace(t)
	l := begin(t, build(t), 4)
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
	l.c.isolate(alone, open)
	l.ready()
	l.progress(20)
	l.check()
}

// TestEmptyNode starts a node with an empty data directory. It gets everything from the others.
func TestEmptyNode(t *testing.T) {
	testenv.SkipUnderRace(t)
	l := begin(t, build(t), 5)
	n := l.c.nodes[1]
	l.c.kill(n)
	l.progress(20)
	l.c.empty(n)
	l.c.restart(n)
	l.progress(20)
	l.check()
}

// TestQuota uploads more than the contract allows, on all nodes, while one of them is killed. No
// more documents are accepted than the contract allows.
func TestQuota(t *testing.T) {
	testenv.SkipUnderRace(t)
	l := begin(t, build(t), 6)
	const quota = 400
	l.c.must(l.c.nodes[0], "PUT", "/manage/v1/contract", fmt.Sprintf(`{"documentsPerDay":%d}`, quota), &struct{}{})
	l.progress(10)
	l.c.kill(l.c.nodes[2])
	l.awaitRefusals()
	l.c.restart(l.c.nodes[2])
	l.check()
	if sum := l.acknowledgedDocuments(); sum > quota {
		t.Errorf("%d documents were acknowledged, the contract allows %d", sum, quota)
	}
}

// TestRandomSchedules runs random faults. Each schedule is determined by its seed, except for the
// exact times.
func TestRandomSchedules(t *testing.T) {
	if !*long && *onlySeed == 0 {
		t.Skip("takes hours; see make long")
	}
	binary := buildSkewed(t)
	from, to := uint64(1), uint64(*schedules)
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
