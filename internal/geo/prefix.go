package geo

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// byName are the indexes of all places, in the order of how their names are spelt: two
// bytes for each. They are sorted when someone searches for the first time.
var byName = sync.OnceValue(func() []uint16 {
	spelt := make([]string, placeCount())
	order := make([]uint16, len(spelt))
	for i := range spelt {
		spelt[i], order[i] = normalizedName(i), uint16(i)
	}
	slices.SortStableFunc(order, func(a, b uint16) int { return strings.Compare(spelt[a], spelt[b]) })
	return order
})

func normalizedName(i int) string {
	_, name := labelOf(i)
	return Normalize(name)
}

// SearchPrefix returns at most so many places that a text may be the beginning of: of their
// name or of their id, whatever the case and the accents. Places that the text is another
// name of, like Deutschland, are found by all of it. Countries come first, then states, then
// cities, each the largest first. An empty text finds the countries.
func SearchPrefix(text string, most int) []Entry {
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
	items := []Entry{}
	for _, rank := range ranks[:min(most, len(ranks))] {
		items = append(items, entryAt(int(uint16(rank))))
	}
	return items
}

// rankOf returns a number that is the smaller, the sooner a place is listed. Its lowest bits
// are the index of the place.
func rankOf(i int) uint64 {
	return uint64(levelOf(i))<<48 | uint64(^uint32(populationOf(i)))<<16 | uint64(i)
}

// placesByNamePrefix returns the places whose name begins with a text.
func placesByNamePrefix(text string) (found []int) {
	prefix, order := Normalize(text), byName()
	switch {
	case text == "":
		return allCountries()
	case prefix == "":
		return nil // it would be the beginning of every name
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

// placesByIDPrefix returns the places whose id begins with a text, in which a country has its code
// or a name.
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
		spelt := state
		switch {
		case levelOf(i) == stateLevel: // its cities follow
			state = Normalize(keyOf(i))
			spelt = state
		case strings.HasPrefix(prefix, state):
			spelt += Normalize(keyOf(i)) // dots are silent
		}
		if strings.HasPrefix(spelt, prefix) {
			found = append(found, i)
		}
	}
	return found
}

// placesByName returns the places that a text is a name of.
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
