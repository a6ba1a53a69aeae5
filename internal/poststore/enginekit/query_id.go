package enginekit

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"slices"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/poststore"
)

// A QueryID is a hash of what a query counts in each interval: which posts and by which dimensions.
// Engines that cache counts use it as a part of the key.
type QueryID [16]byte

// Tags that precede the optional parts of a tally, its sources and TopSum. No dimension has these
// numbers.
const (
	tagSources = 255
	tagTopSum  = 254
)

// NewQueryID returns the id of a query and whether its counts may be cached. Only queries for a
// complete set, optionally limited to some sources, are cacheable. Corrections are not part of the
// ID. generations are those of the sets that tallies by sets may list.
func NewQueryID(of *poststore.Selection, ts []poststore.Tally, generations map[poststore.SetID]uint64) (id QueryID, ok bool) {
	all := *of
	all.Sources = nil
	if of.Set == 0 || !IsCompleteSet(all) {
		return id, false
	}
	b := appendTexts(nil, of.Sources)
	for i := range ts {
		t := &ts[i]
		if slices.Contains(t.By, poststore.ByEthnicity) {
			return id, false // newer census data changes the counts of the same posts
		}
		if len(t.Sources) > 0 {
			b = appendTexts(append(b, tagSources), t.Sources)
		}
		if t.TopSum > 0 {
			b = binary.AppendUvarint(append(b, tagTopSum), uint64(t.TopSum))
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
	return QueryID(sum[:]), true
}

// IsCompleteSet reports whether a selection picks all posts of a set in its time range. Its counts may
// depend on corrections, which are part of the fingerprint.
func IsCompleteSet(of poststore.Selection) bool {
	of.Set, of.From, of.To, of.Corrections = 0, time.Time{}, time.Time{}, nil
	return reflect.ValueOf(of).IsZero() // covers conditions that are added to Selection later
}

// appendTexts appends strings whose order and duplicates are irrelevant.
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

// appendSets appends the sets of a tally, in order, and their generations.
func appendSets(b []byte, t *poststore.Tally, generations map[poststore.SetID]uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(t.Sets)))
	for _, id := range t.Sets {
		b = binary.AppendUvarint(b, uint64(id))
		b = binary.AppendUvarint(b, generations[id])
	}
	return b
}

// appendZone appends what the days and hours of a tally depend on, if it has any. It returns false
// unless the time zone is a well-known one, because only those are the same in every process.
func appendZone(b []byte, t *poststore.Tally) (_ []byte, known bool) {
	atPlaces := slices.Contains(t.By, poststore.ByClock)
	if !atPlaces && !ByTime(t) {
		return append(b, 0), true
	}
	name := t.Location().String()
	if _, err := earshot.Zone(name); err != nil || t.Location() == time.Local || name == "" {
		return nil, false
	}
	names := []string{name}
	if atPlaces {
		names = append(names, geo.Checksum()) // the gazetteer contains the time zones of places
	}
	return appendTexts(b, names), true
}
