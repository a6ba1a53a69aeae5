package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/geo"
)

// setSource accepts the name of a network, also in the singular, as in queries. Any other name is
// that of a content source.
func setSource(p *earshot.Post, value any) error {
	name, err := readName(value)
	if name == "" || err != nil {
		return err
	}
	p.Source = earshot.Source(name)
	for _, spelt := range []string{name, name + "s"} {
		if network, ok := earshot.FindNetwork(spelt); ok {
			p.Source = network
		}
	}
	return nil
}

// setSite accepts a host or a URL.
func setSite(p *earshot.Post, value any) error {
	site, err := readName(value)
	if _, rest, ok := strings.Cut(site, "://"); ok {
		site = rest
	}
	if end := strings.IndexAny(site, "/?#:"); end >= 0 {
		site = site[:end]
	}
	p.Site = strings.TrimPrefix(strings.ToLower(site), "www.")
	return err
}

func setDate(p *earshot.Post, value any) error {
	text, err := readName(value)
	if text == "" || err != nil {
		return err
	}
	if p.Time, err = earshot.ParseTime(text); err != nil {
		return fmt.Errorf("'%s' is not %w", earshot.Clip(text, 60), err)
	}
	return nil
}

// setLanguage removes a region, as in en-GB.
func setLanguage(p *earshot.Post, value any) error {
	code, err := readName(value)
	if end := strings.IndexAny(code, "-_"); end == 2 {
		code = code[:end]
	}
	p.Language = strings.ToLower(code)
	return err
}

func setGender(p *earshot.Post, value any) error {
	gender, err := readName(value)
	if err != nil {
		return err
	}
	switch strings.ToLower(gender) {
	case "", "u", "unknown":
		p.Gender = ""
	case "m", "male", "man":
		p.Gender = earshot.Male
	case "f", "female", "woman":
		p.Gender = earshot.Female
	default:
		return fmt.Errorf("'%s' is neither M nor F", earshot.Clip(gender, 60))
	}
	return nil
}

func setVerified(p *earshot.Post, value any) (err error) {
	p.Verified, err = readBool(value)
	return err
}

func setEngagement(p *earshot.Post, value any) error {
	kind, err := readName(value)
	p.Engagement = earshot.Engagement(strings.ToUpper(kind))
	return err
}

func setRating(p *earshot.Post, value any) error {
	n, stated, err := readNumber(value)
	if stated {
		p.Rating = &n
	}
	return err
}

// setGeolocation accepts an object, or a geography ID.
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

// setCoordinate sets one coordinate. The other one is NaN, which is in no range, until it is set
// too.
func setCoordinate(p *earshot.Post, value any, limit float64, coordinate func(*earshot.Point) *float64) error {
	n, stated, err := readNumber(value)
	switch {
	case err != nil || !stated:
		return err
	case math.Abs(n) > limit:
		return fmt.Errorf("must be from -%g to %g", limit, limit)
	}
	if p.Point == nil {
		p.Point = &earshot.Point{Latitude: math.NaN(), Longitude: math.NaN()}
	}
	*coordinate(p.Point), p.Geotagged = n, true
	return nil
}

// setContinent stores a continent as the author's location. Queries find it there unless the post
// has a country, which determines the continent.
func setContinent(p *earshot.Post, value any) error {
	name, err := readName(value)
	if continent, ok := geo.FindContinent(name); ok && p.Location == "" {
		p.Location = continent
	}
	return err
}

// setCountry accepts a code or a name. An unknown country is stored unchanged.
func setCountry(p *earshot.Post, value any) error {
	name, err := readName(value)
	if c, ok := geo.FindCountry(name); ok {
		name = c.Code
	}
	p.Place.Country = name
	return err
}

// stateOf returns the state of a place for a region of a country, for example CA for California. It
// returns region unchanged if the country has no such region.
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

// setCustoms accepts an object of custom fields.
func setCustoms(p *earshot.Post, value any) error {
	fields, ok := value.(map[string]any)
	if !ok {
		return errors.New("must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) { // sorted, so the first error is deterministic
		if err := setCustom(p, name, fields[name]); err != nil {
			return err
		}
	}
	return nil
}

// setDottedCustoms applies the members named custom.NAME. The name is case-sensitive.
func setDottedCustoms(p *earshot.Post, members map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(members)) {
		prefix, name, _ := strings.Cut(key, ".")
		if !strings.EqualFold(prefix, "custom") || name == "" {
			continue
		}
		if err := setCustom(p, name, members[key]); err != nil {
			return within("custom", err)
		}
	}
	return nil
}

// setCustom accepts a string, a number or a boolean as the text of a custom field.
func setCustom(p *earshot.Post, name string, value any) error {
	if value == nil {
		return nil
	}
	text, err := readText(value)
	if truth, ok := value.(bool); ok {
		text, err = strconv.FormatBool(truth), nil
	}
	if err != nil {
		return within(earshot.Clip(name, 60), err)
	}
	if p.Custom == nil {
		p.Custom = map[string]string{}
	}
	p.Custom[name] = text
	return nil
}
