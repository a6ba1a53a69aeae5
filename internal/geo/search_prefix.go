package geo

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// byName lists the indexes of all places in the order of their normalized names. It is built on
// first use, with two bytes per place.
var byName = sync.OnceValue(func() []uint16 {
	names := make([]string, placeCount())
	order := make([]uint16, len(names))
	for i := range names {
		names[i], order[i] = normalizedName(i), uint16(i)
	}
	slices.SortStableFunc(order, func(a, b uint16) int { return strings.Compare(names[a], names[b]) })
	return order
})

func normalizedName(i int) string {
	_, name := labelOf(i)
	return Normalize(name)
}

// SearchPrefix returns at most limit places whose name or id begins with text, ignoring case and
// accents. Alternate names such as Deutschland match only as a whole. Countries come first, then
// states, then cities, each sorted by decreasing population. An empty text matches all countries.
func SearchPrefix(text string, limit int) []Entry {
	text = strings.TrimSpace(text)
	if len(text) > maxIDLength {
		return nil
	}
	var ranks []uint64
	for _, i := range slices.Concat(placesByNamePrefix(text), placesByIDPrefix(text), placesByName(text)) {
		ranks = append(ranks, rankOf(i))
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	entries := []Entry{}
	for _, rank := range ranks[:min(limit, len(ranks))] {
		entries = append(entries, entryAt(int(uint16(rank))))
	}
	return entries
}

// rankOf returns the sort key of a place. Its low 16 bits are the index of the place.
func rankOf(i int) uint64 {
	return uint64(levelOf(i))<<48 | uint64(^uint32(populationOf(i)))<<16 | uint64(i)
}

// placesByNamePrefix returns the places whose name begins with text.
func placesByNamePrefix(text string) (found []int) {
	prefix, order := Normalize(text), byName()
	switch {
	case text == "":
		return allCountries()
	case prefix == "":
		return nil // an empty prefix would match every name
	}
	order = order[sort.Search(len(order), func(n int) bool { return normalizedName(int(order[n])) >= prefix }):]
	order = order[:sort.Search(len(order), func(n int) bool { return !strings.HasPrefix(normalizedName(int(order[n])), prefix) })]
	for _, i := range order {
		found = append(found, int(i))
	}
	return found
}

func allCountries() (found []int) {
	for _, s := range countrySpans() {
		found = append(found, s.from)
	}
	return found
}

// placesByIDPrefix returns the places whose id begins with text. The country part may be a code or
// a name.
func placesByIDPrefix(text string) (found []int) {
	code, rest, divided := strings.Cut(text, ".")
	country, ok := FindCountry(code)
	s := countrySpans()[country.Code]
	switch {
	case !ok:
		return nil
	case !divided:
		return []int{s.from}
	}
	prefix, state := Normalize(rest), ""
	for i := s.from + 1; i < s.to; i++ {
		key := state
		switch {
		case levelOf(i) == stateLevel: // its cities follow
			state = Normalize(keyOf(i))
			key = state
		case strings.HasPrefix(prefix, state):
			key += Normalize(keyOf(i)) // normalization drops dots
		}
		if strings.HasPrefix(key, prefix) {
			found = append(found, i)
		}
	}
	return found
}

// placesByName returns the places that have text as one of their names.
func placesByName(text string) (found []int) {
	m := lookupName(HashName(Normalize(text)))
	for n := range m.len() {
		place, kind := m.at(n)
		if kind != Suffix {
			found = append(found, place)
		}
	}
	return found
}
