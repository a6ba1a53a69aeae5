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

	// spell brings what a query says of a field of values into the spelling that
	// values yields; nil leaves it as it is.
	spell func(value string) string

	// known reports whether posts may have a value, where that can be told, and
	// meaning says what the values are.
	known   func(value string) bool
	meaning string
}

// A fieldKind says how a field is compared.
type fieldKind int

const (
	ofWords   fieldKind = iota // like the contents: words, phrases, NEAR …
	ofValues                   // as a whole, in any case of letters
	ofHosts                    // a domain and those below it
	ofIDs                      // as a whole, exactly
	ofNumbers                  // a number or a range of them
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
	{name: "title", kind: ofWords, texts: func(p *earshot.Post, yield func(string)) { yield(p.Title) }},
	{name: "contents", kind: ofWords, texts: func(p *earshot.Post, yield func(string)) { yield(p.Contents) }},
	{name: "author", kind: ofWords, texts: authorNames},
	{name: "bio", kind: ofWords, texts: func(p *earshot.Post, yield func(string)) { yield(p.Bio) }},
	{name: "url", kind: ofWords, texts: func(p *earshot.Post, yield func(string)) { yield(p.URL) }},
	{name: "links", kind: ofWords, texts: func(p *earshot.Post, yield func(string)) { all(p.Links, yield) }},

	{name: "hashtags", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { all(p.Hashtags, yield) }, spell: without("#")},
	{name: "at_mentions", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { all(p.Mentions, yield) }, spell: without("@")},
	{name: "authorGender", kind: ofValues, values: gender, spell: spelledAs(genders), known: oneOf("M", "F", "unknown"), meaning: "M, F or unknown"},
	{name: "authorVerified", kind: ofValues, values: verified, spell: spelledAs(truths), known: oneOf("true", "false"), meaning: "true or false"},
	{name: "language", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Language) }, known: isLanguage, meaning: "the code of a supported language, like en"},
	{name: "country", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Place.Country) }, spell: countryCode, known: isCountry, meaning: "a country that is known by code or name"},
	{name: "region", kind: ofValues, values: regionNames},
	{name: "city", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Place.City) }},
	{name: "continent", kind: ofValues, values: continent, spell: geo.ContinentName, known: isContinent, meaning: "a continent"},
	{name: "source", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Source)) }, spell: sourceName, known: isNetwork, meaning: "a network; it is taken for the name of a content source"},
	{name: "pubType", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Source)) }, spell: sourceName, known: isNetwork, meaning: "a network; it is taken for the name of a content source"},
	{name: "engagementType", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Engagement)) }, known: oneOf("POST", "RETWEET", "REPLY", "COMMENT"), meaning: "POST, RETWEET, REPLY or COMMENT"},
	{name: "engagingWith", kind: ofValues, values: func(p *earshot.Post, yield func(string)) { yield(p.EngagingWith) }, spell: without("@")},

	{name: "site", kind: ofHosts, values: func(p *earshot.Post, yield func(string)) { yield(p.Site) }, spell: hostOf},

	{name: "guid", kind: ofIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.GUID) }},
	{name: "parentGuid", kind: ofIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.ParentGUID) }},
	{name: "pageId", kind: ofIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.PageID) }},

	{name: "authorFollowers", kind: ofNumbers, number: followers},
	{name: "latitude", kind: ofNumbers, number: latitude},
	{name: "longitude", kind: ofNumbers, number: longitude},
	{name: "rating", kind: ofNumbers, number: rating},
}
