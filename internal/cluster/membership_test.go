package cluster

import (
	"bytes"
	"context"
	"testing"
	"time"

	"earshot"
)

func TestLagWatch(t *testing.T) {
	type step struct {
		seconds         int // since the last step
		last, processed earshot.Position
		behind          bool
	}
	f := func(name string, steps ...step) {
		t.Helper()
		var w lagWatch
		now := time.Unix(0, 0)
		for i, s := range steps {
			now = now.Add(time.Duration(s.seconds) * time.Second)
			w.add(now, s.last, s.processed)
			if entries, behind := w.get(); behind != s.behind || entries != int64(s.last-s.processed) {
				t.Errorf("%s, step %d: got %d entries, behind %v, want %v", name, i, entries, behind, s.behind)
			}
		}
	}
	f("a short lag", step{0, 100, 0, false}, step{4, 100, 50, false}, step{4, 100, 100, false}, step{4, 100, 100, false})
	f("ten seconds", step{0, 100, 0, false}, step{5, 110, 90, false}, step{5, 120, 99, true}, step{2, 120, 99, true}, step{4, 130, 120, false})
	f("keeping up with a constant stream", step{0, 1000, 900, false}, step{5, 2000, 1900, false}, step{5, 3000, 2900, false}, step{5, 4000, 3900, false})
	f("many entries, quickly", step{0, 100_000, 50_000, false}, step{5, 150_000, 110_000, false}, step{5, 200_000, 180_000, true}, step{5, 200_000, 200_000, false})
	f("many entries for a moment", step{0, 100, 100, false}, step{5, 50_000, 100, false}, step{5, 50_000, 50_000, false})
}

// Fences take positions after the last entry. When an entry follows them, the position of a node goes
// back to that of the entry before them.
func TestLagWatchAfterFences(t *testing.T) {
	var w lagWatch
	now := time.Unix(0, 0)
	for i, processed := range []earshot.Position{5, 5, 5, 3, 6} { // entries are at 3 and 6
		last := earshot.Position(5)
		if i >= 3 {
			last = 6
		}
		w.add(now, last, processed)
		if _, behind := w.get(); behind {
			t.Errorf("step %d: behind", i)
		}
		now = now.Add(5 * time.Second)
	}
}

// A fixedJournal ends at the entry last, and reports the same number of pending entries after every position.
type fixedJournal struct {
	last    earshot.Position
	pending int64
}

func (j fixedJournal) Last(context.Context) (earshot.Position, error)    { return j.last, nil }
func (j fixedJournal) Trimmed(context.Context) (earshot.Position, error) { return 0, nil }
func (j fixedJournal) Pending(context.Context, earshot.Position) (int64, error) {
	return j.pending, nil
}

func TestJournalIsProcessedUpToItsLastFence(t *testing.T) {
	f := func(pending int64, want earshot.Position) {
		t.Helper()
		m := NewMembership(MembershipOptions{Journal: fixedJournal{9, pending}, Stored: func() Progress { return Progress{Processed: 7} }})
		if last, got, err := m.journalEnd(t.Context()); last != 9 || got != want || err != nil {
			t.Errorf("%d entries are pending: the journal ends at %d and is processed up to %d, %v, want 9 and %d", pending, last, got, err, want)
		}
	}
	f(1, 7)
	f(0, 9)
}

func TestNodeMetrics(t *testing.T) {
	now := time.Now()
	node := func(live bool, state State, age time.Duration) Member {
		return Member{Record: Record{State: state}, Live: live, Seen: now.Add(-age)}
	}
	var got bytes.Buffer
	writeNodeMetrics(&got, []Member{
		node(true, Ready, 0), node(true, Ready, 0), node(true, Joining, 0),
		node(false, Ready, time.Hour), node(false, Ready, 25*time.Hour),
	}, now)
	const want = `earshot_cluster_nodes{state="ready"} 2
earshot_cluster_nodes{state="not ready"} 1
earshot_cluster_nodes{state="away"} 1
earshot_cluster_nodes{state="forgotten"} 1
`
	if got.String() != want {
		t.Errorf("got %s", got.String())
	}
}

func TestProblem(t *testing.T) {
	f := func(live, all int, embedded bool, want string) {
		t.Helper()
		var members []Member
		for i := range all {
			members = append(members, Member{Live: i < live})
		}
		if got := problem(members, embedded); got != want {
			t.Errorf("%d of %d: got %q, want %q", live, all, got, want)
		}
	}
	f(1, 3, true, "Only 1 of 3 nodes are running, which is no majority. Nothing can be stored until another one is back")
	f(2, 4, true, "Only 2 of 4 nodes are running, which is no majority. Nothing can be stored until another one is back")
	const other = "The storage service does not respond. This is normal for some seconds after a server has stopped"
	f(2, 3, true, other)
	f(1, 3, false, other)
}
