package local

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// A questionID stands for what is asked about each day: what the posts are narrowed to, and
// how they are counted.
type questionID [16]byte

// These stand before what few tallies have, their sources and TopSum. No dimension has these
// numbers.
const (
	ofSources = 255
	ofTopSum  = 254
)

// questionOf returns the id of a question, and whether its answers may be kept: those about
// posts of a monitor, narrowed to sources at most.
func questionOf(of *poststore.Selection, ts []poststore.Tally, generations map[poststore.SetID]uint64) (id questionID, ok bool) {
	all := *of
	all.Sources = nil
	if of.Set == 0 || !ofMonitorAlone(all) {
		return id, false
	}
	b := appendTexts(nil, of.Sources)
	for i := range ts {
		t := &ts[i]
		if slices.Contains(t.By, poststore.ByEthnicity) {
			return id, false // a newer census tells something else of the same posts
		}
		if len(t.Sources) > 0 {
			b = appendTexts(append(b, ofSources), t.Sources)
		}
		if t.TopSum > 0 {
			b = binary.AppendUvarint(append(b, ofTopSum), uint64(t.TopSum))
		}
		for _, d := range t.By {
			b = append(b, byte(d))
		}
		b = append(b, 0)
		for _, m := range t.Sum {
			b = append(b, byte(m))
		}
		b = append(b, 0)
		b = binary.AppendUvarint(b, uint64(t.Top))
		b = appendTexts(b, t.IncludeKeys)
		if slices.Contains(t.By, poststore.BySets) {
			b = appendSets(b, t, generations)
		}
		if b, ok = appendZone(b, t); !ok {
			return id, false
		}
	}
	sum := sha256.Sum256(b)
	return questionID(sum[:]), true
}

// ofMonitorAlone reports whether a selection picks all that a monitor has in its time.
func ofMonitorAlone(of poststore.Selection) bool {
	of.Set, of.From, of.To = 0, time.Time{}, time.Time{}
	return reflect.ValueOf(of).IsZero() // whatever there will be to narrow it
}

// appendTexts appends texts, whose order and repeats mean nothing.
func appendTexts[T ~string](b []byte, texts []T) []byte {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, t := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
	}
	return b
}

// appendSets appends which sets a tally is by, in their order, and their generations.
func appendSets(b []byte, t *poststore.Tally, generations map[poststore.SetID]uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(t.Sets)))
	for _, id := range t.Sets {
		b = binary.AppendUvarint(b, uint64(id))
		b = binary.AppendUvarint(b, generations[id])
	}
	return b
}

// appendZone appends what the days and hours of a tally depend on, if it has any. It reports
// whether that is a zone that everybody knows by its name.
func appendZone(b []byte, t *poststore.Tally) (_ []byte, known bool) {
	atPlaces := slices.Contains(t.By, poststore.ByClock)
	if !atPlaces && !byTime(t) {
		return append(b, 0), true
	}
	name := t.Location().String()
	if _, err := earshot.Zone(name); err != nil || t.Location() == time.Local || name == "" {
		return nil, false
	}
	names := []string{name}
	if atPlaces {
		names = append(names, geo.Checksum()) // which has the zones of places
	}
	return appendTexts(b, names), true
}

// key returns where the answer of a day is kept. Days of a question follow one another.
func (d *daily) key(day int) []byte {
	key := append(recID(recDaily, uint64(d.of.Set)), d.id[:]...)
	key = binary.BigEndian.AppendUint64(key, segment.Seconds(d.starts[day]))
	return binary.BigEndian.AppendUint64(key, segment.Seconds(d.starts[day+1]))
}

// readKept answers the days among some whose answers are kept and of the posts that
// fingerprints are of. It returns the others.
func (s *Store) readKept(d *daily, prints []segment.Fingerprint, days []int) (others []int, err error) {
	if len(days) == 0 {
		return nil, nil
	}
	last := d.key(days[len(days)-1])
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: d.key(days[0]), UpperBound: append(last, 0)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	found := it.First()
	for _, day := range days {
		key := d.key(day)
		for found && bytes.Compare(it.Key(), key) < 0 {
			found = it.Next()
		}
		var rows [][]poststore.Row
		known := false
		if found && bytes.Equal(it.Key(), key) {
			value, err := it.ValueAndErr()
			if err != nil {
				return nil, err
			}
			rows, known = readAnswer(value, prints[day], d.tallies)
		}
		if !known {
			others = append(others, day)
			continue
		}
		if err := d.take(day, rows); err != nil {
			return nil, err
		}
		s.answered.put(answerName{d.id, prints[day]}, rows)
	}
	return others, it.Error()
}

// keepDaily keeps the answers of days: on disk if their posts are all there, too.
func (s *Store) keepDaily(d *daily, days []int, prints []segment.Fingerprint, settled []bool, counted [][][]poststore.Row) {
	b := s.db.NewBatch()
	defer b.Close()
	for n, day := range days {
		s.answered.put(answerName{d.id, prints[day]}, counted[n])
		if !settled[day] {
			continue
		}
		if value := appendAnswer(prints[day], counted[n]); len(value) <= mostResultBytes {
			b.Set(d.key(day), value, nil) // fails only when the batch is closed
		}
	}
	s.keepDays(b)
}

// An answerName names the rows that posts with a fingerprint have for a question, whichever
// day it was.
type answerName struct {
	question questionID
	posts    segment.Fingerprint
}

// An answerCache keeps answers about days in memory, each the rows of all tallies. When it
// is full, it is emptied: they can be read, or counted, again.
type answerCache struct {
	mu    sync.Mutex
	bytes int64
	kept  map[answerName][][]poststore.Row
}

// mostAnswerBytes is how much memory the answers may take.
const mostAnswerBytes = 32 << 20

func newAnswerCache() *answerCache { return &answerCache{kept: map[answerName][][]poststore.Row{}} }

func (c *answerCache) put(name answerName, rows [][]poststore.Row) {
	size := answerBytes(rows)
	if size > mostResultBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.kept[name]; known {
		return
	}
	if c.bytes += size; c.bytes > mostAnswerBytes {
		clear(c.kept)
		c.bytes = size
	}
	c.kept[name] = rows
}

// answerBytes returns about how much memory an answer takes.
func answerBytes(rows [][]poststore.Row) int64 {
	size := int64(rowBytes)
	for _, ofTally := range rows {
		size += 24 + rowBytes*int64(len(ofTally))
		for i := range ofTally {
			for _, k := range ofTally[i].Key {
				size += int64(len(k))
			}
		}
	}
	return size
}
