package pebblefile

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// A Gap is a range of keys for which a file has records that cannot be read.
type Gap struct {
	Path     string
	From, To []byte // To is excluded; nil: without a limit
}

// Covers reports whether the range contains keys that start with a byte.
func (g *Gap) Covers(first byte) bool {
	return (len(g.From) == 0 || g.From[0] <= first) && (g.To == nil || bytes.Compare(g.To, []byte{first}) > 0)
}

// A Report states what [Salvage] could not read.
type Report struct {
	Gaps []Gap

	// Unlisted means that the list of tables is damaged. Records may then be older than the last
	// ones, or may have been deleted since.
	Unlisted bool

	// Missing is the number of changes that are known to be missing from logs. TornLog means that
	// the last log ends within a record, which may or may not have been committed.
	Missing uint64
	TornLog bool
}

// Salvage calls visit with the newest readable version of each record of the database in dir, in
// the order of their keys, and reports what cannot be read. The key and the value are valid until
// visit returns.
func Salvage(ctx context.Context, dir string, visit func(key, value []byte) error) (*Report, error) {
	s := &salvage{report: &Report{}}
	defer s.close()
	if err := s.openTables(dir); err != nil {
		return nil, err
	}
	if err := s.readLogs(dir); err != nil {
		return nil, err
	}
	return s.report, s.merge(ctx, visit)
}

// A salvage merges the records of all tables and logs.
type salvage struct {
	report  *Report
	sources sourceHeap
	tables  []*tableSource
	erased  []erasedRange
	// known are the logs that the list of tables requires, and the sequence number that they
	// continue.
	firstLog, next uint64
}

// An entry is a version of a record.
type entry struct {
	key, value []byte
	sequence   uint64
	deleted    bool
}

// An erasedRange is a range of keys that was deleted at a sequence number.
type erasedRange struct {
	from, to []byte
	sequence uint64
}

// A source yields entries by key, newest first. head returns nil at the end.
type source interface {
	head() *entry
	next() error
}

func (s *salvage) close() {
	for _, t := range s.tables {
		t.close()
	}
}

// openTables opens the tables that the MANIFEST lists. If the MANIFEST is damaged, it opens all
// tables except those that are known to be removed.
func (s *salvage) openTables(dir string) error {
	m, err := readManifest(dir)
	if m == nil && err == nil { // without a marker file
		var path string
		if path, err = newestManifest(dir); err == nil && path != "" {
			m, err = readManifestFile(path)
		}
	}
	if _, damaged := errors.AsType[*DamageError](err); err != nil && !damaged {
		return err
	}
	trusted := err == nil && m != nil
	if trusted && !m.clean {
		_, damaged := errors.AsType[*DamageError](CheckLogs(dir))
		trusted = !damaged && s.allExist(dir, m)
	}
	s.report.Unlisted = !trusted
	if m == nil {
		m = &manifest{}
	}
	if trusted {
		s.firstLog, s.next = m.firstLog, max(m.lastSequence+1, firstSequence)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil {
		return err
	}
	numbers := map[uint64]bool{}
	for _, path := range paths {
		if n, ok := fileNumber(filepath.Base(path), ".sst"); ok && !m.removed[n] {
			numbers[n] = m.tables[n] != nil || !trusted
		}
	}
	for n := range m.tables {
		if trusted {
			numbers[n] = true // even if it is missing
		}
	}
	for n, use := range numbers {
		if use {
			if err := s.openTable(TablePath(dir, n), m.tables[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// allExist reports whether all listed tables exist. If some do not, the readable part of the
// MANIFEST is outdated.
func (s *salvage) allExist(dir string, m *manifest) bool {
	for n := range m.tables {
		if _, err := os.Stat(TablePath(dir, n)); err != nil {
			return false
		}
	}
	return true
}

func (s *salvage) openTable(path string, listed *table) error {
	t, err := newTableSource(path)
	if err == nil && listed != nil && !hasSize(path, listed.size) {
		t.close()
		err = &DamageError{path, "it is another table"}
	}
	if _, damaged := errors.AsType[*DamageError](err); damaged {
		gap := Gap{Path: path}
		if listed != nil && listed.smallest != nil {
			gap.From, gap.To = listed.smallest, append(slices.Clone(listed.largest), 0)
		}
		s.report.Gaps = append(s.report.Gaps, gap)
		return nil
	}
	if err != nil {
		return err
	}
	s.tables = append(s.tables, t)
	erased, err := t.erased()
	if err != nil {
		s.report.Gaps = append(s.report.Gaps, Gap{Path: path})
	}
	s.erased = append(s.erased, erased...)
	if err := t.next(); err != nil {
		return err
	}
	s.add(t)
	return nil
}

func hasSize(path string, size int64) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == size
}

func (s *salvage) add(from source) {
	if from.head() != nil {
		s.sources = append(s.sources, from)
	}
}

// readLogs reads all logs into memory. They are at most a few times as large as a memory table.
func (s *salvage) readLogs(dir string) error {
	logs, err := logsFrom(dir, s.firstLog)
	if err != nil {
		return err
	}
	all := &logSource{}
	for i, log := range logs {
		data, err := os.ReadFile(log.path)
		if err != nil {
			return err
		}
		clean := scanLog(data, uint32(log.number), func(batch []byte) {
			s.readBatch(all, batch)
		})
		s.report.TornLog = s.report.TornLog || !clean && i == len(logs)-1
		if !clean && i < len(logs)-1 {
			s.report.Missing = max(s.report.Missing, 1)
		}
	}
	slices.SortStableFunc(all.entries, func(a, b entry) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.sequence, a.sequence))
	})
	s.add(all)
	return nil
}

// merge calls visit with the newest version of each record.
func (s *salvage) merge(ctx context.Context, visit func(key, value []byte) error) error {
	heap.Init(&s.sources)
	var last []byte
	for n := 0; len(s.sources) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := s.sources[0].head()
		if last == nil || !bytes.Equal(e.key, last) {
			last = append(last[:0], e.key...)
			if !e.deleted && !s.isErased(e) {
				if err := visit(e.key, e.value); err != nil {
					return err
				}
			}
		}
		if err := s.sources[0].next(); err != nil {
			return err
		}
		if s.sources[0].head() == nil {
			heap.Pop(&s.sources)
		} else {
			heap.Fix(&s.sources, 0)
		}
	}
	for _, t := range s.tables {
		s.report.Gaps = append(s.report.Gaps, t.gaps...)
	}
	return nil
}

func (s *salvage) isErased(e *entry) bool {
	return slices.ContainsFunc(s.erased, func(r erasedRange) bool {
		return r.sequence > e.sequence && bytes.Compare(r.from, e.key) <= 0 && bytes.Compare(e.key, r.to) < 0
	})
}

// sourceHeap has the source with the smallest key first, and among equal keys the newest.
type sourceHeap []source

func (h sourceHeap) Len() int { return len(h) }
func (h sourceHeap) Less(i, j int) bool {
	a, b := h[i].head(), h[j].head()
	return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.sequence, a.sequence)) < 0
}
func (h sourceHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *sourceHeap) Push(x any)   { *h = append(*h, x.(source)) }
func (h *sourceHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// isDeletion reports whether a kind of entry deletes its key, and whether the kind is known.
func isDeletion(kind pebble.InternalKeyKind) (deletes bool, err error) {
	switch kind {
	case pebble.InternalKeyKindSet, pebble.InternalKeyKindSetWithDelete:
		return false, nil
	case pebble.InternalKeyKindDelete, pebble.InternalKeyKindSingleDelete, pebble.InternalKeyKindDeleteSized:
		return true, nil
	}
	return false, fmt.Errorf("unexpected kind of entry: %d", kind)
}
