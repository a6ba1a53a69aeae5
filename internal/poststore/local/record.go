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
// big-endian. The letter g was for single changes of figures: what there is of it is not read.
const (
	recSnapshot       = 'a' // monitor, date -> followers and likes of an account
	recCountersAt     = 'c' // -> journal position up to which it is known how figures changed
	recDayCounts      = 'n' // set, queryID, start, end -> counts of a day or a month; a cache
	recEverMatched    = 'e' // file -> rows that monitors have matched since it was written
	recSegment        = 'f' // file -> segmentRecord
	recInherited      = 'h' // journal position, segment.Key -> figures that a post of the entry has, also of the one it replaced
	recOverrideIndex  = 'i' // file -> monitors that have marks, and their versions
	recKey            = 'k' // segment.Key -> time of the post, seconds
	recUnmatched      = 'l' // monitor, seconds -> when a post of it was lost that it had then
	recOverride       = 'm' // file, monitor, version -> rows
	recState          = 'p' // -> stateRecord
	recGeneration     = 'r' // monitor -> stamp
	recChangedDay     = 's' // monitor, day -> changedDay
	recDeleted        = 't' // file -> rows that were deleted or replaced
	recModified       = 'u' // file -> when something of it last changed
	recChangeByTime   = 'v' // monitor, FigureChange.Time, Posted -> by how much figures grew
	recChangeByPosted = 'w' // monitor, FigureChange.Posted, Time -> the same
	recSetGen         = 'y' // category set -> its generation
	recQuarantined    = 'x' // file -> poststore.Quarantined
)

// oldCaches are the letters of caches that are no longer read. Their records are deleted.
var oldCaches = []byte{'d', 'D', 'Q'}

// recKind returns where the keys of a kind begin and where they end.
func recKind(letter byte) (from, to []byte) { return []byte{letter}, []byte{letter + 1} }

func recID(letter byte, ids ...uint64) []byte {
	b := append(make([]byte, 0, 1+8*len(ids)), letter)
	for _, id := range ids {
		b = binary.BigEndian.AppendUint64(b, id)
	}
	return b
}

// recSet returns where the keys of a kind and a monitor begin and where they end.
func recSet(letter byte, m poststore.SetID) (from, to []byte) {
	if next := uint64(m) + 1; next != 0 {
		return recID(letter, uint64(m)), recID(letter, next)
	}
	return recID(letter, uint64(m)), []byte{letter + 1}
}

// readID returns the nth number of a key.
func readID(key []byte, n int) uint64 { return binary.BigEndian.Uint64(key[1+8*n:]) }

func postKey(k segment.Key) []byte { return append([]byte{recKey}, k[:]...) }

// format is raised when an older Earshot cannot read what a newer one writes. Since 2
// posts have what models tell of them.
const format = 2

// A stateRecord says what is on disk. It is written together with what it speaks of.
type stateRecord struct {
	Format   int              `json:"format"`
	Position earshot.Position `json:"position"` // everything up to this journal position is here
	LastID   uint64           `json:"lastId"`
}

func (s *Store) setState(b *pebble.Batch, at earshot.Position) error {
	return putJSON(b, recID(recState), stateRecord{Format: format, Position: at, LastID: s.lastID.Load()})
}

// A segmentRecord makes a file exist. Times are in seconds since 1970: that of the oldest
// post, and the first whole second after the newest.
type segmentRecord struct {
	Rows  int   `json:"rows"`
	First int64 `json:"first"`
	After int64 `json:"after"`
	Plain bool  `json:"plain,omitempty"` // the posts are not compressed
}

// putIndex writes which monitors have marks in a file, so that the marks themselves, which
// are large, need not be read to know it.
func putIndex(b *pebble.Batch, id uint64, marks map[poststore.SetID]uint64) error {
	var data []byte
	for monitor, version := range marks {
		data = binary.AppendUvarint(data, uint64(monitor))
		data = binary.AppendUvarint(data, version)
	}
	return b.Set(recID(recOverrideIndex, id), data, nil)
}

func readIndex(data []byte) map[poststore.SetID]uint64 {
	marks := map[poststore.SetID]uint64{}
	for len(data) > 0 {
		monitor, n := binary.Uvarint(data)
		version, m := binary.Uvarint(data[max(n, 0):])
		if n <= 0 || m <= 0 {
			break
		}
		marks[poststore.SetID(monitor)] = version
		data = data[n+m:]
	}
	return marks
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
