// Package natsfile reads the files of an embedded NATS server without the server, and finds damage
// in them.
//
// The server checks its files only when it has to rebuild its index. It then truncates the file at
// the first unreadable record, and silently loses all good records that follow. This package runs
// before the server opens the files:
//
//	<dir>/jetstream/$G/streams/JOURNAL/meta.inf      configuration of the stream, JSON
//	                                  /msgs/1.blk    a block: records, one after the other
//	                                  /msgs/2.blk    the next block
//
// A record is a header, the subject, the headers and data of a message, and a checksum:
//
//	length u32 | sequence u64 | time i64 | subject length u16 | subject | [header length u32 | header] | data | hash u64
//
// All integers are little-endian. The top bit of the length is set if the message has headers. The
// hash is a HighwayHash of everything after the length, except for the two other lengths. Its key
// is derived from the name of the stream and the number of the block, so a record of another block
// does not pass for one of this block.
//
// After damage, the reader looks for the next offset at which a record with a valid hash begins.
package natsfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

const (
	headerSize = 22 // length, sequence, time and subject length
	hashSize   = 8

	// maxRecord is the length above which the server takes a record for damaged.
	maxRecord = 32 << 20

	// maxSequence is more than any stream reaches. Checking it first spares the search for the next
	// record nearly all hashes in a block of random bytes, which would take minutes.
	maxSequence = 1 << 48

	hasHeaders = 1 << 31 // bit of the length
	erased     = 1 << 63 // bit of the sequence: the message was deleted in place
	tombstone  = 1 << 62 // bit of the sequence: the record deletes a message of an earlier block
)

// A Record is an intact record of a block.
type Record struct {
	Sequence uint64
	Time     int64 // nanoseconds since 1970
	Subject  string
	Header   []byte // of the message; shares memory with the block
	Data     []byte // likewise

	Deleted bool // the record says that the message with its sequence is deleted
	Offset  int64
}

// Damage is a range of a block that cannot be read.
type Damage struct {
	File   string
	Offset int64
	Length int64

	After  uint64 // sequence of the last intact record before it; 0: none in this block
	Before uint64 // sequence of the first intact record after it; 0: none in this block

	// Torn reports whether the range ends the last block of the stream. A crash in the middle of a
	// write leaves such a range.
	Torn bool
}

// String describes the damage in one line.
func (d Damage) String() string {
	s := fmt.Sprintf("%s: %d bytes at offset %d are unreadable", d.File, d.Length, d.Offset)
	switch {
	case d.After > 0 && d.Before > 0:
		s += fmt.Sprintf(", between sequences %d and %d", d.After, d.Before)
	case d.After > 0:
		s += fmt.Sprintf(", after sequence %d", d.After)
	case d.Before > 0:
		s += fmt.Sprintf(", before sequence %d", d.Before)
	}
	return s
}

// A Stream is the directory of a stream.
type Stream struct {
	Name string
	dir  string
}

// Streams lists the streams in the directory of a server, by name. There are none in a directory
// that no server has used yet.
func Streams(dir string) ([]Stream, error) {
	parent := filepath.Join(dir, "jetstream", "$G", "streams")
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var streams []Stream
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		s := Stream{dir: filepath.Join(parent, e.Name())}
		if s.Name, err = streamName(s.dir); err != nil {
			return nil, err
		}
		streams = append(streams, s)
	}
	return streams, nil
}

// streamName reads the name of a stream from its configuration.
func streamName(dir string) (string, error) {
	path := filepath.Join(dir, "meta.inf")
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var meta struct{ Name string }
	if err := json.Unmarshal(b, &meta); err != nil || meta.Name == "" {
		return "", fmt.Errorf("%s is damaged: it does not name the stream", path)
	}
	if meta.Name != filepath.Base(dir) {
		return "", fmt.Errorf("%s is damaged: it names the stream %q", path, meta.Name)
	}
	return meta.Name, nil
}

// Check reads all blocks of the stream, calls visit with every intact record in the order of the
// files, and returns the damage. visit may be nil.
func (s Stream) Check(visit func(Record)) ([]Damage, error) {
	blocks, err := s.blocks()
	if err != nil {
		return nil, err
	}
	var all []Damage
	for i, number := range blocks {
		path := filepath.Join(s.dir, "msgs", fmt.Sprintf("%d.blk", number))
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r := reader{path: path, buf: b, hash: s.blockHash(number)}
		r.read(visit)
		if n := len(r.damage); n > 0 && i == len(blocks)-1 {
			last := &r.damage[n-1]
			last.Torn = last.Offset+last.Length == int64(len(b))
		}
		all = append(all, r.damage...)
	}
	return all, nil
}

// blocks returns the numbers of the blocks in ascending order.
func (s Stream) blocks() ([]uint64, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "msgs"))
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, e := range entries {
		name, isBlock := strings.CutSuffix(e.Name(), ".blk")
		if number, err := strconv.ParseUint(name, 10, 32); isBlock && err == nil {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func (s Stream) blockHash(number uint64) hash.Hash64 {
	key := sha256.Sum256(fmt.Appendf(nil, "%s-%d", s.Name, number))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	return h
}

// A reader reads one block.
type reader struct {
	path   string
	buf    []byte
	hash   hash.Hash64
	sum    [hashSize]byte
	damage []Damage
}

func (r *reader) read(visit func(Record)) {
	var last uint64
	for at := 0; at < len(r.buf); {
		record, length, ok := r.record(at)
		if !ok {
			from := at
			for at++; at < len(r.buf); at++ {
				if record, length, ok = r.record(at); ok {
					break
				}
			}
			d := Damage{File: r.path, Offset: int64(from), Length: int64(at - from), After: last}
			if ok {
				d.Before = record.Sequence
			}
			r.damage = append(r.damage, d)
			if !ok {
				return
			}
		}
		last = record.Sequence
		if visit != nil {
			visit(record)
		}
		at += length
	}
}

// record reads the record at an offset, if there is an intact one.
func (r *reader) record(at int) (record Record, length int, ok bool) {
	b := r.buf[at:]
	if len(b) < headerSize+hashSize {
		return record, 0, false
	}
	rawLength := binary.LittleEndian.Uint32(b)
	length = int(rawLength &^ hasHeaders)
	subjectLength := int(binary.LittleEndian.Uint16(b[20:]))
	body := headerSize + subjectLength // where the message begins
	if rawLength&hasHeaders != 0 {
		body += 4
	}
	sequence := binary.LittleEndian.Uint64(b[4:])
	if length > maxRecord || length > len(b) || body > length-hashSize || sequence&^(erased|tombstone) > maxSequence {
		return record, 0, false
	}
	r.hash.Reset()
	r.hash.Write(b[4:20])
	r.hash.Write(b[headerSize : headerSize+subjectLength])
	r.hash.Write(b[body : length-hashSize])
	if !bytes.Equal(r.hash.Sum(r.sum[:0]), b[length-hashSize:length]) {
		return record, 0, false
	}
	record = Record{
		Sequence: sequence &^ (erased | tombstone),
		Time:     int64(binary.LittleEndian.Uint64(b[12:])),
		Subject:  string(b[headerSize : headerSize+subjectLength]),
		Data:     b[body : length-hashSize],
		Deleted:  sequence&(erased|tombstone) != 0,
		Offset:   int64(at),
	}
	if rawLength&hasHeaders != 0 {
		// The hash does not cover the length of the headers.
		n := int64(binary.LittleEndian.Uint32(b[body-4:]))
		if n > int64(len(record.Data)) || !isHeader(record.Data[:n]) {
			return record, 0, false
		}
		record.Header, record.Data = record.Data[:n], record.Data[n:]
	}
	return record, length, true
}

// isHeader reports whether b is a complete block of headers, as the server stores it.
func isHeader(b []byte) bool {
	const end = "\r\n\r\n"
	return bytes.HasPrefix(b, []byte("NATS/1.0")) && bytes.Index(b, []byte(end)) == len(b)-len(end)
}
