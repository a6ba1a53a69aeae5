package natsfile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/natsfile"
	"earshot/internal/state/natsnode"
)

const streamName = "EXAMPLE"

// A message is what a test publishes and wants to read back.
type message struct{ subject, header, data string }

// writeStream publishes messages to a stream, deletes some, and stops the server. All messages have
// a header, as all of Earshot's do.
func writeStream(t testing.TB, dir string, count int, deleted ...uint64) []message {
	t.Helper()
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	stream, err := node.JetStream().CreateStream(t.Context(), jetstream.StreamConfig{Name: streamName, Subjects: []string{"example.>"}})
	if err != nil {
		t.Fatal(err)
	}
	var messages []message
	for i := range count {
		m := nats.NewMsg(fmt.Sprintf("example.%d", i%3))
		m.Data = fmt.Appendf(nil, "data of message %d", i)
		m.Header.Set("Number", fmt.Sprint(i))
		if _, err := node.JetStream().PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, message{m.Subject, m.Header.Get("Number"), string(m.Data)})
	}
	for _, sequence := range deleted {
		if err := stream.DeleteMsg(t.Context(), sequence); err != nil {
			t.Fatal(err)
		}
	}
	return messages
}

// readStream returns the intact messages of the stream by sequence, and the damage.
func readStream(t testing.TB, dir string) (map[uint64]message, []natsfile.Damage) {
	t.Helper()
	streams, err := natsfile.Streams(dir)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(streams, func(s natsfile.Stream) bool { return s.Name == streamName })
	if i < 0 {
		t.Fatalf("there is no stream %s among %v", streamName, streams)
	}
	messages := map[uint64]message{}
	damage, err := streams[i].Read(t.Context(), nil, func(r natsfile.Record) {
		if r.Deleted {
			delete(messages, r.Sequence)
			return
		}
		_, number, _ := bytes.Cut(bytes.TrimSpace(r.Header), []byte("Number: "))
		messages[r.Sequence] = message{r.Subject, string(number), string(r.Data)}
	})
	if err != nil {
		t.Fatal(err)
	}
	return messages, damage
}

func TestReadReturnsWhatWasPublished(t *testing.T) {
	dir := t.TempDir()
	published := writeStream(t, dir, 20, 4, 20)
	got, damage := readStream(t, dir)
	if len(damage) > 0 {
		t.Fatalf("damage in an intact stream: %v", damage)
	}
	for i, want := range published {
		sequence := uint64(i + 1)
		m, found := got[sequence]
		if deleted := sequence == 4 || sequence == 20; found == deleted || found && m != want {
			t.Errorf("sequence %d: got %v, %t, want %v", sequence, m, found, want)
		}
	}
}

// TestReadFindsEveryFlippedBit flips each bit of a block in turn. Damage is found, and every other
// message is read.
func TestReadFindsEveryFlippedBit(t *testing.T) {
	dir := t.TempDir()
	published := writeStream(t, dir, 5)
	path := filepath.Join(dir, "jetstream", "$G", "streams", streamName, "msgs", "1.blk")
	block, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(block) {
		block[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, block, 0o600); err != nil {
			t.Fatal(err)
		}
		got, damage := readStream(t, dir)
		if len(damage) != 1 || len(got) != len(published)-1 {
			t.Errorf("bit %d: found %d of %d messages and damage %v, want damage to one message", bit, len(got), len(published), damage)
		}
		for sequence, m := range got {
			if m != published[sequence-1] {
				t.Errorf("bit %d: sequence %d: got %v, want %v", bit, sequence, m, published[sequence-1])
			}
		}
		block[bit/8] ^= 1 << (bit % 8)
	}
}

func TestATruncatedLastRecordIsTorn(t *testing.T) {
	dir := t.TempDir()
	writeStream(t, dir, 3)
	path := filepath.Join(dir, "jetstream", "$G", "streams", streamName, "msgs", "1.blk")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-5); err != nil {
		t.Fatal(err)
	}
	got, damage := readStream(t, dir)
	if len(got) != 2 || len(damage) != 1 || !damage[0].Torn || damage[0].After != 2 {
		t.Errorf("got %v and damage %+v, want two messages and a torn record after sequence 2", got, damage)
	}
}

func TestABlockOfRandomBytesIsOneDamage(t *testing.T) {
	dir := t.TempDir()
	stream := filepath.Join(dir, "jetstream", "$G", "streams", streamName)
	if err := os.MkdirAll(filepath.Join(stream, "msgs"), 0o700); err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 8<<20)
	rand.NewChaCha8([32]byte{1}).Read(block)
	for path, content := range map[string][]byte{"meta.inf": []byte(`{"name":"EXAMPLE"}`), "msgs/1.blk": block} {
		if err := os.WriteFile(filepath.Join(stream, path), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, damage := readStream(t, dir)
	if len(got) != 0 || len(damage) != 1 || damage[0].Offset != 0 || damage[0].Length != int64(len(block)) {
		t.Errorf("got %d messages and damage %v, want damage to the complete block", len(got), damage)
	}
}
