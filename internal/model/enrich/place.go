package enrich

import (
	"earshot"
	"earshot/internal/geo"
)

// fillPlace finds where a post or its author is: by the position, else by the ZIP code,
// else by the location that the profile gives in words.
func fillPlace(p *earshot.Post) {
	if !p.Place.IsZero() {
		return
	}
	if p.Place = placeOf(p); !p.Place.IsZero() {
		p.Inferred |= earshot.InferredPlace
	}
}

func placeOf(p *earshot.Post) earshot.Place {
	if p.Point != nil {
		if place, found := geo.Nearest(*p.Point); found {
			return place
		}
	}
	if p.Zipcode != "" {
		if place, _, found := geo.FindZIP(p.Zipcode); found {
			return place
		}
	}
	if p.Location != "" {
		if place, found := geo.Resolve(p.Location); found {
			return place
		}
	}
	return earshot.Place{}
}
