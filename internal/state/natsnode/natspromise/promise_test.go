package natspromise_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

const (
	nodeVariable  = "EARSHOT_TEST_NODE"  // options of the node that a process runs
	writeVariable = "EARSHOT_TEST_WRITE" // not empty: the process writes until it is killed
)

// TestNodeProcess is a node in a process of its own.
func TestNodeProcess(t *testing.T) {
	encoded := os.Getenv(nodeVariable)
	if encoded == "" {
		testenv.SkipHelper(t, "the other tests of this package")
	}
	var c natsnode.Cluster
	if err := json.Unmarshal([]byte(encoded), &c); err != nil {
		t.Fatal(err)
	}
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: os.Getenv("EARSHOT_TEST_DIR"), Replicas: 3, Cluster: &c})
	if err != nil {
		fmt.Println("failed:", err)
		return
	}
	fmt.Println("ready")
	if os.Getenv(writeVariable) != "" {
		openLog(t, node)
		for i := 0; ; i++ {
			seq, err := node.Publish(t.Context(), &nats.Msg{Subject: "log", Data: []byte(strconv.Itoa(i))})
			if err != nil {
				fmt.Println("failed:", err)
				return
			}
			fmt.Println("ack", seq, i)
		}
	}
	select {} // until the process is killed
}

// openLog opens a stream that allows batches.
func openLog(t *testing.T, node *natsnode.Node) jetstream.Stream {
	t.Helper()
	s, err := node.OpenStream(t.Context(), jetstream.StreamConfig{Name: "LOG", Subjects: []string{"log"}, AllowAtomicPublish: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A process is a node that can be killed.
type process struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

// startProcess starts a node of a cluster in a process, and returns once it is started, not when it
// is ready.
func startProcess(t *testing.T, o natsnode.Options, environ ...string) *process {
	t.Helper()
	c := *o.Cluster
	c.Waiting = nil
	encoded, err := json.Marshal(struct {
		Name, NodeName, Listen string
		Peers                  []string
		Secret                 []byte
	}{c.Name, c.NodeName, c.Listen, c.Peers, c.Secret})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNodeProcess$", "-test.timeout=5m")
	cmd.Env = append(append(os.Environ(), nodeVariable+"="+string(encoded), "EARSHOT_TEST_DIR="+o.Dir), environ...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, out: bufio.NewScanner(out)}
	t.Cleanup(p.kill)
	return p
}

// line returns the next line that the process prints.
func (p *process) line(t *testing.T) string {
	t.Helper()
	if !p.out.Scan() || strings.HasPrefix(p.out.Text(), "failed") {
		t.Fatalf("a node ended: %s %v", p.out.Text(), p.out.Err())
	}
	return p.out.Text()
}

func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
}

// TestAcknowledgedWritesSurviveTheKillOfAllNodes kills all nodes right after acknowledgments.
func TestAcknowledgedWritesSurviveTheKillOfAllNodes(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.NewEmbedded(t, t.TempDir(), 3)
	writer := startProcess(t, e.Options[0], writeVariable+"=1")
	others := []*process{startProcess(t, e.Options[1]), startProcess(t, e.Options[2])}
	writer.line(t) // ready
	acknowledged := map[uint64]string{}
	for len(acknowledged) < 50 {
		fields := strings.Fields(writer.line(t))
		seq, err := strconv.ParseUint(fields[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		acknowledged[seq] = fields[2]
	}
	for _, p := range append(others, writer) {
		p.kill()
	}
	e.Open(t, 0, 1, 2)
	s := openLog(t, e.Nodes[1])
	for seq, want := range acknowledged {
		m, err := read(t, e.Nodes[1], func(ctx context.Context) (*jetstream.RawStreamMsg, error) { return s.GetMsg(ctx, seq) })
		if err != nil || string(m.Data) != want {
			t.Errorf("message %d: got %v, %v, want %s", seq, m, err, want)
		}
	}
}

// TestTheLeaderIsKilled kills the leader of a stream three times while batches are written and a
// consumer reads. Acknowledged batches must be there, every batch must be complete or missing, a read
// after the failover must see the last acknowledged write, and everything that was delivered must be
// stored.
func TestTheLeaderIsKilled(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	const parts, rounds, batches = 4, 3, 8
	e := natstest.NewEmbedded(t, t.TempDir(), 3)
	others := map[string]*process{}
	for _, o := range e.Options[1:] {
		others[o.Cluster.NodeName] = startProcess(t, o)
	}
	e.Open(t, 0)
	node := e.Nodes[0]
	s := openLog(t, node)
	delivered := follow(t, s)
	acknowledged := map[uint64]string{} // sequence of the last part -> batch
	var last uint64
	for round := range rounds {
		leader := moveLeader(t, node)
		for b := range batches {
			if b == batches/2 {
				others[leader].kill()
			}
			name := fmt.Sprintf("%d.%d", round, b)
			var payload [][]byte
			for i := range parts {
				payload = append(payload, fmt.Appendf(nil, "%s.%d", name, i))
			}
			seq, err := node.PublishParts(t.Context(), "log", nil, payload)
			if err != nil {
				t.Fatalf("batch %s: %v", name, err)
			}
			acknowledged[seq], last = name, seq
			if b != batches/2 {
				continue
			}
			m, err := read(t, node, func(ctx context.Context) (*jetstream.RawStreamMsg, error) { return s.GetLastMsgForSubject(ctx, "log") })
			if err != nil || m.Sequence < last {
				t.Errorf("after the failover: got %v, %v, want message %d or later", m, err, last)
			}
		}
		for i, o := range e.Options[1:] {
			if o.Cluster.NodeName == leader {
				others[leader] = startProcess(t, e.Options[i+1])
				others[leader].line(t) // ready
			}
		}
	}
	stored := readLog(t, node, s, last)
	for seq, name := range acknowledged {
		for i := range parts {
			at := seq - parts + 1 + uint64(i)
			if want := fmt.Sprintf("%s.%d", name, i); stored[at] != want {
				t.Errorf("message %d: got %q, want %s", at, stored[at], want)
			}
		}
	}
	if len(stored)%parts != 0 || len(stored) != len(acknowledged)*parts {
		t.Errorf("got %d messages, want %d batches of %d", len(stored), len(acknowledged), parts)
	}
	natstest.WaitFor(t, "the delivery of all messages", func() bool { return len(delivered()) == len(stored) })
	for seq, data := range delivered() {
		if stored[seq] != data {
			t.Errorf("message %d was delivered as %q, but stored is %q", seq, data, stored[seq])
		}
	}
}

// TestAKilledNodeReturnsWithAnEmptyDirectory replaces a node that had no time to say that it ends.
func TestAKilledNodeReturnsWithAnEmptyDirectory(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.NewEmbedded(t, t.TempDir(), 3)
	third := startProcess(t, e.Options[2])
	e.Open(t, 0, 1)
	third.line(t) // ready
	natstest.Put(t, e.Nodes[0], "k", "1")
	third.kill()
	if err := os.RemoveAll(e.Options[2].Dir); err != nil {
		t.Fatal(err)
	}
	e.Open(t, 2)
	natstest.AwaitReplicas(t, e.Nodes[0], "KV_catalog", "node-1", "node-2", "node-3")
	if got := natstest.Get(t, e.Nodes[2], "k"); got != "1" {
		t.Errorf("got %s, want 1", got)
	}
}

// moveLeader makes another node than the first one the leader of the stream, and returns its name.
func moveLeader(t *testing.T, node *natsnode.Node) (leader string) {
	t.Helper()
	natstest.WaitFor(t, "a leader in another process", func() bool {
		topology, err := node.Topology(t.Context())
		if err != nil {
			return false
		}
		for _, s := range topology.Streams {
			if s.Name == "LOG" && s.Leader != "" {
				leader = s.Leader
			}
		}
		if leader == "node-1" {
			leader = ""
			node.Conn().Request("$JS.API.STREAM.LEADER.STEPDOWN.LOG", nil, time.Second) // the next look shows whether it worked
		}
		return leader != ""
	})
	return leader
}

// follow reads a stream with a consumer until the end of the test. The result returns what was
// delivered so far.
func follow(t *testing.T, s jetstream.Stream) func() map[uint64]string {
	t.Helper()
	c, err := s.OrderedConsumer(t.Context(), jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	all := map[uint64]string{}
	reading, err := c.Consume(func(m jetstream.Msg) {
		meta, err := m.Metadata()
		if err != nil {
			t.Errorf("read metadata: %v", err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if was, again := all[meta.Sequence.Stream]; again && was != string(m.Data()) {
			t.Errorf("message %d was delivered as %q and as %q", meta.Sequence.Stream, was, m.Data())
		}
		all[meta.Sequence.Stream] = string(m.Data())
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reading.Stop)
	return func() map[uint64]string {
		mu.Lock()
		defer mu.Unlock()
		copied := map[uint64]string{}
		for seq, data := range all {
			copied[seq] = data
		}
		return copied
	}
}

// readLog reads all messages through the leader.
func readLog(t *testing.T, node *natsnode.Node, s jetstream.Stream, last uint64) map[uint64]string {
	t.Helper()
	stored := map[uint64]string{}
	for seq := uint64(1); seq <= last; seq++ {
		m, err := read(t, node, func(ctx context.Context) (*jetstream.RawStreamMsg, error) { return s.GetMsg(ctx, seq) })
		if err != nil {
			t.Fatalf("read message %d: %v", seq, err)
		}
		stored[seq] = string(m.Data)
	}
	return stored
}

// read reads a message. Requests that are lost when the leader changes are sent again for up to a
// minute.
func read(t *testing.T, node *natsnode.Node, get func(context.Context) (*jetstream.RawStreamMsg, error)) (m *jetstream.RawStreamMsg, err error) {
	t.Helper()
	for range 3 {
		err = node.Retry(t.Context(), func(ctx context.Context) (err error) {
			m, err = get(ctx)
			return err
		})
		if err == nil || errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
	}
	return m, err
}
