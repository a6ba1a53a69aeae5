package clustertest

import (
	"testing"

	"earshot/internal/test/testenv"
)

// TestSingleNode runs the load on one node, without faults: the clients and their checks also hold
// for a service that is not a cluster.
func TestSingleNode(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("runs the real program")
	}
	l := newLoad(newCluster(t, build(t), 1), 1)
	l.run()
	l.progress(100)
	l.check()
}
