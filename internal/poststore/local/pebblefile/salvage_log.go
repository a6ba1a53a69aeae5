package pebblefile

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
)

// A logSource yields the entries of logs.
type logSource struct {
	entries []entry
	at      int
}

func (l *logSource) head() *entry {
	if l.at >= len(l.entries) {
		return nil
	}
	return &l.entries[l.at]
}

func (l *logSource) next() error { l.at++; return nil }

// readBatch adds the entries of a batch. It counts the changes between it and the batch before.
func (s *salvage) readBatch(to *logSource, batch []byte) {
	h, ok := batchrepr.ReadHeader(batch)
	if !ok {
		s.report.Missing++
		return
	}
	sequence := uint64(h.SeqNum)
	if s.next > 0 && sequence > s.next {
		s.report.Missing += sequence - s.next
	}
	r := batchrepr.Read(batch)
	for range h.Count {
		kind, key, value, ok, err := r.Next()
		if !ok || err != nil {
			s.report.Missing++
			return
		}
		if kind == pebble.InternalKeyKindRangeDelete {
			s.erased = append(s.erased, erasedRange{key, value, sequence})
		} else if deletes, err := isDeletion(kind); err == nil {
			to.entries = append(to.entries, entry{key, value, sequence, deletes})
		}
		sequence++
	}
	s.next = max(s.next, sequence)
}

// The format of logs: blocks of 32 KiB with chunks. A chunk has a checksum, a length, a type, the
// low bits of the log's number and, in newer logs, an offset up to which the log is synced.
const (
	logBlock       = 32 << 10
	shortHeader    = 11
	longHeader     = 19
	firstShortType = 5
	firstLongType  = 9
	lastLongType   = 12
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// scanLog calls visit with every complete record of a log and skips unreadable chunks. It reports
// whether all of the log is readable up to its end.
func scanLog(data []byte, number uint32, visit func(record []byte)) (clean bool) {
	var record []byte
	inRecord := false
	clean = true
	for block := 0; block < len(data); block += logBlock {
		rest := data[block:min(block+logBlock, len(data))]
		for len(rest) >= shortHeader {
			c, n := readChunk(rest, number)
			if n == 0 {
				break // the rest of the block is unreadable or empty
			}
			rest = rest[n:]
			switch {
			case c.end:
				return clean && !inRecord
			case !c.ok:
				clean, inRecord = false, false
				continue
			case c.first:
				record, inRecord = append([]byte{}, c.payload...), true
			case inRecord:
				record = append(record, c.payload...)
			}
			if c.last && inRecord {
				visit(record)
				inRecord = false
			}
		}
		if len(rest) >= longHeader {
			clean = false
		}
	}
	return clean && !inRecord
}

// A chunk is a part of a record.
type chunk struct {
	payload         []byte
	first, last, ok bool
	end             bool // marks the end of the log
}

// readChunk reads the chunk at the start of b and returns its size, or 0 if there is none. A chunk
// of another log is left over from before the file was recycled.
func readChunk(b []byte, number uint32) (c chunk, size int) {
	kind := b[6]
	header := longHeader
	if kind < firstLongType {
		header = shortHeader
	}
	if kind < firstShortType || kind > lastLongType || len(b) < header {
		return c, 0
	}
	length := int(binary.LittleEndian.Uint16(b[4:]))
	if len(b) < header+length {
		return c, 0
	}
	log := binary.LittleEndian.Uint32(b[7:])
	if log == number+1 && length == 0 {
		return chunk{end: true}, header
	}
	position := (kind - firstShortType) % 4 // full, first, middle, last
	c = chunk{payload: b[header : header+length], first: position <= 1, last: position == 0 || position == 3}
	c.ok = log == number && maskedCRC(b[6:header+length]) == binary.LittleEndian.Uint32(b)
	if !c.ok && log != number {
		return c, 0
	}
	return c, header + length
}

// maskedCRC is the checksum of chunks: a CRC that is rotated and offset.
func maskedCRC(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
