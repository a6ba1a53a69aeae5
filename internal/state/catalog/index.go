package catalog

import "sync"

// An Index finds records of a table by a value that no two records share. It follows the table, so
// that a change by another process takes effect, too. The zero value with Of set is ready to use.
type Index[ID ~int64, T any] struct {
	Of func(*T) string // the value of a record

	mu      sync.Mutex    // guards the fields below
	version uint64        // of the table
	ids     map[string]ID // by value
	values  map[ID]string // what ids has for each record
}

// Find returns the record with a value.
func (x *Index[ID, T]) Find(table *Table[ID, T], value string) (*T, bool) {
	id, ok := x.lookup(table, value)
	if !ok {
		return nil, false
	}
	return table.Find(id)
}

func (x *Index[ID, T]) lookup(table *Table[ID, T], value string) (ID, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ids == nil {
		x.ids, x.values = map[string]ID{}, map[ID]string{}
	}
	changed, version := table.Changes(x.version)
	for _, id := range changed {
		if old, ok := x.values[id]; ok {
			delete(x.ids, old)
			delete(x.values, id)
		}
		if r, ok := table.Find(id); ok {
			value := x.Of(r)
			x.ids[value], x.values[id] = id, value
		}
	}
	x.version = version
	id, ok := x.ids[value]
	return id, ok
}
