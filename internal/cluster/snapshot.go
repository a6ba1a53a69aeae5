package cluster

import (
	"encoding/json"
	"errors"
	"hash/crc32"

	"earshot"
)

// A snapshot is a checkpoint of a node's post store that another node copies. The other node sends
// requests, one at a time or several at once, and gets a response for each:
//
//	open                    makes the checkpoint; the response has its ID
//	read file offset        returns the next part of a file, at most chunkSize bytes, with a checksum
//	close                   removes it
//
// The file manifest.json lists all others. A node has at most one snapshot for each other node, and
// removes it if nobody reads it for two minutes.

// chunkSize fits into a message of any NATS server.
const chunkSize = 512 << 10

// manifestName is the name under which the manifest of a snapshot is read.
const manifestName = "manifest.json"

// A snapshotRequest is a request to the node that has the snapshot.
type snapshotRequest struct {
	Op     string // open, read, close
	Node   string // ID of the node that asks
	ID     string `json:",omitempty"` // of the snapshot; not for open
	File   string `json:",omitempty"` // for read
	Offset int64  `json:",omitempty"` // for read
}

// A snapshotOpened is the response to open.
type snapshotOpened struct {
	ID       string
	Manifest int64 // size in bytes
}

// A Manifest describes a snapshot.
type Manifest struct {
	Installation string
	Position     earshot.Position // of the journal, up to which the snapshot is complete
	Catalog      uint64           // revision of the catalog that the store may have seen
	Files        []SnapshotFile
}

// A SnapshotFile is one file of a snapshot.
type SnapshotFile struct {
	Name string // with slashes, relative to the snapshot
	Size int64
}

// Size returns the total size of the files.
func (m *Manifest) Size() (bytes int64) {
	for _, f := range m.Files {
		bytes += f.Size
	}
	return bytes
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sealChunk returns a chunk with its checksum.
func sealChunk(data []byte) []byte {
	sum := crc32.Checksum(data, castagnoli)
	return append([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}, data...)
}

var errChecksum = errors.New("a part of the snapshot was damaged in transit")

// openChunk is the inverse of sealChunk.
func openChunk(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, errChecksum
	}
	sum := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	if crc32.Checksum(b[4:], castagnoli) != sum {
		return nil, errChecksum
	}
	return b[4:], nil
}

// encode returns a request as it is sent.
func (r snapshotRequest) encode() []byte {
	text, _ := json.Marshal(r) // encoding strings and a number never fails
	return text
}
