package clustertest

import (
	"testing"

	"earshot/internal/testenv"
)

// TestRollingUpgrade replaces the program of one node after the other, under load. Nodes of both
// versions work together in the meantime.
func TestRollingUpgrade(t *testing.T) {
	testenv.SkipUnderRace(t)
	l := begin(t, buildVersion(t, "v1.0.0"), 7)
	next := buildVersion(t, "v1.1.0")
	for _, n := range l.c.nodes {
		n.process.Stop(t)
		l.progress(10)
		n.binary = next
		l.c.restart(n)
		l.progress(10)
		l.awaitMembers() // with their versions
	}
	l.check()
}
