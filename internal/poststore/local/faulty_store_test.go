package local

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
	"earshot/internal/poststore/memory"
	"earshot/internal/poststore/storetest"
	"earshot/internal/test/testenv"
)

// TestLikeMemoryWithPowerLoss compares the memory store with a store that crashes during flushes
// and loses data that was not synced.
func TestLikeMemoryWithPowerLoss(t *testing.T) {
	testenv.SkipUnderRace(t)
	storetest.Compare(t, func(t *testing.T) poststore.Store { return &faultyStore{newRestless(t, roundSeed(t))} },
		func(*testing.T) poststore.Store { return memory.New() }, 5, 10)
}

// A faultyStore is a restless store whose flushes are often interrupted.
type faultyStore struct{ *restless }

func (u *faultyStore) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	err := u.restless.Append(ctx, at, posts)
	u.breakOff()
	return err
}

func (u *faultyStore) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	err := u.restless.Delete(ctx, at, d)
	u.breakOff()
	return err
}

func (u *faultyStore) AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, figures []earshot.Snapshot) error {
	err := u.restless.AddSnapshots(ctx, at, m, figures)
	u.breakOff()
	return err
}

func (u *faultyStore) Reinfer(ctx context.Context, v poststore.Reinfer) error {
	err := u.restless.Reinfer(ctx, v)
	u.breakOff()
	return err
}

func (u *faultyStore) Rematch(ctx context.Context, m poststore.Rematch) error {
	err := u.restless.Rematch(ctx, m)
	u.breakOff()
	return err
}

// breakOff starts a flush, does not finish it, and crashes.
func (u *faultyStore) breakOff() {
	u.t.Helper()
	if u.IntN(2) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.Store.stop()
	u.Store.running.Wait()
	before := filepath.Join(u.t.TempDir(), "before")
	if err := u.db.Checkpoint(before); err != nil {
		u.t.Fatal(err)
	}
	u.flushPartly()
	u.crash()
	if u.IntN(2) == 0 {
		u.losePower(before)
	}
	u.open()
	u.replay()
}

func (u *faultyStore) state() string { return filepath.Join(u.dir, "state") }

// flushPartly performs some steps of a flush, but never the last one, which would commit it.
func (u *faultyStore) flushPartly() {
	u.t.Helper()
	f := u.beginFlush()
	if f == nil || u.IntN(3) == 0 {
		return
	}
	made, _, err := u.compactInto(u.t.Context(), f.inMemory, nil, segment.Options{})
	if err != nil {
		u.t.Fatal(err)
	}
	if made != nil {
		made.data.Close()
	}
	if u.IntN(3) == 0 {
		return
	}
	if err := u.writeKeys(f); err != nil {
		u.t.Fatal(err)
	}
}

// losePower discards what was written but not synced. From the database, it discards everything
// since the copy was made.
func (u *faultyStore) losePower(before string) {
	u.t.Helper()
	if err := os.RemoveAll(u.state()); err != nil {
		u.t.Fatal(err)
	}
	if err := os.Rename(before, u.state()); err != nil {
		u.t.Fatal(err)
	}
}
