package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"earshot/internal/state/catalog"
)

func dump(t *testing.T, s catalog.Store) {
	wantDump(t, s)
	for i := range 50 {
		put(t, s, fmt.Sprintf("team.%d", i), fmt.Sprint(i), 0)
	}
	var want []string
	for i := range 50 {
		key := fmt.Sprintf("team.%d", i)
		r, err := s.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 0:
			want = append(want, fmt.Sprint(key, "=", i))
		case 1:
			if err := s.Delete(t.Context(), key, r.Revision); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := 2; i < 50; i += 3 { // written again, so they come last
		key := fmt.Sprintf("team.%d", i)
		r, err := s.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		put(t, s, key, "", r.Revision)
		want = append(want, key+"=")
	}
	wantDump(t, s, want...)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := catalog.Dump(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("Dump with a context that has ended: got %v, want %v", err, context.Canceled)
	}
}

func load(t *testing.T, s catalog.Store) {
	records := func(yield func(catalog.Record, error) bool) {
		for i := range 3 {
			if !yield(catalog.Record{Key: fmt.Sprintf("team.%d", i), Value: []byte{byte('a' + i)}, Revision: 77}, nil) {
				return
			}
		}
	}
	if err := catalog.Load(t.Context(), s, records); err != nil {
		t.Fatal(err)
	}
	wantDump(t, s, "team.0=a", "team.1=b", "team.2=c")
	if err := catalog.Load(t.Context(), s, records); err == nil || err.Error() != "load the catalog: it has 3 records" {
		t.Errorf("Load into a store with records: got %v", err)
	}
	wantDump(t, s, "team.0=a", "team.1=b", "team.2=c")
}

func wantDump(t *testing.T, s catalog.Store, want ...string) {
	t.Helper()
	records, err := catalog.Dump(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records {
		got = append(got, fmt.Sprintf("%s=%s", r.Key, r.Value))
	}
	if !slices.Equal(got, want) {
		t.Errorf("Dump: got %v, want %v", got, want)
	}
}
