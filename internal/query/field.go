package query

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/geo"
)

// A field is a field of a post that queries can name.
type field struct {
	name string // the spelling that print uses
	kind fieldKind

	// texts yields the texts of a field of words. values yields the values of any other field.
	texts  func(p *earshot.Post, yield func(string))
	values func(p *earshot.Post, yield func(string))

	// number returns the value of a field of numbers, and whether the post has one.
	number func(p *earshot.Post) (float64, bool)

	// canonical converts a value in a query to the spelling that values yields. It may be nil.
	canonical func(value string) string

	// isKnown reports whether a value is valid, and expected describes the valid values for a
	// message. If isKnown is nil, all values are valid. mayOccur reports whether a post may
	// nevertheless have a value that is not known; if it is nil, no post has.
	isKnown  func(value string) bool
	mayOccur func(value string) bool
	expected string

	// bounds are the lowest and the highest number that expected describes. Nil: any number.
	bounds *[2]float64
}

// A fieldKind determines how a field is compared.
type fieldKind int

const (
	kindWords   fieldKind = iota // like the contents, with words, phrases and NEAR
	kindValues                   // the whole value, ignoring case
	kindHosts                    // a domain and its subdomains
	kindIDs                      // the whole value, exactly
	kindNumbers                  // a number or a range
)

// findField returns the field with the given name, ignoring case.
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

// fields lists the fields that any post may have.
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
	{name: "language", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Language) }, isKnown: isLanguage, mayOccur: isLanguageCode, expected: "the code of a supported language: " + strings.Join(earshot.Languages, ", ")},
	{name: "country", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Place.Country) }, canonical: countryCode, isKnown: isCountry, expected: "a known country code or name, for example DE, DEU or Germany"},
	{name: "region", kind: kindValues, values: regionNames},
	{name: "city", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(p.Place.City) }},
	{name: "continent", kind: kindValues, values: continent, canonical: geo.ContinentName, isKnown: isContinent, expected: "a continent: Africa, Antarctica, Asia, Europe, North America, Oceania or South America"},
	{name: "source", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Source)) }, canonical: sourceName, isKnown: isNetwork, mayOccur: anyValue, expected: networkNames()},
	{name: "pubType", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Source)) }, canonical: sourceName, isKnown: isNetwork, mayOccur: anyValue, expected: networkNames()},
	{name: "engagementType", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(string(p.Engagement)) }, isKnown: oneOf("POST", "RETWEET", "REPLY", "COMMENT"), expected: "POST, RETWEET, REPLY or COMMENT"},
	{name: "engagingWith", kind: kindValues, values: func(p *earshot.Post, yield func(string)) { yield(p.EngagingWith) }, canonical: trimSigil("@")},

	{name: "site", kind: kindHosts, values: func(p *earshot.Post, yield func(string)) { yield(p.Site) }, canonical: hostOf},

	{name: "guid", kind: kindIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.GUID) }},
	{name: "parentGuid", kind: kindIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.ParentGUID) }},
	{name: "pageId", kind: kindIDs, values: func(p *earshot.Post, yield func(string)) { yield(p.PageID) }},

	{name: "authorFollowers", kind: kindNumbers, number: followers, bounds: &[2]float64{0, math.Inf(1)}, expected: "a number of followers, which is 0 or more"},
	{name: "latitude", kind: kindNumbers, number: latitude, bounds: &[2]float64{-90, 90}, expected: "a latitude from -90 to 90"},
	{name: "longitude", kind: kindNumbers, number: longitude, bounds: &[2]float64{-180, 180}, expected: "a longitude from -180 to 180"},
	{name: "rating", kind: kindNumbers, number: rating, bounds: &[2]float64{0, 5}, expected: "a rating from 0 to 5; only posts from sources with another scale may have it"},
}

// customField returns the field for a custom field. Its value is text. It is also a number if it
// parses as one.
func customField(name string) *field {
	value := func(p *earshot.Post) string {
		if v, ok := p.Custom[name]; ok {
			return v
		}
		first := ""
		for k := range p.Custom {
			if strings.EqualFold(k, name) && (first == "" || k < first) {
				first = k
			}
		}
		return p.Custom[first]
	}
	return &field{
		name:  "custom." + name,
		kind:  kindWords,
		texts: func(p *earshot.Post, yield func(string)) { yield(value(p)) },
		number: func(p *earshot.Post) (float64, bool) {
			n, err := strconv.ParseFloat(strings.TrimSpace(value(p)), 64)
			return n, err == nil
		},
	}
}

func yieldAll(values []string, yield func(string)) {
	for _, v := range values {
		yield(v)
	}
}

func authorNames(p *earshot.Post, yield func(string)) {
	yield(p.Author)
	if p.AuthorUsername != p.Author {
		yield(p.AuthorUsername)
	}
}

func gender(p *earshot.Post, yield func(string)) {
	if p.Gender == "" {
		yield("unknown")
	}
	yield(string(p.Gender))
}

func verified(p *earshot.Post, yield func(string)) { yield(strconv.FormatBool(p.Verified)) }

func regionNames(p *earshot.Post, yield func(string)) {
	if p.Place.State == "" {
		return
	}
	yield(p.Place.State)
	if item, ok := geo.Lookup(earshot.Place{Country: p.Place.Country, State: p.Place.State}); ok && item.Name != p.Place.State {
		yield(item.Name) // California for the state CA
	}
}

func continent(p *earshot.Post, yield func(string)) {
	if c, ok := geo.FindCountry(p.Place.Country); ok {
		yield(c.Continent)
	} else if name, ok := geo.FindContinent(p.Location); ok {
		yield(name)
	}
}

func followers(p *earshot.Post) (float64, bool) {
	n, isSet := p.Followers.Value()
	return float64(n), isSet
}

func latitude(p *earshot.Post) (float64, bool) {
	if p.Point == nil {
		return 0, false
	}
	return p.Point.Latitude, true
}

func longitude(p *earshot.Post) (float64, bool) {
	if p.Point == nil {
		return 0, false
	}
	return p.Point.Longitude, true
}

func rating(p *earshot.Post) (float64, bool) {
	if p.Rating == nil {
		return 0, false
	}
	return *p.Rating, true
}

// Alternative spellings that queries may use for canonical values.
var (
	genders = map[string]string{"male": "M", "man": "M", "female": "F", "woman": "F", "u": "unknown"}
	truths  = map[string]string{"yes": "true", "1": "true", "no": "false", "0": "false"}
)

func canonicalIn(spellings map[string]string) func(string) string {
	return func(value string) string {
		if canonical, ok := spellings[strings.ToLower(value)]; ok {
			return canonical
		}
		return value
	}
}

// countryCode converts a two- or three-letter code or a country name to the two-letter code.
func countryCode(value string) string {
	if c, ok := geo.FindCountry(value); ok {
		return c.Code
	}
	return value
}

// sourceName converts a network's display name or analysis name, singular or plural.
func sourceName(value string) string {
	for _, name := range []string{value, value + "s"} {
		if network, ok := earshot.FindNetwork(name); ok {
			return string(network)
		}
	}
	return value
}

// oneOf returns a function that reports whether a value is one of a few, or an alternative spelling
// of one.
func oneOf(values ...string) func(string) bool {
	return func(value string) bool {
		for _, spell := range []map[string]string{genders, truths} {
			if as, ok := spell[strings.ToLower(value)]; ok {
				value = as
			}
		}
		return slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, value) })
	}
}

func isLanguage(value string) bool {
	_, ok := earshot.FindLanguage(value)
	return ok
}

// isLanguageCode reports whether a value has the form of a code. Posts may state languages that are
// not supported.
func isLanguageCode(value string) bool {
	return len(value) == 2 && strings.Trim(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz") == ""
}

func anyValue(string) bool { return true }

// networkNames describes the values of a source that are not content sources.
func networkNames() string {
	names := make([]string, len(earshot.Networks))
	for i, n := range earshot.Networks {
		names[i] = string(n)
	}
	return "one of the networks " + strings.Join(names, ", ") + "; it is treated as the name of a content source"
}

func isCountry(value string) bool {
	_, ok := geo.FindCountry(value)
	return ok
}

func isContinent(value string) bool {
	_, ok := geo.FindContinent(value)
	return ok
}

func isNetwork(value string) bool {
	_, ok := earshot.FindNetwork(sourceName(value))
	return ok
}

// trimSigil returns a function that removes the sigil of a tag.
func trimSigil(sigil string) func(string) string {
	return func(value string) string { return strings.TrimLeft(value, sigil) }
}

// hostOf extracts the host from a domain or URL, without www.
func hostOf(value string) string {
	ends := "/#: "
	if _, rest, ok := strings.Cut(value, "://"); ok {
		value, ends = rest, ends+"?" // outside URLs, ? is a wildcard
	}
	if i := strings.IndexAny(value, ends); i >= 0 {
		value = value[:i]
	}
	value = strings.ToLower(strings.Trim(value, "."))
	for strings.HasPrefix(value, "www.") {
		value = strings.TrimLeft(value[len("www."):], ".")
	}
	return value
}
