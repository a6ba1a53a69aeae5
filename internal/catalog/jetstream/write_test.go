package jetstream

import (
	"errors"
	"testing"

	"earshot/internal/catalog"
	"earshot/internal/natsnode"
)

func TestARepeatedWriteIsRecognised(t *testing.T) {
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	s, err := Open(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	m := message("k")
	m.Data = []byte("mine")
	first, err := s.write(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	// As after a lost answer: the same write again.
	if again, err := s.write(t.Context(), m, 0); err != nil || again != first {
		t.Errorf("repeat: got revision %d, %v, want %d", again, err, first)
	}
	// The same bytes from someone else are not the same write.
	if _, err := s.Put(t.Context(), "k", []byte("mine"), 0); !errors.Is(err, catalog.ErrConflict) {
		t.Errorf("another writer: got %v, want ErrConflict", err)
	}
}
