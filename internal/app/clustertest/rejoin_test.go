package clustertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	members "earshot/internal/cluster"
	"earshot/internal/state/catalog"
	journalstore "earshot/internal/state/journal/jetstream"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// Lines of a log about a node that lacks entries which the journal no longer has.
const (
	saysItIsBehind = "this node lacks entries that the journal no longer has"
	saysItCopied   = `msg="copied the post store"`
)

// TestNodesThatAreTooFarBehindJoinAgain trims the journal beyond what a node has processed: first a
// node that runs, but was paused, then one that was down. Both say so, copy the post store of the
// other node without help, and have every document once.
func TestNodesThatAreTooFarBehindJoinAgain(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("runs a cluster of real processes")
	}
	servers := natstest.Start(t, 3)
	c := newExternalCluster(t, build(t), servers.Options().URL, 2)
	l := newLoad(c, 8)
	l.run()
	l.progress(20)
	trim := newTrimmer(t, servers)
	behind, ahead := c.holder("streams"), c.nodes[0] // the harder case: it also has roles
	if ahead == behind {
		ahead = c.nodes[1]
	}
	pid := behind.process.Cmd.Process.Pid

	c.pause(behind)
	l.progress(30) // more than the paused node has requested from the journal
	trim.upTo(trim.durable(c, ahead, c.stopAndStart(ahead)))
	c.resume(behind)
	c.await("the paused node joins again", func() error { return logged(behind, saysItIsBehind, saysItCopied) })
	c.awaitReady(behind)
	if behind.process.Cmd.Process.Pid != pid {
		t.Error("the node has another process than before")
	}
	l.progress(20)

	c.kill(behind)
	l.progress(20)
	trim.upTo(trim.durable(c, ahead, c.stopAndStart(ahead)))
	c.restart(behind)
	if err := logged(behind, saysItCopied); err != nil {
		t.Errorf("after it was down: %v\n%s", err, behind.process.Log)
	}
	l.progress(20)
	l.check()
}

// logged returns an error unless the log of a node has lines with these texts, in this order.
func logged(n *node, texts ...string) error {
	for _, line := range n.process.Log.Lines() {
		if len(texts) > 0 && strings.Contains(line, texts[0]) {
			texts = texts[1:]
		}
	}
	if len(texts) > 0 {
		return fmt.Errorf("node %s has not logged %q", n.name, texts[0])
	}
	return nil
}

// stopAndStart restarts a node properly, after which all of its posts are on its disk. It returns a
// time before the start.
func (c *cluster) stopAndStart(n *node) time.Time {
	c.Helper()
	n.process.Stop(c)
	stopped := time.Now()
	c.restart(n)
	return stopped
}

// What the journal calls the record of how far it is trimmed, and the subject of its entries.
const (
	trimmedKey   = "journal-trimmed"
	entrySubject = "journal"
)

// A trimmer removes entries from the journal of a cluster with external NATS servers, as the retention
// role does after a day.
type trimmer struct {
	testing.TB
	records *natsnode.Bucket // of the catalog
	nodes   *natsnode.Bucket
	journal jetstream.Stream
}

func newTrimmer(t testing.TB, servers *natstest.Cluster) *trimmer {
	t.Helper()
	node := servers.Open(t)
	bucket := func(name string) *natsnode.Bucket {
		b, err := natsnode.OpenBucket(t.Context(), node, natsnode.BucketOptions{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	js, err := jetstream.New(node.Conn())
	if err != nil {
		t.Fatal(err)
	}
	journal, err := js.Stream(t.Context(), journalstore.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	return &trimmer{TB: t, records: bucket(catalog.BucketName), nodes: bucket(members.BucketName), journal: journal}
}

// durable returns the journal position up to which a node has everything on disk, according to the
// record that it has written since a time.
func (t *trimmer) durable(c *cluster, n *node, since time.Time) (position uint64) {
	t.Helper()
	c.await(fmt.Sprintf("node %s tells what it has on disk", n.name), func() error {
		ids, err := t.nodes.Keys(t.Context(), ">")
		if err != nil {
			return err
		}
		for _, id := range ids {
			e, err := t.nodes.Get(t.Context(), id)
			if err != nil {
				return err
			}
			var r members.Record
			if err := json.Unmarshal(e.Value, &r); err != nil {
				return err
			}
			if r.Name == n.name && r.State == members.Ready && r.Started.After(since) {
				position = uint64(r.Durable)
				return nil
			}
		}
		return errors.New("not yet")
	})
	return position
}

// upTo trims the journal. Fences stay, as they do when they are younger than 18 hours.
func (t *trimmer) upTo(position uint64) {
	t.Helper()
	if _, err := t.records.Set(t.Context(), trimmedKey, strconv.AppendUint(nil, position, 10)); err != nil {
		t.Fatal(err)
	}
	err := t.journal.Purge(t.Context(), jetstream.WithPurgeSubject(entrySubject), jetstream.WithPurgeSequence(position+1))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("trimmed the journal up to %d", position)
}
