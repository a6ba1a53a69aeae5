package main

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"earshot"
)

// A member is a key of an object that sets an attribute of a post.
type member struct {
	key string
	set func(p *earshot.Post, value any) error // value is never null
}

// setMembers applies the members of an object to a post. The case of keys is ignored.
func setMembers(p *earshot.Post, all []member, object map[string]any) error {
	object = foldKeys(object)
	for _, m := range all {
		value := object[strings.ToLower(m.key)]
		if value == nil { // null is the same as an absent key
			continue
		}
		if err := m.set(p, value); err != nil {
			return within(m.key, err)
		}
	}
	return nil
}

// foldKeys returns the object with keys in lower case. If keys differ only in case, the choice
// between them is deterministic.
func foldKeys(object map[string]any) map[string]any {
	folded := make(map[string]any, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		folded[strings.ToLower(key)] = object[key]
	}
	return folded
}

// A memberError describes what is wrong with a member, which may be nested.
type memberError struct{ path, problem string }

func (e *memberError) Error() string { return e.path + " " + e.problem }

// within adds key to the path of err.
func within(key string, err error) error {
	var inner *memberError
	if errors.As(err, &inner) {
		return &memberError{key + "." + inner.path, inner.problem}
	}
	return &memberError{key, err.Error()}
}

// postMembers contains the names of import lines and of the query language. If two names set the
// same attribute, the later one wins.
var postMembers = []member{
	{"type", setSource},
	{"pubType", setSource},
	{"source", setSource},
	{"guid", textSetter(func(p *earshot.Post) *string { return &p.GUID })},
	{"url", textSetter(func(p *earshot.Post) *string { return &p.URL })},
	{"site", setSite},
	{"date", setDate},
	{"title", textSetter(func(p *earshot.Post) *string { return &p.Title })},
	{"contents", textSetter(func(p *earshot.Post) *string { return &p.Contents })},
	{"language", setLanguage},

	{"author", textSetter(func(p *earshot.Post) *string { return &p.Author })},
	{"authorUsername", textSetter(func(p *earshot.Post) *string { return &p.AuthorUsername })},
	{"authorProfileId", textSetter(func(p *earshot.Post) *string { return &p.AuthorProfileID })},
	{"bio", textSetter(func(p *earshot.Post) *string { return &p.Bio })},
	{"authorGender", setGender},
	{"authorAge", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Age })},
	{"authorFollowers", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Followers })},
	{"authorFollowing", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Following })},
	{"authorPosts", countSetter(func(p *earshot.Post) *earshot.Count { return &p.AuthorPosts })},
	{"authorKlout", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Klout })},
	{"authorVerified", setVerified},

	{"location", textSetter(func(p *earshot.Post) *string { return &p.Location })},
	{"geolocation", setGeolocation},
	{"continent", setContinent},
	{"country", setCountry},
	{"region", textSetter(func(p *earshot.Post) *string { return &p.Place.State })},
	{"city", textSetter(func(p *earshot.Post) *string { return &p.Place.City })},
	{"latitude", setLatitude},
	{"longitude", setLongitude},

	{"engagementType", setEngagement},
	{"engagingWith", textSetter(func(p *earshot.Post) *string { return &p.EngagingWith })},
	{"parentGuid", textSetter(func(p *earshot.Post) *string { return &p.ParentGUID })},
	{"pageId", textSetter(func(p *earshot.Post) *string { return &p.PageID })},
	{"likes", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Likes })},
	{"shares", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Shares })},
	{"comments", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Comments })},
	{"replies", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Replies })},
	{"retweets", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Retweets })},
	{"views", countSetter(func(p *earshot.Post) *earshot.Count { return &p.Views })},
	{"rating", setRating},

	{"hashtags", tagsSetter(func(p *earshot.Post) *[]string { return &p.Hashtags })},
	{"mentions", tagsSetter(func(p *earshot.Post) *[]string { return &p.Mentions })},
	{"at_mentions", tagsSetter(func(p *earshot.Post) *[]string { return &p.Mentions })},
	{"links", urlsSetter(func(p *earshot.Post) *[]string { return &p.Links })},
	{"mediaUrls", urlsSetter(func(p *earshot.Post) *[]string { return &p.MediaURLs })},
	{"custom", setCustoms},
}

// geolocationMembers are the members of the object geolocation.
var geolocationMembers = []member{
	{"id", setPlace},
	{"latitude", setLatitude},
	{"longitude", setLongitude},
	{"zipcode", textSetter(func(p *earshot.Post) *string { return &p.Zipcode })},
}

func textSetter(target func(*earshot.Post) *string) func(*earshot.Post, any) error {
	return func(p *earshot.Post, value any) (err error) {
		*target(p), err = readText(value)
		return err
	}
}

func countSetter(target func(*earshot.Post) *earshot.Count) func(*earshot.Post, any) error {
	return func(p *earshot.Post, value any) (err error) {
		*target(p), err = readCount(value)
		return err
	}
}

// tagsSetter accepts a list, or a string of tags separated by whitespace, commas or bars.
func tagsSetter(target func(*earshot.Post) *[]string) func(*earshot.Post, any) error {
	return func(p *earshot.Post, value any) (err error) {
		*target(p), err = readTexts(value, " \t\r\n,;|")
		return err
	}
}

// urlsSetter accepts a list, or a string of URLs, which may contain commas.
func urlsSetter(target func(*earshot.Post) *[]string) func(*earshot.Post, any) error {
	return func(p *earshot.Post, value any) (err error) {
		*target(p), err = readTexts(value, " \t\r\n|")
		return err
	}
}
