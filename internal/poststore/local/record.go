package local

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// What Pebble holds. A key is a letter and, where the table says so, numbers of 8 bytes,
// big-endian: "t" 0000000000000007 has the deleted rows of segment 7. Records with the letter g are
// of an earlier version, and are not read.
const (
	recSnapshot       = 'a' // monitor, date -> followers and likes of an account
	recCountersAt     = 'c' // -> journal position up to which changes of counters are recorded
	recEverMatched    = 'e' // segment -> rows that monitors have matched since it was written
	recSegment        = 'f' // segment -> segmentRecord
	recInherited      = 'h' // journal position, segment.Key -> counters a post inherits from the version it replaces
	recOverrideIndex  = 'i' // segment -> sets that have overrides, and their versions
	recKey            = 'k' // segment.Key -> time of the post, seconds
	recUnmatched      = 'l' // set, post time -> when the set lost a post of that time
	recOverride       = 'm' // segment, set, version -> rows
	recDayCounts      = 'n' // set, queryID, start, end -> counts of a day or a month; a cache
	recState          = 'p' // -> stateRecord
	recGeneration     = 'r' // set -> generation of its rule
	recChangedDay     = 's' // set, start, end -> changedDay
	recDeleted        = 't' // segment -> rows that were deleted or replaced
	recModified       = 'u' // segment -> when it was last modified
	recChangeByTime   = 'v' // set, CounterChange.Time, Posted -> sum of the changes
	recChangeByPosted = 'w' // set, CounterChange.Posted, Time -> the same
	recQuarantined    = 'x' // segment -> poststore.Quarantined
	recSetGen         = 'y' // category set -> its generation
)

// oldCaches are the letters of caches that are no longer read. Their records are deleted.
var oldCaches = []byte{'d', 'D', 'Q'}

// recKind returns the bounds of the keys of a kind.
func recKind(letter byte) (from, to []byte) { return []byte{letter}, []byte{letter + 1} }

func recID(letter byte, ids ...uint64) []byte {
	b := append(make([]byte, 0, 1+8*len(ids)), letter)
	for _, id := range ids {
		b = binary.BigEndian.AppendUint64(b, id)
	}
	return b
}

// recSet returns the bounds of the keys of a kind and a set.
func recSet(letter byte, set poststore.SetID) (from, to []byte) {
	if next := uint64(set) + 1; next != 0 {
		return recID(letter, uint64(set)), recID(letter, next)
	}
	return recID(letter, uint64(set)), []byte{letter + 1}
}

// readID returns number n of a key.
func readID(key []byte, n int) uint64 { return binary.BigEndian.Uint64(key[1+8*n:]) }

func postKey(k segment.Key) []byte { return append([]byte{recKey}, k[:]...) }

// format is raised when an older Earshot cannot read what a newer one writes. Since 2 posts have
// inferred attributes.
const format = 2

// A stateRecord says what is on disk. It is written together with what it describes.
type stateRecord struct {
	Format   int              `json:"format"`
	Position earshot.Position `json:"position"` // everything up to this journal position is here
	LastID   uint64           `json:"lastId"`
}

func (s *Store) setState(b *pebble.Batch, at earshot.Position) error {
	return putJSON(b, recID(recState), stateRecord{Format: format, Position: at, LastID: s.lastID.Load()})
}

// A segmentRecord makes a segment exist. Times are in seconds since 1970: that of the oldest post,
// and the first full second after the newest.
type segmentRecord struct {
	Rows  int   `json:"rows"`
	First int64 `json:"first"`
	After int64 `json:"after"`
	Plain bool  `json:"plain,omitempty"` // the posts are not compressed
}

// putIndex writes which sets are overridden in a segment, so that the overrides themselves, which
// are large, need not be read to know it.
func putIndex(b *pebble.Batch, id uint64, overrides map[poststore.SetID]uint64) error {
	var data []byte
	for set, version := range overrides {
		data = binary.AppendUvarint(data, uint64(set))
		data = binary.AppendUvarint(data, version)
	}
	return b.Set(recID(recOverrideIndex, id), data, nil)
}

func readIndex(data []byte) map[poststore.SetID]uint64 {
	overrides := map[poststore.SetID]uint64{}
	for len(data) > 0 {
		set, n := binary.Uvarint(data)
		version, m := binary.Uvarint(data[max(n, 0):])
		if n <= 0 || m <= 0 {
			break
		}
		overrides[poststore.SetID(set)] = version
		data = data[n+m:]
	}
	return overrides
}

// get returns a copy of a value, nil when there is none.
func get(db pebble.Reader, key []byte) ([]byte, error) {
	value, closer, err := db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return append([]byte{}, value...), nil
}

func putJSON(b *pebble.Batch, key []byte, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return b.Set(key, data, nil)
}

func putRows(b *pebble.Batch, key []byte, rows *roaring.Bitmap) error {
	rows = rows.Clone()
	rows.RunOptimize()
	data, err := rows.ToBytes()
	if err != nil {
		return err
	}
	return b.Set(key, data, nil)
}

// getRows returns a set of rows, an empty one when there is none.
func getRows(db pebble.Reader, key []byte) (*roaring.Bitmap, error) {
	data, err := get(db, key)
	if err != nil || data == nil {
		return roaring.New(), err
	}
	return readRows(data)
}

// readRows reads a set of rows. It keeps data.
func readRows(data []byte) (*roaring.Bitmap, error) {
	rows := roaring.New()
	if _, err := rows.FromUnsafeBytes(data); err != nil {
		return nil, fmt.Errorf("read a set of rows: %w", err)
	}
	return rows, nil
}

// each calls visit with every key and value of a kind.
func each(db pebble.Reader, letter byte, visit func(key, value []byte) error) (err error) {
	from, to := recKind(letter)
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := visit(it.Key(), value); err != nil {
			return err
		}
	}
	return it.Error()
}
