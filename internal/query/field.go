package query

import (
	"strings"

	"earshot"
	"earshot/internal/geo"
)

// A field is a part of a post that a query can name.
type field struct {
	name string // as printed
	kind fieldKind

	// texts yields the pieces of a field of words, values those of one of values.
	texts  func(p *earshot.Post, yield func(string))
	values func(p *earshot.Post, yield func(string))

	// number returns the figure of a field of numbers, and whether the post states it.
	number func(p *earshot.Post) (float64, bool)

	// canonical brings what a query says of a field of values into the spelling that
	// values yields; nil leaves it as it is.
	canonical func(value string) string

	// isKnown reports whether posts may have a value, where that can be told, and
	// meaning says what the values are.
	isKnown  func(value string) bool
	expected string
}

// A fieldKind says how a field is compared.
type fieldKind int

const (
	kindWords   fieldKind = iota // like the contents: words, phrases, NEAR …
	kindValues                   // as a whole, in any case of letters
	kindHosts                    // a domain and those below it
	kindIDs                      // as a whole, exactly
	kindNumbers                  // a number or a range of them
)

// findField returns the field of that name, in any case of letters.
func findField(name string) (*field, bool) {
	if custom, ok := cutPrefixFold(name, "custom."); ok && custom != "" {
		return customField(custom), true
	}
	for i := range fields {
		if strings.EqualFold(fields[i].name, name) {
			return &fields[i], true
		}
	}
	return nil, false
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// fields are the fields that all posts may have.
var fields = []field{
	{name: "title", kind: kindWords, texts: func(p *earshot.Post, yield func(string)) { yield(p.Title) }},
	{name: "contents", kind: kindWords, texts: func(p *earshot.Post, yield func(string)) { yield(p.Contents) }},
	{name: "author", kind: kindWords, texts: authorNames},
	{name: "bio", kind: kindWords, texts: func(p *earshot.Post, yield func(string)) { yield(p.Bio) }},
	{name: "url", kind: kindWords, texts: func(p *earshot.Post, yield func(string)) { yield(p.URL) }},
	{name: "links", kind: kindWords, texts: func(p *earshot.Post, yield func(string)) { yieldAll(p.Links, yield) }},

	{name: "hashtags", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yieldAll(p.Hashtags, yield) }, canonical: trimSigil("#")},
	{name: "at_mentions", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yieldAll(p.Mentions, yield) }, canonical: trimSigil("@")},
	{name: "authorGender", kind: kindValues, values: gender, canonical: canonicalIn(genders), isKnown: oneOf("M", "F", "unknown"), expected: "M, F or unknown"},
	{name: "authorVerified", kind: kindValues, values: verified, canonical: canonicalIn(truths), isKnown: oneOf("true", "false"), expected: "true or false"},
	{name: "language", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Language) }, isKnown: isLanguage, expected: "the code of a supported language, like en"},
	{name: "country", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Place.Country) }, canonical: countryCode, isKnown: isCountry, expected: "a country that is known by code or name"},
	{name: "region", kind: kindValues, values: regionNames},
	{name: "city", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Place.City) }},
	{name: "continent", kind: kindValues, values: continent, canonical: geo.ContinentName, isKnown: isContinent, expected: "a continent"},
	{name: "source", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Source)) }, canonical: sourceName, isKnown: isNetwork, expected: "a network; it is taken for the name of a content source"},
	{name: "pubType", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Source)) }, canonical: sourceName, isKnown: isNetwork, expected: "a network; it is taken for the name of a content source"},
	{name: "engagementType", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Engagement)) }, isKnown: oneOf("POST", "RETWEET", "REPLY", "COMMENT"), expected: "POST, RETWEET, REPLY or COMMENT"},
	{name: "engagingWith", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(p.EngagingWith) }, canonical: trimSigil("@")},

	{name: "site", kind: kindHosts, values: func(p *earshot.Post, yield func(string)) { yield(p.Site) }, canonical: hostOf},

	{name: "guid", kind: kindIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.GUID) }},
	{name: "parentGuid", kind: kindIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.ParentGUID) }},
	{name: "pageId", kind: kindIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.PageID) }},

	{name: "authorFollowers", kind: kindNumbers, number: followers},
	{name: "latitude", kind: kindNumbers, number: latitude},
	{name: "longitude", kind: kindNumbers, number: longitude},
	{name: "rating", kind: kindNumbers, number: rating},
}
