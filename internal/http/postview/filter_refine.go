package postview

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
)

// Refine parses the text of a filter for posts of m. In addition to the fields of a [Filter], it
// accepts the dimensions that charts count posts by, so that people can select part of a chart. An
// empty text selects all posts.
func (s *Service) Refine(m *earshot.Monitor, text string, c insight.Categorization) (poststore.Selection, error) {
	if text == "" {
		return poststore.Selection{}, nil
	}
	f := Filter{dims: &dimRefinement{}}
	if err := f.UnmarshalText([]byte(text)); err != nil {
		return poststore.Selection{}, earshot.InvalidParameter("filter", text, err.Error())
	}
	selection, err := s.Select(m, f, c)
	if err != nil {
		return poststore.Selection{}, err
	}
	selection.Having = f.dims.having(m.Location())
	return selection, nil
}

// A dimRefinement contains the values of the fields that only Refine accepts, as keys of store
// dimensions. A post must meet all conditions, so it must match both conditions if a field occurs
// twice. A nil dimRefinement accepts no fields.
type dimRefinement struct {
	conditions []poststore.Having
	weekdays   []string
	hours      []string
}

// refinementFields lists the fields in the order in which messages show them.
var refinementFields = []string{"hashtag", "age", "interest", "image", "brand", "weekday", "hour", "engagement"}

// A dimField is a field that maps to a dimension. The function parse converts a value to a key of
// the dimension.
type dimField struct {
	by      poststore.Dim
	parse   func(value string) (key string, ok bool)
	allowed string
}

var dimFields = map[string]dimField{
	"hashtag":    {poststore.ByHashtag, parseHashtag, "a hashtag, with or without #"},
	"age":        {poststore.ByAge, parseOneOf(earshot.AgeGroups), "one of " + strings.Join(earshot.AgeGroups, ", ")},
	"interest":   {poststore.ByInterest, parseInterest, "the id of an interest"},
	"image":      {poststore.ByImageClass, parseNumber, "the id of an image class"},
	"brand":      {poststore.ByBrand, parseBrand, "the id of a brand"},
	"engagement": {poststore.ByEngagement, parseOneOf(engagements), "one of " + strings.Join(engagements, ", ")},
}

var engagements = []string{string(earshot.OriginalPost), string(earshot.Retweet), string(earshot.Reply), string(earshot.Comment)}

// add adds values of a field. It reports whether it knows the field.
func (d *dimRefinement) add(field string, values []string) (known bool, err error) {
	if d == nil || !slices.Contains(refinementFields, field) {
		return false, nil
	}
	if len(values) == 0 {
		return true, fmt.Errorf("%s has no value", field)
	}
	switch field {
	case "weekday":
		return true, parseAll(&d.weekdays, field, values, parseWeekday, "a day of the week, like Monday")
	case "hour":
		return true, parseAll(&d.hours, field, values, parseHour, "a whole number from 0 to 23")
	}
	f := dimFields[field]
	condition := poststore.Having{By: f.by}
	err = parseAll(&condition.Keys, field, values, f.parse, f.allowed)
	d.conditions = append(d.conditions, condition)
	return true, err
}

// parseAll parses the values and appends their keys.
func parseAll(keys *[]string, field string, values []string, parse func(string) (string, bool), allowed string) error {
	for _, v := range values {
		key, ok := parse(v)
		if !ok {
			return fmt.Errorf("%s '%s' is not %s", field, earshot.Clip(v, 100), allowed)
		}
		*keys = append(*keys, key)
	}
	return nil
}

// len returns the total number of values.
func (d *dimRefinement) len() int {
	if d == nil {
		return 0
	}
	n := len(d.weekdays) + len(d.hours)
	for _, c := range d.conditions {
		n += len(c.Keys)
	}
	return n
}

// having returns the conditions. The zone applies to posts whose place has no time zone.
func (d *dimRefinement) having(zone *time.Location) []poststore.Having {
	all := slices.Clone(d.conditions)
	if len(d.weekdays)+len(d.hours) > 0 {
		all = append(all, poststore.Having{By: poststore.ByClock, Keys: d.clockKeys(), Zone: zone})
	}
	return all
}

// clockKeys returns the keys of the selected hours of the week.
func (d *dimRefinement) clockKeys() (keys []string) {
	sunday := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
	for hour := range 7 * 24 {
		at := sunday.Add(time.Duration(hour) * time.Hour)
		if (len(d.weekdays) == 0 || slices.Contains(d.weekdays, at.Weekday().String())) &&
			(len(d.hours) == 0 || slices.Contains(d.hours, strconv.Itoa(at.Hour()))) {
			keys = append(keys, poststore.ClockKey(at))
		}
	}
	return keys
}

func parseHashtag(value string) (key string, ok bool) {
	key = earshot.Hashtag(value)
	return key, key != ""
}

// parseOneOf returns a function that accepts any of the values, ignoring case.
func parseOneOf(values []string) func(string) (string, bool) {
	return func(value string) (key string, ok bool) {
		for _, v := range values {
			if strings.EqualFold(v, value) {
				return v, true
			}
		}
		return "", false
	}
}

func parseInterest(value string) (key string, ok bool) {
	id, err := strconv.ParseUint(value, 10, 16)
	if err != nil {
		return "", false
	}
	_, ok = interest.Lookup(earshot.InterestID(id))
	return strconv.FormatUint(id, 10), ok
}

func parseNumber(value string) (key string, ok bool) {
	id, err := strconv.ParseInt(value, 10, 64)
	return strconv.FormatInt(id, 10), err == nil
}

// parseBrand returns a brand ID in the form that keys use, with underscores instead of spaces.
func parseBrand(value string) (key string, ok bool) {
	return strings.ReplaceAll(value, " ", "_"), true
}

func parseWeekday(value string) (key string, ok bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(d.String(), value) {
			return d.String(), true
		}
	}
	return "", false
}

func parseHour(value string) (key string, ok bool) {
	hour, err := strconv.Atoi(value)
	return strconv.Itoa(hour), err == nil && hour >= 0 && hour < 24
}
