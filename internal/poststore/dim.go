package poststore

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/period"
)

// Dims lists everything that posts are counted by.
var Dims = []Dim{
	ByHour, ByDay, BySource, ByContentSource, BySite, ByLanguage, ByCountry, ByState, ByCity,
	ByGender, ByAge, ByAuthor, ByHashtag, ByEngagement, ByParent,
	BySentiment, ByEmotion, ByInterest, ByImageClass, ByBrand,
	ByPicture, ByClock, ByRetweeted, ByCashtag,
}

// AppendKeys appends the values that p has of d, each once and never empty, and
// returns the extended slice. The zone must not be nil.
func (d Dim) AppendKeys(keys []string, p *earshot.Post, zone *time.Location) []string {
	switch d {
	case ByHashtag:
		return appendDistinct(keys, p.Hashtags)
	case ByCashtag:
		return appendDistinct(keys, p.Cashtags)
	case ByInterest:
		return appendDistinct(keys, Interests(p))
	case ByImageClass:
		return appendDistinct(keys, ImageClasses(p))
	case ByBrand:
		return appendDistinct(keys, Brands(p))
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
		return RegisteredDomain(p.Site)
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
		return AgeGroup(p).String()
	case ByAuthor:
		return AuthorKey(p)
	case ByEngagement:
		return string(p.Engagement)
	case ByParent:
		return p.ParentGUID
	case BySentiment:
		return nameAt(earshot.BasicCategories, p.Sentiment.Assigned())
	case ByEmotion:
		return nameAt(earshot.BasicEmotions, p.Emotion.Assigned())
	case ByPicture:
		if len(p.Images) > 0 {
			return "yes"
		}
	case ByRetweeted:
		if p.Engagement == earshot.Retweet && p.ParentGUID != "" {
			return string(p.Source) + " " + p.ParentGUID
		}
	case ByClock:
		return Clock(p.Time.In(ZoneAt(p.Place, zone)))
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

// ZoneAt returns the zone of a place, and another one where that is not known.
func ZoneAt(p earshot.Place, otherwise *time.Location) *time.Location {
	if p.IsZero() {
		return otherwise
	}
	name, ok := geo.TimeZone(p)
	if !ok {
		return otherwise
	}
	zone, err := earshot.Zone(name)
	if err != nil {
		return otherwise
	}
	return zone
}

// Clock returns the key of ByClock for what a clock shows.
func Clock(t time.Time) string { return t.Weekday().String() + " " + strconv.Itoa(t.Hour()) }

// AuthorKey returns what authors are told apart by: the user name, else the
// author as shown, in lower case. It is empty when the post states neither.
func AuthorKey(p *earshot.Post) string {
	if p.AuthorUsername != "" {
		return strings.ToLower(p.AuthorUsername)
	}
	return strings.ToLower(p.Author)
}

// AgeGroup returns the bracket that a post's author is in: that of the age, where the
// post states one.
func AgeGroup(p *earshot.Post) earshot.AgeGroup {
	if years, stated := p.Age.Value(); stated {
		return earshot.AgeGroupOf(years)
	}
	return p.AgeGroup
}

func nameAt(names []string, place int) string {
	if place < 0 {
		return ""
	}
	return names[place]
}

// RegisteredDomain returns the part of a host that someone registered: bbc.co.uk for
// news.bbc.co.uk, and ann.blogspot.com as it is, because blogs there are different
// people's. A host that has no such part, such as an address, counts as a whole.
func RegisteredDomain(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || net.ParseIP(host) != nil {
		return host
	}
	return domain
}

// Interests returns the keys of the interests of a post and its author, perhaps some twice.
func Interests(p *earshot.Post) []string {
	if len(p.Interests)+len(p.AuthorInterests) == 0 {
		return nil
	}
	keys := make([]string, 0, len(p.Interests)+len(p.AuthorInterests))
	for _, list := range [][]earshot.InterestID{p.Interests, p.AuthorInterests} {
		for _, id := range list {
			keys = append(keys, strconv.Itoa(int(id)))
		}
	}
	return keys
}

// ImageClasses returns the keys of what a post's images show, perhaps some twice.
func ImageClasses(p *earshot.Post) (keys []string) {
	for _, image := range p.Images {
		for _, o := range image.Objects {
			keys = append(keys, strconv.FormatInt(o.ClassID, 10)+" "+o.ClassName)
		}
	}
	return keys
}

// Brands returns the keys of the logos that a post's images show, perhaps some twice.
func Brands(p *earshot.Post) (keys []string) {
	for _, image := range p.Images {
		for _, b := range image.Brands {
			keys = append(keys, strings.ReplaceAll(b.ID, " ", "_")+" "+b.Name)
		}
	}
	return keys
}
