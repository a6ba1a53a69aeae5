package app

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"time"

	"earshot"
	"earshot/internal/cluster"
	"earshot/internal/http/manage"
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

func TestClusterMetrics(t *testing.T) {
	now := time.Now()
	node := func(live bool, state cluster.State, age time.Duration) cluster.Member {
		return cluster.Member{Record: cluster.Record{State: state}, Live: live, Seen: now.Add(-age)}
	}
	var got bytes.Buffer
	writeNodeMetrics(&got, []cluster.Member{
		node(true, cluster.Ready, 0), node(true, cluster.Ready, 0), node(true, cluster.Joining, 0),
		node(false, cluster.Ready, time.Hour), node(false, cluster.Ready, 25*time.Hour),
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

func TestClusterProblem(t *testing.T) {
	f := func(live, all int, embedded bool, want string) {
		t.Helper()
		var members []cluster.Member
		for i := range all {
			members = append(members, cluster.Member{Live: i < live})
		}
		if got := clusterProblem(members, embedded); got != want {
			t.Errorf("%d of %d: got %q, want %q", live, all, got, want)
		}
	}
	f(1, 3, true, "Only 1 of 3 nodes are running, which is no majority. Nothing can be stored until another one is back")
	f(2, 4, true, "Only 2 of 4 nodes are running, which is no majority. Nothing can be stored until another one is back")
	const other = "The storage service does not respond. This is normal for some seconds after a server has stopped"
	f(2, 3, true, other)
	f(1, 3, false, other)
}

func TestOneNodeIsNoCluster(t *testing.T) {
	cfg := testConfig(t)
	cfg.NodeName = "only"
	a := open(t, cfg, io.Discard)
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	f.upload(t, a, "g1")
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, body := get(t, a, "/manage/v1/cluster?auth="+token(t, a))
	var c manage.Cluster
	if err := json.Unmarshal([]byte(body), &c); status != 200 || err != nil {
		t.Fatalf("got %d %s", status, body)
	}
	if c.Name != "" || len(c.Nodes) != 1 || len(c.Streams) != 0 || c.Journal != (manage.ClusterJournal{First: 1, Last: 1}) {
		t.Errorf("got %s", body)
	}
	if n := c.Nodes[0]; n.Name != "only" || !n.Self || !n.Ready || !n.Live || n.Position != 1 || n.Lag != 0 {
		t.Errorf("got %s", body)
	}
}
