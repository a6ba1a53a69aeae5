package cluster

import (
	"testing"

	"earshot"
)

func TestPlanJoin(t *testing.T) {
	f := func(stored, trimmed, last earshot.Position, want joinPlan) {
		t.Helper()
		if got := planJoin(stored, trimmed, last); got != want {
			t.Errorf("stored %d, trimmed %d, last %d: got %d, want %d", stored, trimmed, last, got, want)
		}
	}
	f(0, 0, 0, follow)
	f(0, 0, 1000, follow)
	f(0, 0, 1001, mayJoin)
	f(1, 0, 100_000, follow)
	f(0, 5, 10, mustJoin)
	f(4, 5, 10, mustJoin)
	f(5, 5, 10, follow)
}

func TestBestPeer(t *testing.T) {
	node := func(name string, live bool, durable earshot.Position) Member {
		return Member{Record: Record{Name: name, Durable: durable}, Live: live}
	}
	self := node("self", true, 900)
	self.Self = true
	f := func(want string, trimmed earshot.Position, nodes ...Member) {
		t.Helper()
		got, found := bestPeer(append(nodes, self), trimmed)
		if got.Name != want || found != (want != "") {
			t.Errorf("got %q, %v, want %q", got.Name, found, want)
		}
	}
	f("", 0)
	f("", 0, node("empty", true, 0), node("away", false, 50))
	f("b", 0, node("a", true, 10), node("b", true, 20), node("c", false, 30))
	f("", 100, node("a", true, 99))
	f("a", 100, node("a", true, 100))
}
