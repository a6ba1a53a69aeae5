package poststore

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/period"
)

// Dims lists everything that posts are counted by.
var Dims = []Dim{
	ByHour, ByDay, BySource, ByContentSource, BySite, ByLanguage, ByCountry, ByState, ByCity,
	ByGender, ByAge, ByAuthor, ByHashtag, ByEngagement, ByParent,
}

// AppendKeys appends the values that p has of d, each once and never empty, and
// returns the extended slice. The zone must not be nil.
func (d Dim) AppendKeys(keys []string, p *earshot.Post, zone *time.Location) []string {
	if d == ByHashtag {
		return appendDistinct(keys, p.Hashtags)
	}
	if key := d.key(p, zone); key != "" {
		keys = append(keys, key)
	}
	return keys
}

// key returns the value of a dimension that has at most one.
func (d Dim) key(p *earshot.Post, zone *time.Location) string {
	switch d {
	case ByHour:
		return period.Hour(p.Time.In(zone)).UTC().Format(time.RFC3339)
	case ByDay:
		return p.Time.In(zone).Format(time.DateOnly)
	case BySource:
		return string(p.Source)
	case ByContentSource:
		if p.ContentSource != 0 {
			return strconv.FormatInt(int64(p.ContentSource), 10)
		}
	case BySite:
		return p.Site
	case ByLanguage:
		return p.Language
	case ByCountry:
		return p.Place.Country
	case ByState:
		return stateID(p.Place)
	case ByCity:
		if p.Place.City != "" && stateID(p.Place) != "" {
			return p.Place.ID()
		}
	case ByGender:
		return string(p.Gender)
	case ByAge:
		if years, stated := p.Age.Value(); stated {
			return AgeBracket(years)
		}
	case ByAuthor:
		return AuthorKey(p)
	case ByEngagement:
		return string(p.Engagement)
	case ByParent:
		return p.ParentGUID
	}
	return ""
}

// stateID returns the geography id of the state that p is or lies in.
func stateID(p earshot.Place) string {
	if p.Country == "" || p.State == "" {
		return ""
	}
	return earshot.Place{Country: p.Country, State: p.State}.ID()
}

// appendDistinct appends what is not empty and not among the appended yet. Posts
// have a handful of values, so looking through them beats a set.
func appendDistinct(keys, values []string) []string {
	first := len(keys)
	for _, v := range values {
		if v != "" && !slices.Contains(keys[first:], v) {
			keys = append(keys, v)
		}
	}
	return keys
}

// AuthorKey returns what authors are told apart by: the user name, else the
// author as shown, in lower case. It is empty when the post states neither.
func AuthorKey(p *earshot.Post) string {
	if p.AuthorUsername != "" {
		return strings.ToLower(p.AuthorUsername)
	}
	return strings.ToLower(p.Author)
}

// AgeBrackets lists the values of ByAge, youngest first.
var AgeBrackets = []string{"ZERO_TO_SEVENTEEN", "EIGHTEEN_TO_TWENTYFOUR", "TWENTYFIVE_TO_THIRTYFOUR", "THIRTYFIVE_AND_OVER"}

// AgeBracket returns the bracket of an age in years.
func AgeBracket(years int64) string {
	switch {
	case years < 18:
		return AgeBrackets[0]
	case years < 25:
		return AgeBrackets[1]
	case years < 35:
		return AgeBrackets[2]
	}
	return AgeBrackets[3]
}
