package natsnode

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func TestAMissingStreamIsLookedUpAgainInACluster(t *testing.T) {
	for _, c := range []struct {
		name     string
		replicas int
		tries    int
		want     error
	}{
		{name: "cluster", replicas: 3, tries: 3},
		{name: "one server", replicas: 1, tries: 1, want: jetstream.ErrStreamNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := &Node{replicas: c.replicas}
			tries := 0
			err := node.Retry(t.Context(), func(context.Context) error {
				if tries++; tries < 3 {
					return jetstream.ErrStreamNotFound
				}
				return nil
			})
			if !errors.Is(err, c.want) || tries != c.tries {
				t.Errorf("%d tries, error %v; want %d and %v", tries, err, c.tries, c.want)
			}
		})
	}
}
