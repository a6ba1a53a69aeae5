package geo

import (
	"iter"
	"strings"

	"earshot"
)

// maxIDLength bounds the work that a wild id can cause. The longest real id has
// less than half as many bytes.
const maxIDLength = 200

// Find returns the place that a geography id names. An id that is not spelt
// exactly is looked for again in any case of letters.
func Find(id string) (earshot.Place, bool) {
	if len(id) > maxIDLength {
		return earshot.Place{}, false
	}
	for p := range placesOfID(id) {
		if _, found := findIndex(p); found {
			return p, true
		}
	}
	if now, ok := formerIDs[id]; ok {
		return Find(now)
	}
	return findFold(id)
}

// formerIDs are ids that places had in earlier versions and that may be stored.
var formerIDs = map[string]string{"USA.NY.New York City": "USA.NY.New York"}

// placesOfID yields the places that id may mean. There are several because names
// contain dots too: JAM.St. Elizabeth is a state, not the city " Elizabeth" of JAM.St.
func placesOfID(id string) iter.Seq[earshot.Place] {
	return func(yield func(earshot.Place) bool) {
		country, rest, divided := strings.Cut(id, ".")
		if !divided {
			yield(earshot.Place{Country: country})
			return
		}
		if rest == "" || !yield(earshot.Place{Country: country, State: rest}) {
			return
		}
		for i := 1; i < len(rest)-1; i++ {
			if rest[i] == '.' && !yield(earshot.Place{Country: country, State: rest[:i], City: rest[i+1:]}) {
				return
			}
		}
	}
}

// findFold returns the place that id names in some case of letters. It walks the
// country, which is short work next to a second index that is hardly ever used.
func findFold(id string) (earshot.Place, bool) {
	country, rest, divided := strings.Cut(id, ".")
	s := countrySpans()[strings.ToUpper(country)]
	for i := s.from; i < s.to; i++ {
		if p := placeAt(i); divided == (p.State != "") && matchesIDFold(rest, p) {
			return p, true
		}
	}
	return earshot.Place{}, false
}

// matchesIDFold reports whether rest is what follows the country in the id of p, in some
// case of letters.
func matchesIDFold(rest string, p earshot.Place) bool {
	if p.City == "" {
		return strings.EqualFold(rest, p.State)
	}
	dot := len(p.State)
	return len(rest) == dot+1+len(p.City) && rest[dot] == '.' &&
		strings.EqualFold(rest[:dot], p.State) && strings.EqualFold(rest[dot+1:], p.City)
}
