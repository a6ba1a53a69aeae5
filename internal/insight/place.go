package insight

import (
	"context"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/poststore"
)

// Places counts posts by the location of their authors.
type Places struct {
	Posts  int64 // posts in all of the places
	Places []PlaceCount
}

// A PlaceCount is the number of posts from a place.
type PlaceCount struct {
	Place geo.Entry
	Posts int64
}

// PerMillion returns the number of posts per million inhabitants, or 0 if the population is
// unknown.
func (c PlaceCount) PerMillion() float64 {
	if c.Place.Population == 0 {
		return 0
	}
	return float64(c.Posts) / float64(c.Place.Population) * 1e6
}

// A PlaceKind is an administrative level of places.
type PlaceKind int

const (
	Countries PlaceKind = iota
	States
	Cities
)

var placeDims = map[PlaceKind]poststore.Dim{Countries: poststore.ByCountry, States: poststore.ByState, Cities: poststore.ByCity}

// Places counts posts by place, most posts first. If country is set, it returns only places in that
// country.
func (s *Service) Places(ctx context.Context, m *earshot.Monitor, days earshot.Days, kind PlaceKind, country string) (p Places, err error) {
	if days = s.withResults(m, days); days.Len() <= 0 {
		return p, nil
	}
	rows, err := poststore.TallyOne(ctx, s.Store, selection(m, days), poststore.Tally{By: []poststore.Dim{placeDims[kind]}, Zone: m.Location()})
	if err != nil {
		return p, err
	}
	for _, row := range rows {
		id := row.Key[0]
		if country != "" && !strings.HasPrefix(id, country+".") {
			continue
		}
		p.Posts += row.Posts
		p.Places = append(p.Places, PlaceCount{lookupPlace(id, kind), row.Posts})
	}
	return p, nil
}

// lookupPlace returns the gazetteer entry of a place. A place that is no longer in the gazetteer is
// named by its ID.
func lookupPlace(id string, kind PlaceKind) geo.Entry {
	if place, ok := geo.Find(id); ok {
		if item, ok := geo.Lookup(place); ok {
			return item
		}
	}
	parts := append(strings.SplitN(id, ".", int(kind)+1), "", "")
	place := earshot.Place{Country: parts[0], State: parts[1], City: parts[2]}
	return geo.Entry{Place: place, Name: parts[kind]}
}
