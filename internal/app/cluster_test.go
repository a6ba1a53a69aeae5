package app

import (
	"encoding/json"
	"io"
	"testing"

	"earshot/internal/cluster"
)

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
	var c cluster.Status
	if err := json.Unmarshal([]byte(body), &c); status != 200 || err != nil {
		t.Fatalf("got %d %s", status, body)
	}
	if c.Name != "" || len(c.Nodes) != 1 || len(c.Streams) != 0 || c.Journal != (cluster.JournalStatus{First: 1, Last: 1}) {
		t.Errorf("got %s", body)
	}
	if n := c.Nodes[0]; n.Name != "only" || !n.Self || !n.Ready || !n.Live || n.Position != 1 || n.Lag != 0 {
		t.Errorf("got %s", body)
	}
}
