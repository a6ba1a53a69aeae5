package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"earshot"
	"earshot/internal/geo"
)

// setGeolocation takes an object, or a geography id alone.
func setGeolocation(p *earshot.Post, value any) error {
	switch value := value.(type) {
	case string:
		return setPlace(p, value)
	case map[string]any:
		return setMembers(p, geolocationMembers, value)
	}
	return errors.New("must be an object")
}

func setPlace(p *earshot.Post, value any) error {
	id, err := readName(value)
	if id == "" || err != nil {
		return err
	}
	place, ok := geo.Find(id)
	if !ok {
		return fmt.Errorf("'%s' is not a geography id like USA, USA.CA or USA.CA.San Diego", earshot.Clip(id, 60))
	}
	p.Place, p.Geotagged = place, true
	return nil
}

func setLatitude(p *earshot.Post, value any) error {
	return setCoordinate(p, value, 90, func(at *earshot.Point) *float64 { return &at.Latitude })
}

func setLongitude(p *earshot.Post, value any) error {
	return setCoordinate(p, value, 180, func(at *earshot.Point) *float64 { return &at.Longitude })
}

// setCoordinate sets one coordinate. The other, while it is not given, is NaN, which
// lies in no range.
func setCoordinate(p *earshot.Post, value any, most float64, of func(*earshot.Point) *float64) error {
	n, stated, err := readNumber(value)
	switch {
	case err != nil || !stated:
		return err
	case math.Abs(n) > most:
		return fmt.Errorf("must be from -%g to %g", most, most)
	}
	if p.Point == nil {
		p.Point = &earshot.Point{Latitude: math.NaN(), Longitude: math.NaN()}
	}
	*of(p.Point), p.Geotagged = n, true
	return nil
}

// setContinent keeps a continent as the author's location, where a query finds it
// unless there is a country, from which it follows.
func setContinent(p *earshot.Post, value any) error {
	name, err := readName(value)
	if continent, ok := geo.FindContinent(name); ok && p.Location == "" {
		p.Location = continent
	}
	return err
}

// setCountry takes a code or a name. One that is unknown stays as it is.
func setCountry(p *earshot.Post, value any) error {
	name, err := readName(value)
	if c, ok := geo.FindCountry(name); ok {
		name = c.Code
	}
	p.Place.Country = name
	return err
}

// stateOf returns what places call a region of a country: CA for California, and
// the region as it is when the country has none of that name.
func stateOf(country, region string) string {
	if country == "" || region == "" {
		return region
	}
	if place, ok := geo.Find(country + "." + region); ok && place.City == "" {
		return place.State
	}
	for _, s := range geo.States(country) {
		if strings.EqualFold(s.Name, region) {
			return s.Place.State
		}
	}
	return region
}
