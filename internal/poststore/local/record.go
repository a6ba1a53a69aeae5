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

// The records in Pebble. A key consists of a letter and the parts listed below; numbers are 8
// bytes, big-endian. For example, "t" 0000000000000007 contains the deleted rows of segment 7. An
// earlier version wrote records with the letter g, which are no longer read.
const (
	recSnapshot       = 'a' // monitor, date -> snapshotRecord
	recCopy           = 'b' // -> poststore.Checkpoint; only while posts are copied from another store
	recCountersAt     = 'c' // -> journal position up to which counter changes are recorded
	recEverMatched    = 'e' // segment -> rows that a monitor has matched since the segment was written
	recSegment        = 'f' // segment -> segmentRecord
	recInherited      = 'h' // journal position, segment.Key -> counters a post inherits from the version it replaces
	recOverrideIndex  = 'i' // segment -> overridden sets and the versions of their overrides
	recDeletion       = 'j' // journal position -> earshot.Deletion; only while segments are quarantined
	recKey            = 'k' // segment.Key -> time of the post, seconds
	recUnmatched      = 'l' // set, post time -> when a post of that time left the set
	recOverride       = 'm' // segment, set, version -> rows of the set
	recDayCounts      = 'n' // set, enginekit.QueryID, start, end -> cached counts of a day or month
	recObsolete       = 'o' // segment -> nothing; its file can be removed unless a segmentRecord exists
	recState          = 'p' // -> stateRecord
	recGeneration     = 'r' // set -> generation of its rule
	recChangedDay     = 's' // set, start, end -> changedDay
	recDeleted        = 't' // segment -> deleted and replaced rows
	recModified       = 'u' // segment -> when it was last modified
	recChangeByTime   = 'v' // set, CounterChange.Time, Posted -> sum of the changes
	recChangeByPosted = 'w' // set, CounterChange.Posted, Time -> sum of the changes
	recQuarantined    = 'x' // segment -> poststore.Quarantined
	recSetGen         = 'y' // category set -> its generation
)

// oldCaches are the letters of caches of earlier versions. Their records are deleted on startup.
var oldCaches = []byte{'d', 'D', 'Q'}

// recKind returns the bounds of the keys that start with a letter.
func recKind(letter byte) (from, to []byte) { return []byte{letter}, []byte{letter + 1} }

func recID(letter byte, ids ...uint64) []byte {
	b := append(make([]byte, 0, 1+8*len(ids)), letter)
	for _, id := range ids {
		b = binary.BigEndian.AppendUint64(b, id)
	}
	return b
}

// recSet returns the bounds of the keys that start with a letter and a set.
func recSet(letter byte, set poststore.SetID) (from, to []byte) {
	if next := uint64(set) + 1; next != 0 {
		return recID(letter, uint64(set)), recID(letter, next)
	}
	return recID(letter, uint64(set)), []byte{letter + 1}
}

// readID returns the nth number in a key, counting from 0.
func readID(key []byte, n int) uint64 { return binary.BigEndian.Uint64(key[1+8*n:]) }

func postKey(k segment.Key) []byte { return append([]byte{recKey}, k[:]...) }

// Format is the number of the format of a data directory, which the state record contains. Every
// version refuses a directory with a higher number than its own, before it writes anything. The
// number must be raised when a kind of file or record is added that older versions would not
// maintain, or when they could not read what newer ones write: docs/decisions/0074-data-formats.md.
//
//	1  posts in segments
//	2  inferred attributes
//	3  the acknowledgment log, the witness, and the checksum of the secret, which some versions with
//	   format 2 do not maintain
const Format = 3

// A newerFormatError means that a newer version of Earshot has written the data.
type newerFormatError int

func (e newerFormatError) Error() string {
	return fmt.Sprintf("a newer version of Earshot has written this data (format %d, and this version knows formats up to %d). "+
		"Nothing was changed. Please start the newer version, or restore a backup that this version has made", int(e), Format)
}

// A stateRecord describes what is on disk. Every synced commit writes it, and then a [witness].
type stateRecord struct {
	Format       int              `json:"format"`
	Position     earshot.Position `json:"position"` // everything up to this journal position is on disk
	LastID       uint64           `json:"lastId"`
	Commit       uint64           `json:"commit,omitempty"`       // counts synced commits; 0: written by an earlier version
	Segments     int              `json:"segments,omitempty"`     // number of segmentRecords
	Installation string           `json:"installation,omitempty"` // see Options
	Revision     uint64           `json:"revision,omitempty"`     // see Options.CatalogRevision
}

// decodeState decodes a state record. Without data, it returns the record of a new store.
func decodeState(data []byte) (stateRecord, error) {
	state := stateRecord{Format: Format}
	if data == nil {
		return state, nil
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return state, fmt.Errorf("read state record: %w", err)
	}
	if state.Format > Format {
		return state, newerFormatError(state.Format)
	}
	return state, nil
}

// A segmentRecord exists for each segment on disk. First is the time of the oldest post and After
// the first full second after the newest, both in Unix seconds.
type segmentRecord struct {
	Rows     int    `json:"rows"`
	First    int64  `json:"first"`
	After    int64  `json:"after"`
	Plain    bool   `json:"plain,omitempty"`    // the posts are not compressed
	Checksum uint32 `json:"checksum,omitempty"` // of the file; 0: not recorded by an earlier version
}

// matches returns an error if a file is not the one that the record describes.
func (r *segmentRecord) matches(f *segment.Segment) error {
	if f.Rows() != r.Rows {
		return fmt.Errorf("segment %s has %d posts, want %d", f.Path(), f.Rows(), r.Rows)
	}
	if r.Checksum != 0 && f.Checksum() != r.Checksum {
		return fmt.Errorf("segment %s is a different file than the one that was written", f.Path())
	}
	return nil
}

// putIndex records which sets are overridden in a segment. The overrides themselves are large, and
// the index avoids reading them on startup.
func putIndex(b *pebble.Batch, id uint64, overrides map[poststore.SetID]uint64) error {
	var data []byte
	for set, version := range overrides {
		data = binary.AppendUvarint(data, uint64(set))
		data = binary.AppendUvarint(data, version)
	}
	return b.Set(recID(recOverrideIndex, id), data, nil)
}

func readIndex(data []byte) (map[poststore.SetID]uint64, error) {
	overrides := map[poststore.SetID]uint64{}
	for len(data) > 0 {
		set, n := binary.Uvarint(data)
		version, m := binary.Uvarint(data[max(n, 0):])
		if n <= 0 || m <= 0 {
			return nil, fmt.Errorf("decode overridden sets: %d bytes left", len(data))
		}
		overrides[poststore.SetID(set)] = version
		data = data[n+m:]
	}
	return overrides, nil
}

// get returns a copy of a value, or nil if there is none.
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

// getRows returns the rows stored under a key, or an empty bitmap.
func getRows(db pebble.Reader, key []byte) (*roaring.Bitmap, error) {
	data, err := get(db, key)
	if err != nil || data == nil {
		return roaring.New(), err
	}
	return readRows(data)
}

// readRows decodes rows. The result shares memory with data.
func readRows(data []byte) (*roaring.Bitmap, error) {
	rows := roaring.New()
	if _, err := rows.FromUnsafeBytes(data); err != nil {
		return nil, fmt.Errorf("decode rows: %w", err)
	}
	return rows, nil
}

// each calls visit for every record whose key starts with a letter.
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
