// Package pebblefile reads the files of a Pebble database without opening the database. Pebble
// takes an unreadable record at the end of its MANIFEST or of its last log for one that was being
// written when the process was killed, and opens the state before that record. [CheckLogs] finds the
// cases in which that loses changes, [VerifyTable] reads all of a table, and [Salvage] reads every
// record that is still readable.
//
// A database consists of
//
//	marker.manifest.*.MANIFEST-000012   whose name says which MANIFEST is current
//	MANIFEST-000012                     the list of tables, as a log of changes to the list
//	000007.sst                          tables with records, sorted, in checksummed blocks
//	000011.log                          records since the last table was written
//
// Every change to a record has a sequence number. Sequence numbers are consecutive: the MANIFEST
// states the last one that its tables contain, and the logs continue from there. A gap therefore
// proves that changes are lost.
package pebblefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
)

// firstSequence is the sequence number of the first change to a new database.
const firstSequence = 10

// A DamageError reports that a file differs from what was written.
type DamageError struct {
	Path   string
	Reason string
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Reason) }

// CheckLogs verifies that the tables and logs in dir contain every change, without a gap, up to the
// point where the last log ends. It returns a *DamageError if they do not. A missing database is
// not an error.
func CheckLogs(dir string) error {
	_, err := EndsCleanly(dir)
	return err
}

// EndsCleanly is like CheckLogs, and reports whether the database was closed: that its last log does
// not end within a record.
func EndsCleanly(dir string) (clean bool, err error) {
	m, err := readManifest(dir)
	if err != nil || m == nil {
		return err == nil, err
	}
	next := max(m.lastSequence+1, firstSequence)
	logs, err := logsFrom(dir, m.firstLog)
	if err != nil {
		return false, err
	}
	clean = true
	for i, log := range logs {
		clean, err = eachBatch(log, func(h batchrepr.Header) error {
			from := uint64(h.SeqNum) // may be less than next: tables already contain the first changes
			if from > next {
				return &DamageError{log.path, fmt.Sprintf("%d changes before it are missing", from-next)}
			}
			next = max(next, from+uint64(h.Count))
			return nil
		})
		if err != nil {
			return false, err
		}
		if i < len(logs)-1 && !clean {
			return false, &DamageError{log.path, "it ends within a record, but a newer log exists"}
		}
	}
	return clean, nil
}

// A logFile is a log of changes.
type logFile struct {
	path   string
	number uint64
}

// logsFrom returns the logs with at least the given number, oldest first.
func logsFrom(dir string, first uint64) (logs []logFile, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if n, ok := fileNumber(e.Name(), ".log"); ok && n >= first {
			logs = append(logs, logFile{filepath.Join(dir, e.Name()), n})
		}
	}
	slices.SortFunc(logs, func(a, b logFile) int { return int(int64(a.number) - int64(b.number)) })
	return logs, nil
}

// fileNumber returns the number in the name of a table or log.
func fileNumber(name, suffix string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}

// eachBatch calls visit for each batch of changes in a log up to the first unreadable record. It
// reports whether the log ends cleanly.
func eachBatch(log logFile, visit func(batchrepr.Header) error) (clean bool, err error) {
	f, err := os.Open(log.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	r := newReader(record.NewReader, f, log.number)
	for {
		data, err := nextRecord(r)
		switch {
		case err == io.EOF:
			return true, nil
		case errors.Is(err, record.ErrUnexpectedEOF):
			return false, nil // not written completely, as far as the log itself can tell
		case errors.Is(err, record.ErrInvalidChunk), errors.Is(err, record.ErrZeroedChunk):
			return false, &DamageError{log.path, fmt.Sprintf("a record near offset %d is unreadable", r.Offset())}
		case err != nil:
			return false, err
		}
		h, ok := batchrepr.ReadHeader(data)
		if !ok {
			return false, &DamageError{log.path, fmt.Sprintf("the record before offset %d is malformed", r.Offset())}
		}
		if h.Count == 0 {
			continue
		}
		if err := visit(h); err != nil {
			return false, err
		}
	}
}

// newReader calls record.NewReader, whose second parameter has a type that only Pebble can name.
func newReader[N ~uint64](open func(io.Reader, N) *record.Reader, r io.Reader, log uint64) *record.Reader {
	return open(r, N(log))
}

func nextRecord(r *record.Reader) ([]byte, error) {
	in, err := r.Next()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

var errTruncated = errors.New("the record ends early")

// A fields decodes varints and byte strings from the front of b.
type fields struct {
	b   []byte
	err error
}

func (d *fields) uvarint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.err, d.b = errTruncated, nil
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *fields) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.err, d.b = errTruncated, nil
		return nil
	}
	value := d.b[:n]
	d.b = d.b[n:]
	return value
}

func (d *fields) byte() byte {
	if len(d.b) == 0 {
		d.err = errTruncated
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}
