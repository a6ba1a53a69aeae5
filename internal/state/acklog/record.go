package acklog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// The kinds of records.
const (
	kindInstallation = 'i' // subject: ID; the first record of a file
	kindStream       = 's' // properties of a stream
	kindMessage      = 'm' // an acknowledged message
	kindDeletion     = 'd' // an acknowledged message that deletes the entry of its subject
	kindLast         = 'l' // the highest acknowledged sequence number
	kindMark         = 't' // a Mark
	kindHole         = 'h' // sequence: first of a range without messages; time: last of it
	kindConfig       = 'c' // subject: configuration of the stream, as the server stores it
	kindPurging      = 'p' // see Log.Purging
	kindPurged       = 'q' // see Log.Purged
)

type record struct {
	kind     byte
	stream   string
	subject  string
	sequence uint64
	time     int64
}

const (
	mark       = 0xA7
	headerSize = 1 + 2 + 4
	maxPayload = 1<<16 - 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (r record) appendTo(buf []byte) []byte {
	start := len(buf)
	buf = append(buf, mark, 0, 0, 0, 0, 0, 0, r.kind)
	buf = appendString(buf, r.stream)
	buf = appendString(buf, r.subject)
	buf = binary.AppendUvarint(buf, r.sequence)
	buf = binary.AppendVarint(buf, r.time)
	payload := buf[start+headerSize:]
	binary.LittleEndian.PutUint16(buf[start+1:], uint16(len(payload)))
	binary.LittleEndian.PutUint32(buf[start+3:], crc32.Checksum(payload, castagnoli))
	return buf
}

func appendString(buf []byte, s string) []byte {
	s = s[:min(len(s), maxPayload/3)] // subjects are at most 4 KB long, and configurations little more
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}

// readRecord reads the record at the start of buf and returns its size.
func readRecord(buf []byte) (r record, size int, ok bool) {
	if len(buf) < headerSize+1 || buf[0] != mark {
		return r, 0, false
	}
	size = headerSize + int(binary.LittleEndian.Uint16(buf[1:]))
	if size <= headerSize || size > len(buf) {
		return r, 0, false
	}
	payload := buf[headerSize:size]
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(buf[3:]) {
		return r, 0, false
	}
	r.kind = payload[0]
	d := decoder{rest: payload[1:]}
	r.stream, r.subject = d.string(), d.string()
	r.sequence, r.time = d.uvarint(), d.varint()
	return r, size, !d.failed && len(d.rest) == 0
}

type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	d.skip(n)
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	d.skip(n)
	return v
}

// skip advances by the size of a number, which is not positive if there was none.
func (d *decoder) skip(n int) {
	if n <= 0 {
		d.failed, n = true, len(d.rest)
	}
	d.rest = d.rest[n:]
}

func (d *decoder) string() string {
	n := d.uvarint()
	if d.failed || n > uint64(len(d.rest)) {
		d.failed = true
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

// ErrDamaged means that the log contains something other than complete records, followed at most by
// a record that a crash interrupted.
var ErrDamaged = errors.New("the acknowledgment log is damaged")

// Read returns the state of the log in dir. If the log is damaged, it returns what is readable and an
// error that wraps [ErrDamaged]. The error is fs.ErrNotExist if there is no log.
func Read(dir string) (*State, error) {
	path := filepath.Join(dir, FileName)
	buf, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &State{Streams: map[string]*Stream{}}
	offset, bad := 0, -1
	for offset < len(buf) {
		r, size, ok := readRecord(buf[offset:])
		if !ok {
			if bad < 0 {
				bad = offset
			}
			offset++
			continue
		}
		if bad >= 0 && err == nil {
			err = fmt.Errorf("%w: %d bytes at offset %d are unreadable", ErrDamaged, offset-bad, bad)
		}
		bad = -1
		s.apply(r)
		offset += size
	}
	if s.Installation == "" && err == nil {
		err = fmt.Errorf("%w: it does not name the installation", ErrDamaged)
	}
	return s, err
}
