// Package enginekit contains code that the engines of the post store share: the keys of dimensions,
// the predicates of selections, the arithmetic of counters, and the order and truncation of rows.
// Callers of a store need only package poststore.
package enginekit

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
	"earshot/internal/poststore"
)

// AppendKeys appends the values of a post in a dimension, without duplicates or empty values. zone
// must not be nil.
func AppendKeys(keys []string, d poststore.Dim, p *earshot.Post, zone *time.Location) []string {
	switch d {
	case poststore.ByHashtag:
		return appendDistinct(keys, p.Hashtags)
	case poststore.ByCashtag:
		return appendDistinct(keys, p.Cashtags)
	case poststore.ByInterest:
		return appendDistinct(keys, Interests(p))
	case poststore.ByImageClass:
		return appendDistinct(keys, ImageClasses(p))
	case poststore.ByBrand:
		return appendDistinct(keys, Brands(p))
	}
	if key := singleKey(d, p, zone); key != "" {
		keys = append(keys, key)
	}
	return keys
}

// singleKey returns the value of a post in a dimension with at most one value per post.
func singleKey(d poststore.Dim, p *earshot.Post, zone *time.Location) string {
	switch d {
	case poststore.ByHour:
		return period.Hour(p.Time.In(zone)).UTC().Format(time.RFC3339)
	case poststore.ByDay:
		return p.Time.In(zone).Format(time.DateOnly)
	case poststore.BySource:
		return string(p.Source)
	case poststore.ByContentSource:
		if p.ContentSource != 0 {
			return strconv.FormatInt(int64(p.ContentSource), 10)
		}
	case poststore.BySite:
		return RegisteredDomain(p.Site)
	case poststore.ByLanguage:
		return p.Language
	case poststore.ByCountry:
		return p.Place.Country
	case poststore.ByState:
		return stateID(p.Place)
	case poststore.ByCity:
		if p.Place.City != "" && stateID(p.Place) != "" {
			return p.Place.ID()
		}
	case poststore.ByGender:
		return string(p.Gender)
	case poststore.ByAge:
		return poststore.AgeGroup(p).String()
	case poststore.ByAuthor:
		return AuthorKey(p)
	case poststore.ByEngagement:
		return string(p.Engagement)
	case poststore.ByParent:
		return p.ParentGUID
	case poststore.BySentiment:
		return nameAt(earshot.BasicCategories, p.Sentiment.Assigned())
	case poststore.ByEmotion:
		return nameAt(earshot.BasicEmotions, p.Emotion.Assigned())
	case poststore.BySentimentCell:
		return cellKey(p.Sentiment.Cell())
	case poststore.ByEmotionCell:
		return cellKey(p.Emotion.Cell())
	case poststore.ByModels:
		return strconv.FormatUint(uint64(p.InferredBy), 10)
	case poststore.ByPicture:
		if len(p.Images) > 0 {
			return "yes"
		}
	case poststore.ByRetweeted:
		if p.Engagement == earshot.Retweet && p.ParentGUID != "" {
			return string(p.Source) + " " + p.ParentGUID
		}
	case poststore.ByClock:
		return poststore.ClockKey(p.Time.In(ZoneAt(p.Place, zone)))
	}
	return ""
}

// stateID returns the geography id of the state that p is, or is in.
func stateID(p earshot.Place) string {
	if p.Country == "" || p.State == "" {
		return ""
	}
	return earshot.Place{Country: p.Country, State: p.State}.ID()
}

// appendDistinct appends values that are not empty and not yet appended. Posts have a handful of
// values, so a linear search is faster than a set.
func appendDistinct(keys, values []string) []string {
	first := len(keys)
	for _, v := range values {
		if v != "" && !slices.Contains(keys[first:], v) {
			keys = append(keys, v)
		}
	}
	return keys
}

// ZoneAt returns the time zone of a place, or otherwise if it is unknown.
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

// AuthorKey returns the key of ByAuthor: the username, or the display name if there is none, in
// lower case. It is empty if the post states neither.
func AuthorKey(p *earshot.Post) string {
	if p.AuthorUsername != "" {
		return strings.ToLower(p.AuthorUsername)
	}
	return strings.ToLower(p.Author)
}

// cellKey returns the key of a cell, or "" for unknown scores.
func cellKey(c earshot.ScoreCell) string {
	if c == 0 {
		return ""
	}
	return strconv.Itoa(int(c))
}

func nameAt(names []string, index int) string {
	if index < 0 {
		return ""
	}
	return names[index]
}

// RegisteredDomain returns the registered domain of a host, for example bbc.co.uk for
// news.bbc.co.uk. It returns ann.blogspot.com unchanged because blogs on that site belong to
// different people. A host without a registered domain, such as an IP address, is returned
// unchanged.
func RegisteredDomain(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || net.ParseIP(host) != nil {
		return host
	}
	return domain
}

// Interests returns the keys of a post for ByInterest, possibly with duplicates.
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

// ImageClasses returns the keys of a post for ByImageClass, possibly with duplicates.
func ImageClasses(p *earshot.Post) (keys []string) {
	for _, image := range p.Images {
		for _, o := range image.Objects {
			keys = append(keys, strconv.FormatInt(o.ClassID, 10)+" "+o.ClassName)
		}
	}
	return keys
}

// Brands returns the keys of a post for ByBrand, possibly with duplicates.
func Brands(p *earshot.Post) (keys []string) {
	for _, image := range p.Images {
		for _, b := range image.Brands {
			keys = append(keys, strings.ReplaceAll(b.ID, " ", "_")+" "+b.Name)
		}
	}
	return keys
}
