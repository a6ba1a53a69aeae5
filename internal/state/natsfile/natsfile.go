// Package natsfile reads the files of an embedded NATS server without the server, and finds damage
// in them.
//
// The server checks its files only when it has to rebuild its index. It then truncates the file at
// the first unreadable record, and silently loses all good records that follow. It also starts
// without complaint if a file is missing. This package runs before the server opens the files:
//
//	<dir>/acknowledged                               what must be there (package acklog)
//	<dir>/jetstream/$G/streams/JOURNAL/meta.inf      configuration of the stream, JSON
//	                                  /meta.sum      checksum of meta.inf
//	                                  /msgs/1.blk    a block: records, one after the other
//	                                  /msgs/2.blk    the next block
//	                                  /msgs/index.db index of the blocks, which the server can rebuild
//
// [Verify] compares the blocks with their checksums and with the acknowledgment log. [Plan] rebuilds
// damaged streams from every readable record, with the same sequence numbers.
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
	"fmt"
	"hash"

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

	Problem string // why the whole file cannot be read; empty otherwise

	// Torn reports whether the range ends the last block of the stream. A crash in the middle of a
	// write leaves such a range.
	Torn bool
}

// String describes the damage in one line.
func (d Damage) String() string {
	return d.File + ": " + d.problem()
}

func (d Damage) problem() string {
	if d.Problem != "" {
		return d.Problem
	}
	s := fmt.Sprintf("%d bytes at offset %d are unreadable", d.Length, d.Offset)
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
