package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
)

// stores maps each implementation to a function that opens an empty store.
var stores = map[string]func(t *testing.T) kv.Store{
	"memory": func(*testing.T) kv.Store { return kv.NewMemory() },
	"bucket": func(t *testing.T) kv.Store {
		node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(node.Close)
		b, err := natsnode.OpenBucket(t.Context(), node, natsnode.BucketOptions{Name: catalog.BucketName})
		if err != nil {
			t.Fatal(err)
		}
		return b
	},
}

func TestCatalogWorksWithEveryStore(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { testCatalog(t, open(t)) })
	}
}

func testCatalog(t *testing.T, store kv.Store) {
	c, ctx := open(t, store), t.Context()
	id, err := c.NextIDs(ctx, 2)
	if err != nil || id != earshot.FirstID {
		t.Fatalf("NextIDs: got %d, %v", id, err)
	}
	acme, name := earshot.TeamID(id), catalog.UniqueName{Kind: "team", Text: "Acme"}
	if err := c.ReserveName(ctx, name, id, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Teams.Add(ctx, acme, &earshot.Team{ID: acme, Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Teams.Update(ctx, acme, func(team *earshot.Team) error { team.MonitorLimit = 5; return nil }); err != nil {
		t.Fatal(err)
	}
	blob, err := c.AddBlob(ctx, make([]byte, 2<<20))
	if err != nil {
		t.Fatal(err)
	}
	reopened := open(t, store)
	if got, ok := reopened.Teams.Find(acme); !ok || got.MonitorLimit != 5 {
		t.Errorf("team: got %+v, %v", got, ok)
	}
	if got, err := reopened.FindBlob(ctx, blob); err != nil || len(got) != 2<<20 || !slices.Equal(reopened.ListBlobs(), []int64{blob}) {
		t.Errorf("blob: got %d bytes, %v, and the list %v", len(got), err, reopened.ListBlobs())
	}
	if err := errors.Join(c.Teams.Remove(ctx, acme), c.ReleaseName(ctx, name, id), c.RemoveBlob(ctx, blob)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Teams.Update(ctx, acme, nil); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("update of a removed team: got %v, want ErrNotFound", err)
	}
	if got := open(t, store); len(got.Teams.List()) != 0 || len(got.ListBlobs()) != 0 {
		t.Errorf("after the removal: got teams %v and blobs %v", got.Teams.List(), got.ListBlobs())
	}
}

func TestDump(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { testDump(t, open(t)) })
	}
}

func testDump(t *testing.T, s kv.Store) {
	wantDump(t, s)
	revisions := make([]uint64, 50)
	for i := range revisions {
		revisions[i] = put(t, s, i, fmt.Sprint(i), 0)
	}
	var want []string
	for i, revision := range revisions {
		switch i % 3 {
		case 0:
			want = append(want, fmt.Sprintf("team.%d=%d", i, i))
		case 1:
			if err := s.Delete(t.Context(), fmt.Sprintf("team.%d", i), revision); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := 2; i < 50; i += 3 { // written again, so they are last in the dump
		put(t, s, i, "", revisions[i])
		want = append(want, fmt.Sprintf("team.%d=", i))
	}
	wantDump(t, s, want...)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := catalog.Dump(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("Dump with a canceled context: got %v, want %v", err, context.Canceled)
	}
}

func TestLoadFillsOnlyAnEmptyStore(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { testLoad(t, open(t)) })
	}
}

func testLoad(t *testing.T, s kv.Store) {
	entries := func(yield func(kv.Entry, error) bool) {
		for i := range 3 {
			if !yield(kv.Entry{Key: fmt.Sprintf("team.%d", i), Value: []byte{byte('a' + i)}, Revision: 77}, nil) {
				return
			}
		}
	}
	if err := catalog.Load(t.Context(), s, entries); err != nil {
		t.Fatal(err)
	}
	wantDump(t, s, "team.0=a", "team.1=b", "team.2=c")
	if err := catalog.Load(t.Context(), s, entries); err == nil || err.Error() != "load the catalog: it has 3 records" {
		t.Errorf("Load into a store with entries: got %v", err)
	}
	wantDump(t, s, "team.0=a", "team.1=b", "team.2=c")
}

func put(t *testing.T, s kv.Store, team int, value string, revision uint64) uint64 {
	t.Helper()
	revision, err := s.Put(t.Context(), fmt.Sprintf("team.%d", team), []byte(value), revision)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func wantDump(t *testing.T, s kv.Store, want ...string) {
	t.Helper()
	entries, err := catalog.Dump(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s=%s", e.Key, e.Value))
	}
	if !slices.Equal(got, want) {
		t.Errorf("Dump: got %v, want %v", got, want)
	}
}
