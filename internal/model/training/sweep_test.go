package training

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// TestRunSweepSparesWhatAnotherNodeWrites has one node sweep while another has written a blob that it
// is about to reference.
func TestRunSweepSparesWhatAnotherNodeWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records, log := kv.NewMemory(), slog.New(slog.DiscardHandler)
		var nodes []*Service
		for range 2 {
			c, err := catalog.Open(t.Context(), records, log)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			nodes = append(nodes, &Service{Catalog: c, Log: log, Now: time.Now})
		}
		add := func() int64 {
			id, err := nodes[1].Catalog.AddBlob(t.Context(), []byte("training posts"))
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		if err := nodes[1].Catalog.Monitors.Add(t.Context(), 1, &earshot.Monitor{ID: 1, Type: earshot.Opinion}); err != nil {
			t.Fatal(err)
		}
		lost, late := add(), add()
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { nodes[0].RunSweep(ctx) })
		defer running.Wait()
		defer stop()

		time.Sleep(sweepWait - time.Second)
		if _, err := nodes[1].Catalog.Monitors.Update(t.Context(), 1, func(m *earshot.Monitor) error {
			m.Training.Documents = late
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		fresh := add()
		synctest.Wait()
		if got, want := nodes[0].Catalog.ListBlobs(), []int64{lost, late, fresh}; !slices.Equal(got, want) {
			t.Errorf("before the first hour has passed: got blobs %v, want %v", got, want)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got, want := nodes[0].Catalog.ListBlobs(), []int64{late, fresh}; !slices.Equal(got, want) {
			t.Errorf("after an hour: got blobs %v, want %v", got, want)
		}
		time.Sleep(sweepWait)
		synctest.Wait()
		if got, want := nodes[0].Catalog.ListBlobs(), []int64{late}; !slices.Equal(got, want) {
			t.Errorf("after two hours: got blobs %v, want %v", got, want)
		}
	})
}
