package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/storecopy"
)

// A CopySource is an empty store to fill and then copy from.
type CopySource struct {
	poststore.Store
	Export func() poststore.Exporter // called after the last change
}

// A CopyTarget is an empty store to copy to.
type CopyTarget struct {
	Import func() poststore.Importer // called for each attempt, as by a new process
	Open   func() poststore.Store    // called after the copy
}

// Copy checks that copies are exact. Each round makes random changes to a source and to the reference
// and copies the source. The copy is interrupted again and again: before a part, and after the target
// has it but the caller does not know. Afterward the target must return the same results as the
// reference, also after further changes.
func Copy(t *testing.T, source func(t *testing.T) CopySource, target func(t *testing.T) CopyTarget, reference func(t *testing.T) poststore.Store, rounds int) {
	for seed := range rounds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			from, to := source(t), target(t)
			r := newRandom(t, uint64(seed))
			p := &pair{T: t, random: r, store: from, reference: reference(t), times: changeLog{told: map[timeRange]time.Time{}}}
			for range 10 + p.IntN(10) {
				p.change()
				p.queryOthers()
			}
			p.copy(from.Export(), to)
			p.store, p.times.told = to.Open(), map[timeRange]time.Time{}
			for i := range 8 {
				if i > 0 {
					p.change()
				}
				if got, want := p.state(p.store), p.state(p.reference); got != want {
					p.Fatalf("got %s, want %s like the reference", got, want)
				}
				for range 15 {
					p.query()
				}
				for range 10 {
					p.queryOthers()
				}
			}
		})
	}
}

// copy copies a store with interruptions.
func (p *pair) copy(from poststore.Exporter, to CopyTarget) {
	p.Helper()
	chunk := 1 + p.IntN(40)
	for attempt := 0; ; attempt++ {
		i := &interruptedImport{Importer: to.Import(), left: 1 + p.IntN(4), executed: p.IntN(2) == 0}
		posts, err := storecopy.Copy(p.Context(), storecopy.Options{Source: from, Target: i, Installation: "test", Chunk: chunk})
		switch {
		case err == nil:
			stats, err := p.reference.Stats(p.Context())
			if err != nil || posts != stats.Posts {
				p.Fatalf("copied %d posts, want %d; %v", posts, stats.Posts, err)
			}
			if attempt == 0 {
				p.Fatal("the copy was not interrupted")
			}
			return
		case !errors.Is(err, errInterrupted):
			p.Fatal(err)
		}
	}
}

var errInterrupted = errors.New("interrupted")

// An interruptedImport fails after some calls. It executes the one that fails, or does not.
type interruptedImport struct {
	poststore.Importer
	left     int
	executed bool
}

func (i *interruptedImport) call(do func() error) error {
	if i.left--; i.left > 0 {
		return do()
	}
	if i.executed {
		if err := do(); err != nil {
			return err
		}
	}
	return errInterrupted
}

// Import implements poststore.Importer.
func (i *interruptedImport) Import(ctx context.Context, p poststore.CopyPart) error {
	return i.call(func() error { return i.Importer.Import(ctx, p) })
}

// Finish implements poststore.Importer.
func (i *interruptedImport) Finish(ctx context.Context, at earshot.Position, next poststore.Checkpoint) error {
	return i.call(func() error { return i.Importer.Finish(ctx, at, next) })
}
