package ledger

import (
	"context"
	"fmt"
	"iter"
)

// An Archive is a ledger that can be carried to another one, also to one of another kind.
type Archive interface {
	Ledger

	// Entries yields the opened ids and then the records, each in the order of their keys. Of a
	// ledger that is written to meanwhile it shows the ids that were opened when it began, every
	// record as it is when its turn comes, and none that was written first after that. Who opens
	// an id before writing its record and closes it after the last write finds each unfinished
	// record of the copy opened, and each that was finished meanwhile. An error ends it.
	Entries(ctx context.Context) iter.Seq2[Entry, error]

	// Load fills an empty ledger; one that has something it leaves alone and fails. Revisions
	// begin anew, and so does the time for which everything is kept. An error on the way leaves
	// what was loaded until then.
	Load(ctx context.Context, entries iter.Seq2[Entry, error]) error
}

// An Entry is a record or an opened id as it is stored.
type Entry struct {
	Key   string // as ParseKey reads it
	Value []byte // what Encode returned; of an opened id nothing
}

// Check returns the key of an entry, or an error unless it is one that a ledger can have.
func (e Entry) Check() (Key, error) {
	k, err := ParseKey(e.Key)
	if err != nil {
		return Key{}, err
	}
	if k.Open {
		return k, nil
	}
	r, err := Decode(e.Value)
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w", e.Key, err)
	}
	if r.ID != k.ID {
		return Key{}, fmt.Errorf("ledger: %s is the record of %d", e.Key, r.ID)
	}
	return k, nil
}
