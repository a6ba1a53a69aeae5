package natsnode

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestMessagesAndRequestsToAllNodes(t *testing.T) {
	n, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()

	got := make(chan string, 10)
	for _, name := range []string{"a", "b"} {
		stop, err := n.Listen(n.Subject("limits"), func(data []byte) { got <- name + " " + string(data) })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
	}
	if err := n.Tell(n.Subject("limits"), []byte("hello")); err != nil {
		t.Fatal(err)
	}
	heard := []string{<-got, <-got}
	slices.Sort(heard)
	if want := []string{"a hello", "b hello"}; !slices.Equal(heard, want) {
		t.Errorf("listeners got %q, want %q", heard, want)
	}

	for _, name := range []string{"a", "b", "c"} {
		stop, err := n.Serve(n.Subject("models"), func(_ context.Context, request []byte) ([]byte, error) {
			if name == "c" {
				return nil, errors.New("not here")
			}
			return append([]byte(name+" "), request...), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
	}
	ask := func(ctx context.Context, count int, more bool) (answers []string, err error) {
		err = n.RequestAll(ctx, n.Subject("models"), []byte("7"), count, func(data []byte) bool {
			answers = append(answers, string(data))
			return more
		})
		slices.Sort(answers)
		return answers, err
	}
	if answers, err := ask(t.Context(), 3, true); err != nil || !slices.Equal(answers, []string{"a 7", "b 7"}) {
		t.Errorf("got answers %q and %v, want those of a and b", answers, err)
	}
	if answers, err := ask(t.Context(), 3, false); err != nil || len(answers) != 1 {
		t.Errorf("got answers %q and %v, want one", answers, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	count := 0
	err = n.RequestAll(ctx, n.Subject("models"), []byte("7"), 4, func([]byte) bool {
		if count++; count == 2 {
			stop()
		}
		return true
	})
	if !errors.Is(err, context.Canceled) || count != 2 {
		t.Errorf("with a node that does not answer: got %d answers and %v, want two until the caller stops", count, err)
	}
	if err := n.RequestAll(t.Context(), n.Subject("nobody"), nil, 3, func([]byte) bool { return true }); !errors.Is(err, ErrNoResponder) {
		t.Errorf("without nodes: got %v, want ErrNoResponder", err)
	}
}
