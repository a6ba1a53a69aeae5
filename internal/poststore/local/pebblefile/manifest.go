package pebblefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/record"
)

// A manifest is the state that the readable part of a MANIFEST describes.
type manifest struct {
	path         string
	clean        bool   // the file has been read to its end
	firstLog     uint64 // the oldest log that is not in tables yet
	lastSequence uint64
	tables       map[uint64]*table // live tables by number
	removed      map[uint64]bool   // tables that were removed
}

// A table is an entry of a MANIFEST.
type table struct {
	level             int
	size              int64
	smallest, largest []byte // user keys
}

// The fields of a change to the list of tables. See versionEdit in Pebble's internal/manifest.
const (
	tagComparer       = 1
	tagLogNumber      = 2
	tagNextFileNumber = 3
	tagLastSequence   = 4
	tagCompactPointer = 5
	tagDeletedTable   = 6
	tagPrevLogNumber  = 9
	tagNewTable2      = 100
	tagNewTable4      = 103
	tagNewTable5      = 104 // with range keys
	tagCreatedBacking = 105
	tagRemovedBacking = 106

	customTerminate  = 1
	customVirtual    = 66
	customBlobValues = 69
)

const manifestMarker = "marker.manifest."

// currentManifest returns the path of the MANIFEST that the newest marker file names, or "" if there
// is none.
func currentManifest(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var current string
	newest := -1
	for _, e := range entries {
		number, name, ok := strings.Cut(strings.TrimPrefix(e.Name(), manifestMarker), ".")
		if !strings.HasPrefix(e.Name(), manifestMarker) || !ok {
			continue
		}
		if n, err := strconv.Atoi(number); err == nil && n > newest {
			newest, current = n, filepath.Join(dir, name)
		}
	}
	return current, nil
}

// readManifest reads the current MANIFEST up to the first unreadable record. It returns nil if
// there is none.
func readManifest(dir string) (*manifest, error) {
	path, err := currentManifest(dir)
	if err != nil || path == "" {
		return nil, err
	}
	return readManifestFile(path)
}

// newestManifest returns the path of the MANIFEST with the highest number, or "" if there is none.
func newestManifest(dir string) (newest string, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "MANIFEST-*"))
	last := uint64(0)
	for _, path := range paths {
		n, err := strconv.ParseUint(strings.TrimPrefix(filepath.Base(path), "MANIFEST-"), 10, 64)
		if err == nil && n >= last {
			newest, last = path, n
		}
	}
	return newest, err
}

func readManifestFile(path string) (*manifest, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &DamageError{path, "it is missing"}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &manifest{path: path, tables: map[uint64]*table{}, removed: map[uint64]bool{}}
	r := record.NewReader(f, 0)
	for {
		data, err := nextRecord(r)
		switch {
		case err == io.EOF:
			m.clean = true
			return m, nil
		case isUnreadable(err):
			return m, nil
		case err != nil:
			return nil, err
		}
		if err := m.apply(data); err != nil {
			return nil, &DamageError{path, fmt.Sprintf("the record before offset %d is malformed: %v", r.Offset(), err)}
		}
	}
}

func isUnreadable(err error) bool {
	return errors.Is(err, record.ErrUnexpectedEOF) || errors.Is(err, record.ErrInvalidChunk) || errors.Is(err, record.ErrZeroedChunk)
}

// apply applies one change to the list of tables.
func (m *manifest) apply(data []byte) error {
	d := &fields{b: data}
	for len(d.b) > 0 && d.err == nil {
		switch tag := d.uvarint(); tag {
		case tagComparer:
			d.bytes()
		case tagLogNumber:
			m.firstLog = max(m.firstLog, d.uvarint())
		case tagNextFileNumber, tagPrevLogNumber, tagRemovedBacking:
			d.uvarint()
		case tagLastSequence:
			if n := d.uvarint(); n != 0 {
				m.lastSequence = n
			}
		case tagCompactPointer:
			d.uvarint()
			d.bytes()
		case tagCreatedBacking:
			d.uvarint()
			d.uvarint()
		case tagDeletedTable:
			level, number := int(d.uvarint()), d.uvarint()
			if t := m.tables[number]; t != nil && t.level == level {
				delete(m.tables, number)
				m.removed[number] = true
			}
		case tagNewTable2, tagNewTable4, tagNewTable5:
			m.add(d, tag)
		default:
			return fmt.Errorf("unknown field %d", tag)
		}
	}
	return d.err
}

// add reads the entry of a new table.
func (m *manifest) add(d *fields, tag uint64) {
	t := &table{level: int(d.uvarint())}
	number := d.uvarint()
	t.size = int64(d.uvarint())
	hasPoints := true
	if tag == tagNewTable5 {
		hasPoints = d.byte()&1 != 0
	}
	if hasPoints {
		t.smallest, t.largest = userKey(d.bytes()), userKey(d.bytes())
	}
	if tag == tagNewTable5 {
		d.bytes()
		d.bytes()
	}
	d.uvarint() // smallest and largest sequence number
	d.uvarint()
	if tag != tagNewTable2 {
		readCustom(d)
	}
	m.tables[number] = t
	delete(m.removed, number)
}

// readCustom skips the optional fields of a table.
func readCustom(d *fields) {
	for d.err == nil {
		switch tag := d.uvarint(); {
		case tag == customTerminate:
			return
		case tag == customVirtual:
			d.uvarint()
		case tag == customBlobValues:
			d.uvarint()
			for range d.uvarint() {
				if d.err != nil {
					return
				}
				d.uvarint()
				d.uvarint()
			}
		default:
			d.bytes()
		}
	}
}

// userKey returns an internal key without its 8-byte trailer.
func userKey(k []byte) []byte {
	if len(k) < 8 {
		return nil
	}
	return append([]byte{}, k[:len(k)-8]...)
}
