package clickhouse

import (
	"testing"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/poststore/memory"
	"earshot/internal/poststore/storetest"
)

// openStore returns an empty store.
func openStore(t *testing.T) *Store {
	t.Helper()
	server := chtest.Open(t)
	client, err := chhttp.New(chhttp.Options{URL: server.URL, Database: server.Database})
	check(t, err)
	check(t, Migrate(t.Context(), client, Topology{}, nil))
	s, err := Open(t.Context(), Options{Client: client})
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

func TestContract(t *testing.T) {
	storetest.RunInTurn(t, func(t *testing.T) poststore.Store { return openStore(t) })
}

func TestCompareWithMemory(t *testing.T) {
	open := func(t *testing.T) poststore.Store {
		s := openStore(t)
		s.known.mu.Lock()
		s.known.from = 0 // filter the keys from the first post on
		s.known.mu.Unlock()
		return s
	}
	storetest.Compare(t, open, func(*testing.T) poststore.Store { return memory.New() }, 1, 100)
}
