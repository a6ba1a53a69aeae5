package natsnode

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/operate/integrity"
)

func TestAPeerMustBelongToTheStreams(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	s := openStreams(t, n)
	for range 10 {
		s.publish("journal", "entry")
	}
	s.trim(4)
	id := n.Installation()
	n.Close()
	for _, c := range []struct {
		name string
		peer Peer
		want string // part of the error; empty: none
	}{
		{"the same installation and an earlier position", Peer{Installation: id, Positions: map[string]uint64{"JOURNAL": 5}}, ""},
		{"a peer without an installation", Peer{Positions: map[string]uint64{"JOURNAL": 10}}, ""},
		{"another installation", Peer{Installation: "0123"}, "the streams belong to installation " + id + ", the post store to installation 0123"},
		{"a later position", Peer{Installation: id, Positions: map[string]uint64{"JOURNAL": 11}}, "it ends at 10, but the post store has seen 11"},
		{"a position before the first entry", Peer{Positions: map[string]uint64{"JOURNAL": 2}}, "entry 3 is lost"},
		{"an unknown stream", Peer{Positions: map[string]uint64{"OTHER": 1}}, "OTHER: it ends at 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.peer.Name = "post store"
			n, err := Open(t.Context(), Options{Dir: dir, Peer: &c.peer})
			if err == nil {
				n.Close()
			}
			wantDamage(t, err, c.want)
		})
	}
	t.Run("without the directory", func(t *testing.T) {
		peer := &Peer{Name: "post store", Installation: id}
		_, err := Open(t.Context(), Options{Dir: filepath.Join(dir, "other"), Peer: peer})
		wantDamage(t, err, "the directory is missing or empty")
	})
}

// wantDamage checks that the error is a DamageError with a text, or nil if the text is empty.
func wantDamage(t *testing.T, err error, text string) {
	t.Helper()
	damage, ok := errors.AsType[*integrity.DamageError](err)
	if text == "" && err != nil || text != "" && (!ok || !strings.Contains(damage.Error(), text)) {
		t.Errorf("got %v, want a DamageError with %q", err, text)
	}
}

// TestAnOldDirectoryIsUpgraded opens streams of a version without an acknowledgment log.
func TestAnOldDirectoryIsUpgraded(t *testing.T) {
	dir := t.TempDir()
	n, err := Open(t.Context(), Options{Dir: dir, NoAcknowledgmentLog: true})
	if err != nil {
		t.Fatal(err)
	}
	config := jetstream.StreamConfig{Name: "JOURNAL", Subjects: []string{"journal"}}
	if _, err := n.JetStream().CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	(&streams{T: t, node: n}).publish("journal", "entry")
	n.Close()

	n = open(t, dir)
	stream, err := n.OpenStream(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context())
	if err != nil || info.State.Msgs != 1 || info.Config.Metadata["earshot.installation"] != n.Installation() {
		t.Errorf("got %+v, %v", info, err)
	}
	n.Close()
	if err := os.Remove(filepath.Join(dir, "acknowledged")); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Options{Dir: dir})
	wantDamage(t, err, "acknowledged: the file is missing")
}
