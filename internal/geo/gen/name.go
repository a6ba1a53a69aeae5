package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot/internal/geo"
)

// A placeName is one meaning of a normalized name.
type placeName struct {
	spelling string
	place    int
	kind     geo.NameKind
	first    bool // precedes all other meanings, regardless of weight
	known    bool // means the place even if it is a common word
	weight   int64
}

// compileNames encodes the table of names in the format that package geo describes. words is the
// set of common words.
func compileNames(g *gazetteer, aliases []row, words map[string]bool) ([]byte, error) {
	names, err := collectNames(g, aliases, words)
	if err != nil {
		return nil, err
	}
	return encodeNames(names, words), nil
}

func collectNames(g *gazetteer, aliases []row, words map[string]bool) ([]placeName, error) {
	best := map[string]map[int]placeName{}
	add := func(n placeName) {
		meanings := best[n.spelling]
		if meanings == nil {
			meanings = map[int]placeName{}
			best[n.spelling] = meanings
		}
		if old, taken := meanings[n.place]; !taken || n.first || !old.first && n.kind < old.kind {
			meanings[n.place] = n
		}
	}
	for i, p := range g.places {
		for _, n := range namesOf(p) {
			if n.kind == geo.Alternate && p.level == state && words[n.spelling] {
				continue // the Federal District is not called Federal
			}
			n.place, n.weight = i, weight(g, i, n)
			add(n)
		}
	}
	for _, a := range aliases {
		i, ok := g.index[a["id"]]
		if !ok {
			return nil, fmt.Errorf("aliases.tsv: unknown place %q", a["id"])
		}
		kind, ok := aliasKinds[a["kind"]]
		if !ok {
			return nil, fmt.Errorf("aliases.tsv: an alias of %s has the unknown kind %q", a["id"], a["kind"])
		}
		for name := range strings.SplitSeq(a["names"], "|") {
			n := placeName{
				spelling: geo.Normalize(name), place: i, kind: kind,
				first: kind != geo.Suffix,
				known: kind == geo.Name && g.places[i].level != country,
			}
			n.weight = weight(g, i, n)
			add(n)
		}
	}
	var all []placeName
	for _, meanings := range best {
		for _, n := range meanings {
			all = append(all, n)
		}
	}
	return all, nil
}

var aliasKinds = map[string]geo.NameKind{"name": geo.Name, "code": geo.Code, "suffix": geo.Suffix}

// namesOf returns the names that the source lists for a place.
func namesOf(p place) []placeName {
	names := []placeName{{spelling: geo.Normalize(p.name), kind: geo.Name}}
	add := func(name string, kind geo.NameKind) {
		if s := geo.Normalize(name); s != "" {
			names = append(names, placeName{spelling: s, kind: kind})
		}
	}
	switch p.level {
	case country:
		add(p.key, geo.Code)
		add(p.alpha2, geo.Suffix)
		for _, name := range p.names {
			add(name, geo.Name)
		}
	case state:
		if p.key != p.name {
			add(p.key, geo.Code)
		}
		if short := trimStateTitle(p.name); short != p.name {
			add(short, geo.Alternate)
		}
	case city:
		for _, name := range p.names[:2] {
			for _, s := range spellings(geo.Normalize(name)) {
				add(s, geo.Name)
			}
		}
		for _, name := range p.names[2:] {
			if isUsableName(name, p.population) {
				add(name, geo.Alternate)
			}
		}
	}
	return names
}

// shortWords are words of English names that people abbreviate.
var shortWords = map[string]string{"saint": "st", "fort": "ft", "mount": "mt"}

// spellings returns a normalized name, and the name with its first word abbreviated or written out:
// saint paul and st paul.
func spellings(name string) []string {
	for long, short := range shortWords {
		if rest, ok := strings.CutPrefix(name, long+" "); ok {
			return []string{name, short + " " + rest}
		}
		if rest, ok := strings.CutPrefix(name, short+" "); ok {
			return []string{name, long + " " + rest}
		}
	}
	return []string{name}
}

// stateTitles are titles that the source appends to state names.
var stateTitles = []string{" Province", " Region", " State", " Department", " County", " Oblast", " Division", " Prefecture", " Governorate", " District", " Voivodeship"}

func trimStateTitle(name string) string {
	for _, title := range stateTitles {
		if short, ok := strings.CutSuffix(name, title); ok {
			return short
		}
	}
	return strings.TrimPrefix(name, "State of ")
}

// isUsableName reports whether people write an alternate name of a city. The source has many that
// they do not use: romanizations, which begin with a lowercase letter, codes and descriptions.
func isUsableName(name string, population int64) bool {
	first, _ := utf8.DecodeRuneInString(name)
	if unicode.IsLower(first) && unicode.Is(unicode.Latin, first) || strings.ContainsAny(name, "0123456789,،;()/") {
		return false
	}
	spelling := geo.Normalize(name)
	n := utf8.RuneCountInString(spelling)
	if strings.ContainsFunc(spelling, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
		return n > 3 || n == 3 && population >= 200_000
	}
	return n > 1
}

// alternateShare is how many times larger a place must be for its alternate name to come before the
// usual name of another place. Most alternate names are historical, or belong to parts of the place.
const alternateShare = 10

// weight ranks the meanings of a name. If a state and a city share a name, people usually mean the
// city, unless the state is much larger or is a well-known state of the USA or Canada. Capitals get
// more weight than their population, and sections of cities get less.
func weight(g *gazetteer, i int, n placeName) int64 {
	p := g.places[i]
	w := p.population
	switch {
	case p.level == country:
		w += 20_000_000
	case p.level == state:
		w /= 10
		if strings.HasPrefix(p.id, "USA.") || strings.HasPrefix(p.id, "CAN.") {
			w = max(w, 300_000)
		}
	case p.isSection:
		w /= 2
	case p.isCapital:
		w *= 2
	}
	switch {
	case n.kind == geo.Alternate && p.level == city && n.spelling == geo.Normalize(g.places[p.parent].name):
		w /= 3 // Queretaro is Santiago de Querétaro rather than its state
	case n.kind == geo.Alternate:
		w /= alternateShare
	}
	return w
}

// encodeNames encodes the directory of buckets, followed by the entries.
func encodeNames(names []placeName, words map[string]bool) []byte {
	type entry struct {
		placeName
		hash uint64
	}
	entries := make([]entry, len(names))
	for i, n := range names {
		entries[i] = entry{n, geo.HashName(n.spelling)}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(
			cmp.Compare(a.hash, b.hash),
			cmp.Compare(a.rank(), b.rank()),
			cmp.Compare(b.weight, a.weight),
			cmp.Compare(a.place, b.place),
		)
	})
	var directory, body []byte
	next := 0
	for bucket := range geo.NameBuckets {
		directory = binary.LittleEndian.AppendUint32(directory, uint32(next))
		for next < len(entries) && geo.NameBucket(entries[next].hash) == bucket {
			e := entries[next]
			body = binary.LittleEndian.AppendUint32(body, geo.NameEntry(e.hash, e.kind, words[e.spelling] && !e.known))
			body = binary.LittleEndian.AppendUint16(body, uint16(e.place))
			next++
		}
	}
	directory = binary.LittleEndian.AppendUint32(directory, uint32(next))
	return append(directory, body...)
}

// rank sorts aliases first and suffixes last.
func (n placeName) rank() int {
	switch {
	case n.first:
		return 0
	case n.kind == geo.Suffix:
		return 2
	}
	return 1
}
