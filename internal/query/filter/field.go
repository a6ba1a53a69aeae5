package filter

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"earshot"
)

// A Field is an attribute of posts that a filter compares with values.
type Field string

// Fields that every filter accepts.
const (
	Site        Field = "site"
	Keywords    Field = "keywords"
	Geolocation Field = "geolocation"
	Category    Field = "category"
	Language    Field = "language"
	Source      Field = "source"
	Gender      Field = "gender"
	Author      Field = "author"
)

// Fields that only a [Refinement] accepts.
const (
	Sentiment    Field = "sentiment"
	Emotion      Field = "emotion"
	Hashtag      Field = "hashtag"
	Age          Field = "age"
	Interest     Field = "interest"
	Image        Field = "image"
	Brand        Field = "brand"
	Weekday      Field = "weekday"
	Hour         Field = "hour"
	Time         Field = "time"
	Engagement   Field = "engagement"
	Followers    Field = "followers"
	Likes        Field = "likes"
	Shares       Field = "shares"
	Comments     Field = "comments"
	Interactions Field = "interactions"
	Own          Field = "own"
	Tag          Field = "tag"
	Starred      Field = "starred"
	Assigned     Field = "assigned"
	Corrected    Field = "corrected"
)

// Fields lists the fields that every filter accepts, in the order in which messages show them.
var Fields = []Field{Site, Keywords, Geolocation, Category, Language, Source, Gender, Author}

var refinementFields = []Field{
	Sentiment, Emotion, Hashtag, Age, Interest, Image, Brand, Weekday, Hour, Time, Engagement,
	Followers, Likes, Shares, Comments, Interactions, Own, Tag, Starred, Assigned, Corrected,
}

func joinFields(list []Field) string {
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(f))
	}
	return b.String()
}

// separators maps fields to the separator of their values. The default is ",".
var separators = map[Field]string{Geolocation: ";"}

// Separator returns what separates values.
func (f Field) Separator() string { return cmp.Or(separators[f], ",") }

// Is returns the filter of posts for which the field has one of the values.
func (f Field) Is(values ...string) string {
	return string(f) + ":" + strings.Join(values, f.Separator())
}

// In reports whether a filter may have the field. It can also be part of a value.
func (f Field) In(filter string) bool { return strings.Contains(filter, string(f)+":") }

// Only is like Is for one value. It returns "" if no filter has that value, because it contains what
// separates values.
func (f Field) Only(value string) string {
	if strings.ContainsAny(value, ",|") {
		return ""
	}
	return f.Is(value)
}

// And returns a filter of the posts that all filters select. Filters can be empty, which selects all
// posts.
func And(filters ...string) string {
	filters = slices.DeleteFunc(filters, func(f string) bool { return f == "" })
	for i := range filters[:max(len(filters)-1, 0)] {
		filters[i] = strings.TrimSuffix(filters[i], "|")
	}
	return strings.Join(filters, "|")
}

// Without returns a filter of the posts that a filter selects, except those from some sources.
func Without(filter string, sources []earshot.Source) string {
	if len(sources) == 0 {
		return filter
	}
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = string(s)
	}
	return And(filter, "-"+Source.Is(names...))
}

// Hours returns the filter of posts from a full hour to another, as clocks in the zone of from show
// them.
func Hours(from, to time.Time) string {
	return Time.Is(from.Format(hourFormat) + ".." + to.In(from.Location()).Format(hourFormat))
}

// Phrase returns the filter of posts with some words next to each other.
func Phrase(words string) string { return Keywords.Is(`"` + words + `"`) }

// Link returns the filter of posts with a link, given without its scheme. Each parameter is a phrase
// of its own, because posts have them in any order, and among others.
func Link(link string) string {
	page, parameters, _ := strings.Cut(link, "?")
	phrases := []string{page}
	if parameters != "" {
		phrases = append(phrases, strings.Split(parameters, "&")...)
	}
	clean := strings.NewReplacer(`"`, " ", `\`, " ", "*", " ", "?", " ") // these have a meaning in phrases
	for i, phrase := range phrases {
		phrases[i] = `"` + clean.Replace(phrase) + `"`
	}
	return Keywords.Is("links:(" + strings.Join(phrases, " AND ") + ")")
}
