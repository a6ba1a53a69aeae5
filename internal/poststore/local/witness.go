package local

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"earshot/internal/operate/disk"

	"github.com/cockroachdb/pebble/v2/vfs"

	"earshot"
)

// A witness describes the last synced commit to Pebble. It is stored outside Pebble, in the file
// "committed", because Pebble opens an older state without an error if the end of its MANIFEST or
// log is unreadable. A state that is older than the witness is damage; see [Open].
//
// The file has two slots, and commits alternate between them. A slot that is not completely written
// after a power loss therefore leaves the one of the commit before.
type witness struct {
	Commit       uint64           // counts synced commits
	Position     earshot.Position // everything up to this journal position is on disk
	Segments     uint64           // number of segments
	Revision     uint64           // revision of the catalog when it was written
	Installation string           // in hex; may be empty
}

const (
	witnessName  = "committed"
	witnessMagic = "ESHTPOST"
	witnessSlot  = 4096 // each slot is on a page of its own
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns a slot: magic, four numbers, the installation with its length, and a checksum.
func (w *witness) encode() []byte {
	b := []byte(witnessMagic)
	for _, n := range []uint64{w.Commit, uint64(w.Position), w.Segments, w.Revision} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = append(b, byte(len(w.Installation)))
	b = append(b, w.Installation...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeWitness decodes a slot. It returns false if the slot is not what encode returned.
func decodeWitness(b []byte) (w witness, ok bool) {
	const numbers = len(witnessMagic)
	const name = numbers + 4*8
	if len(b) < name+1 || string(b[:numbers]) != witnessMagic {
		return w, false
	}
	end := name + 1 + int(b[name])
	if len(b) < end+4 || crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return w, false
	}
	n := func(i int) uint64 { return binary.LittleEndian.Uint64(b[numbers+8*i:]) }
	return witness{n(0), earshot.Position(n(1)), n(2), n(3), string(b[name+1 : end])}, true
}

// A witnessState is the content of the file.
type witnessState struct {
	witness
	torn bool // the other slot is unreadable
}

// errNoWitness is returned if no slot is readable.
var errNoWitness = errors.New("both copies of the last commit are unreadable")

// readWitness reads the newest slot. It returns fs.ErrNotExist if there is no file.
func readWitness(dir string) (newest witnessState, err error) {
	data, err := os.ReadFile(filepath.Join(dir, witnessName))
	if err != nil {
		return newest, err
	}
	var found []witness
	for slot := range 2 {
		w, ok := decodeWitness(data[min(slot*witnessSlot, len(data)):min((slot+1)*witnessSlot, len(data))])
		if ok && int(w.Commit%2) == slot {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		return newest, errNoWitness
	}
	newest.witness = slices.MaxFunc(found, func(a, b witness) int { return cmp.Compare(a.Commit, b.Commit) })
	newest.torn = len(found) == 1 && newest.Commit > 0 || len(data) != 2*witnessSlot
	return newest, nil
}

// A witnessFile is the open file.
type witnessFile struct {
	f    vfs.File
	path string
}

// createWitness creates the file with both slots, or replaces it.
func createWitness(dir string, w witness) error {
	data := make([]byte, 2*witnessSlot)
	copy(data[w.Commit%2*witnessSlot:], w.encode())
	if w.Commit > 0 {
		before := w
		before.Commit--
		copy(data[before.Commit%2*witnessSlot:], before.encode())
	}
	return disk.Replace(filepath.Join(dir, witnessName), data)
}

func openWitness(dir string) (*witnessFile, error) {
	path := filepath.Join(dir, witnessName)
	f, err := vfs.Default.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	return &witnessFile{f, path}, err
}

// write replaces the older slot. The witness is on disk when it returns.
func (x *witnessFile) write(w witness) error {
	if _, err := x.f.WriteAt(w.encode(), int64(w.Commit%2)*witnessSlot); err != nil {
		return fmt.Errorf("write %s: %w", x.path, err)
	}
	return x.f.SyncData()
}

func (x *witnessFile) Close() error { return x.f.Close() }
