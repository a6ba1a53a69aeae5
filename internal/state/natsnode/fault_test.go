package natsnode

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/operate/integrity"
	"earshot/internal/state/natsfile"
	"earshot/internal/test/testenv"
)

var (
	faults    = flag.Int("faults", 40, "number of faults in TestFaults")
	faultSeed = flag.Uint64("fault", 0, "seed of a single fault in TestFaults; 0: all")
)

// TestFaults damages one file of a stopped server at a time. The next start must find every
// acknowledged message, or refuse to start and leave the files as they are.
func TestFaults(t *testing.T) {
	testenv.SkipUnderRace(t)
	origin, want := fillStreams(t)
	if got, err := openAndDump(t, copyTree(t, origin)); err != nil || !maps.Equal(got, want) {
		t.Fatalf("without a fault: got error %v and %d messages, want %d: %s", err, len(got), len(want), firstDifference(got, want))
	}
	outcomes := map[string]map[string]int{}
	for i := range uint64(*faults) {
		seed := testenv.Seed()%10_000 + i + 1
		if *faultSeed > 0 {
			seed = *faultSeed
		}
		dir := copyTree(t, origin)
		f := applyFault(t, dir, rand.New(rand.NewPCG(seed, 21)))
		before := hashTree(t, dir)
		got, err := openAndDump(t, dir)
		outcome := "harmless"
		switch _, damaged := errors.AsType[*integrity.DamageError](err); {
		case damaged:
			outcome = "refused"
			if after := hashTree(t, dir); !maps.Equal(before, after) {
				t.Errorf("fault %d, %s: the refused start changed files: %s", seed, f, firstDifference(after, before))
			}
			if err := repairAndCompare(t, dir, want); err != nil {
				t.Errorf("fault %d, %s: after the repair: %v", seed, f, err)
			}
		case err != nil:
			t.Errorf("fault %d, %s: %v", seed, f, err)
		case !maps.Equal(got, want):
			t.Errorf("fault %d, %s: silent difference: %s", seed, f, firstDifference(got, want))
		}
		if outcomes[f.file] == nil {
			outcomes[f.file] = map[string]int{}
		}
		outcomes[f.file][outcome]++
		os.RemoveAll(dir)
		if *faultSeed > 0 {
			t.Log(f, err)
			break
		}
	}
	if testing.Verbose() {
		for _, file := range slices.Sorted(maps.Keys(outcomes)) {
			t.Log(file, outcomes[file])
		}
	}
}

// fillStreams fills a journal, a bucket and queues, restarts the server in between, and copies its
// files while the server is running, as a kill would leave them. It returns the copy and everything
// that was acknowledged.
func fillStreams(t *testing.T) (copied string, want map[string]string) {
	t.Helper()
	running := filepath.Join(t.TempDir(), "running")
	for round := range 3 {
		n, err := Open(t.Context(), Options{Dir: running})
		if err != nil {
			t.Fatal(err)
		}
		s := openStreams(t, n)
		for i := range 40 {
			s.publish("journal", fmt.Sprintf("entry %d.%d %s", round, i, strings.Repeat("x", i*30)))
			s.put(fmt.Sprintf("monitor.%d", i%15), fmt.Sprintf("value %d.%d %s", round, i, strings.Repeat("y", 800)))
			s.publishBatch(fmt.Sprintf("queue.%d", i%4), 1+i%3)
		}
		s.delete("monitor.3")
		s.purgeKey("monitor.4")
		s.purgeQueue("queue.2")
		s.trim(uint64(10 * (round + 1)))
		if round < 2 {
			n.Close()
			continue
		}
		s.publish("journal", "the last entry")
		copied, want = testenv.CopyRunning(t, running), s.dump()
		n.Close()
	}
	return copied, want
}

// streams are the streams of the test.
type streams struct {
	*testing.T
	node            *Node
	journal, queues jetstream.Stream
	bucket          *Bucket
}

func openStreams(t *testing.T, n *Node) *streams {
	t.Helper()
	s, err := tryOpenStreams(t, n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const maxBytes = 120_000

func tryOpenStreams(t *testing.T, n *Node) (*streams, error) {
	s := &streams{T: t, node: n}
	var errs [3]error
	// The size limit makes the server write small blocks, so that each stream has several.
	s.journal, errs[0] = n.OpenStream(t.Context(), jetstream.StreamConfig{Name: "JOURNAL", Subjects: []string{"journal"}, MaxBytes: maxBytes})
	s.queues, errs[1] = n.OpenStream(t.Context(), jetstream.StreamConfig{
		Name: "QUEUES", Subjects: []string{"queue.*"}, MaxAge: time.Hour, AllowAtomicPublish: true, MaxBytes: maxBytes,
	})
	s.bucket = &Bucket{node: n, name: "catalog"}
	s.bucket.stream, errs[2] = n.OpenStream(t.Context(), jetstream.StreamConfig{
		Name: "KV_catalog", Subjects: []string{"$KV.catalog.>"}, MaxMsgsPerSubject: 1, AllowRollup: true, DenyDelete: true, MaxBytes: maxBytes,
	})
	return s, errors.Join(errs[:]...)
}

func (s *streams) publish(subject, data string) {
	s.Helper()
	if _, err := s.node.Publish(s.Context(), &nats.Msg{Subject: subject, Data: []byte(data)}); err != nil {
		s.Fatal(err)
	}
}

// publishBatch appends messages to a queue, of which the first expects the last one of the queue.
func (s *streams) publishBatch(subject string, count int) {
	s.Helper()
	last, err := s.queues.GetLastMsgForSubject(s.Context(), subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		last, err = &jetstream.RawStreamMsg{}, nil
	}
	if err != nil {
		s.Fatal(err)
	}
	var batch []*nats.Msg
	for i := range count {
		batch = append(batch, &nats.Msg{Subject: subject, Data: fmt.Appendf(nil, "item %d of %d after %d %s", i, count, last.Sequence, strings.Repeat("z", 150))})
	}
	ExpectLast(batch[0], last.Sequence)
	_, err = s.node.PublishBatch(s.Context(), batch)
	if err != nil && !errors.Is(err, ErrConflict) { // after a conflict, the batch is stored and its response was late
		s.Fatal(err)
	}
}

func (s *streams) put(key, value string) {
	s.Helper()
	if _, err := s.bucket.Set(s.Context(), key, []byte(value)); err != nil {
		s.Fatal(err)
	}
}

func (s *streams) delete(key string) {
	s.Helper()
	e, err := s.bucket.Get(s.Context(), key)
	if err == nil {
		err = s.bucket.Delete(s.Context(), key, e.Revision)
	}
	if err != nil {
		s.Fatal(err)
	}
}

func (s *streams) purgeKey(key string) {
	s.Helper()
	if err := s.bucket.Purge(s.Context(), key); err != nil {
		s.Fatal(err)
	}
}

func (s *streams) purgeQueue(subject string) {
	s.Helper()
	if err := s.node.PurgeSubject(s.Context(), s.queues, subject, 0); err != nil {
		s.Fatal(err)
	}
}

func (s *streams) trim(first uint64) {
	s.Helper()
	if err := s.node.PurgeBefore(s.Context(), s.journal, first); err != nil {
		s.Fatal(err)
	}
}

// dump returns all messages by stream and sequence number.
func (s *streams) dump() map[string]string {
	s.Helper()
	all, err := s.tryDump(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *streams) tryDump(ctx context.Context) (map[string]string, error) {
	all := map[string]string{}
	for _, stream := range []jetstream.Stream{s.journal, s.queues, s.bucket.stream} {
		info, err := stream.Info(ctx)
		if err != nil {
			return nil, err
		}
		name := info.Config.Name
		all[name+" last"] = fmt.Sprint(info.State.LastSeq)
		for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
			m, err := stream.GetMsg(ctx, seq)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("message %d of %s: %w", seq, name, err)
			}
			all[fmt.Sprintf("%s %d", name, seq)] = m.Subject + " " + string(m.Data) + " " + m.Time.Format(time.RFC3339Nano)
		}
	}
	return all, nil
}

// openAndDump starts a server and returns all messages.
func openAndDump(t *testing.T, dir string) (map[string]string, error) {
	t.Helper()
	n, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer n.Close()
	s, err := tryOpenStreams(t, n)
	if err != nil {
		return nil, err
	}
	return s.tryDump(t.Context())
}

// repairAndCompare repairs the files and compares what is missing then with what the repair reports
// as lost.
func repairAndCompare(t *testing.T, dir string, want map[string]string) error {
	t.Helper()
	plan, err := natsfile.Plan(t.Context(), natsfile.Options{Dir: dir})
	if err != nil {
		return err
	}
	lost := map[string]bool{}
	for _, r := range plan {
		for _, l := range r.Lost {
			addLost(lost, r.Summary, l)
		}
		if err := r.Apply(t.Context()); err != nil {
			return err
		}
	}
	got, err := openAndDump(t, dir)
	if err != nil {
		return err
	}
	for name, value := range want {
		if _, found := got[name]; !found && !lost[name] && !strings.HasPrefix(value, "$KV.catalog.monitor.3 ") { // which was deleted
			return fmt.Errorf("%s is lost and not reported: %.60q", name, value)
		} else if found && (lost[name] || strings.HasSuffix(name, " last") && got[name] < value) {
			return fmt.Errorf("%s: got %q, want %q; reported as lost: %t", name, got[name], value, lost[name])
		}
	}
	for name, value := range got {
		if want[name] == "" && !lost[strings.Fields(value)[0]] {
			return fmt.Errorf("%s is back: %.60q", name, value)
		}
	}
	again, err := natsfile.Verify(t.Context(), natsfile.Options{Dir: dir})
	if err == nil && len(again.Findings) > 0 {
		err = fmt.Errorf("damage after the repair: %v", again.Findings)
	}
	return err
}

var (
	lostMessages = regexp.MustCompile(`^messages? (\d+)(?: to (\d+))?`)
	lostRevision = regexp.MustCompile(`^(\S+), revision (\d+) of`)
)

// addLost adds the messages that a line of a repair reports as lost.
func addLost(lost map[string]bool, summary, line string) {
	stream := strings.Fields(summary)[3] // rebuild the stream NAME
	if m := lostRevision.FindStringSubmatch(line); m != nil {
		lost[stream+" "+m[2]], lost["$KV.catalog."+m[1]] = true, true
		return
	}
	m := lostMessages.FindStringSubmatch(line)
	first, _ := strconv.Atoi(m[1])
	last := first
	if m[2] != "" {
		last, _ = strconv.Atoi(m[2])
	}
	for ; first <= last; first++ {
		lost[fmt.Sprintf("%s %d", stream, first)] = true
	}
}

// A fault is what happened to a file.
type fault struct{ file, what string }

func (f fault) String() string { return f.file + ": " + f.what }

// applyFault damages a random file.
func applyFault(t *testing.T, dir string, r *rand.Rand) fault {
	t.Helper()
	files := slices.Sorted(maps.Keys(hashTree(t, dir)))
	name := files[r.IntN(len(files))]
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := len(data)
	what := ""
	switch kind := r.IntN(6); {
	case kind == 0:
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return fault{name, "removed"}
	case kind == 1:
		other := files[r.IntN(len(files))]
		if data, err = os.ReadFile(filepath.Join(dir, other)); err != nil {
			t.Fatal(err)
		}
		what = "replaced by " + other
	case kind == 2 && strings.HasSuffix(name, ".blk"):
		path = filepath.Join(filepath.Dir(path), fmt.Sprintf("%d.blk", 1+r.IntN(9)))
		what = "copied to " + filepath.Base(path)
	case size == 0:
		data, what = []byte{byte(r.IntN(256))}, "one byte appended"
	case kind == 3:
		data, what = data[:r.IntN(size)], "truncated"
	case kind == 4:
		from := r.IntN(size)
		to := min(size, from+512)
		clear(data[from:to])
		what = fmt.Sprintf("zeroed %d to %d", from, to)
	default:
		at, bit := r.IntN(size), r.IntN(8)
		data[at] ^= 1 << bit
		what = fmt.Sprintf("flipped bit %d of byte %d", bit, at)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return fault{name, fmt.Sprintf("%s (%d of %d bytes)", what, len(data), size)}
}

func copyTree(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// hashTree returns a fingerprint of every file, except the lock.
func hashTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(name, "lock") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		sum := uint64(14695981039346656037)
		for _, b := range data {
			sum = (sum ^ uint64(b)) * 1099511628211
		}
		all[name] = string(binary.BigEndian.AppendUint64(nil, sum))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func firstDifference(got, want map[string]string) string {
	keys := map[string]bool{}
	for _, m := range []map[string]string{got, want} {
		for k := range m {
			keys[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if got[k] != want[k] {
			return fmt.Sprintf("%s: got %.80q, want %.80q", k, got[k], want[k])
		}
	}
	return "none"
}
