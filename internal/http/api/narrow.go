package api

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

// Narrow says what the text of a filter means for posts of m, which are sorted so. Besides
// the fields of the parameter filter it takes those of which posts are counted. An empty text
// selects everything.
func (a *API) Narrow(m *earshot.Monitor, filter string, sorted insight.Categorization) (poststore.Selection, error) {
	if filter == "" {
		return poststore.Selection{}, nil
	}
	f := postFilter{wide: &wideFields{}}
	if err := f.UnmarshalText([]byte(filter)); err != nil {
		return poststore.Selection{}, earshot.InvalidParameter("filter", filter, err.Error())
	}
	of, err := a.selection(m, f, sorted)
	if err != nil {
		return poststore.Selection{}, err
	}
	of.Having = f.wide.having(m.Location())
	return of, nil
}

// wideFields are the values of the fields that Narrow alone takes, as keys of what posts
// are counted by. Each pair must hold, so that a field that is there twice asks for both. When
// it is nil, a filter has none of the fields.
type wideFields struct {
	pairs    []poststore.Having
	weekdays []string
	hours    []string
}

// wideNames are the fields, in the order in which they are told.
var wideNames = []string{"hashtag", "age", "interest", "image", "brand", "weekday", "hour", "engagement"}

// A wideField tells what posts with a value have, and how the value is spelled there.
type wideField struct {
	by      poststore.Dim
	spell   func(value string) (key string, ok bool)
	allowed string
}

var wideDims = map[string]wideField{
	"hashtag":    {poststore.ByHashtag, spellHashtag, "a hashtag, with or without #"},
	"age":        {poststore.ByAge, spellOneOf(earshot.AgeGroups), "one of " + strings.Join(earshot.AgeGroups, ", ")},
	"interest":   {poststore.ByInterest, spellInterest, "the id of an interest"},
	"image":      {poststore.ByImageClass, spellNumber, "the id of something that images show"},
	"brand":      {poststore.ByBrand, spellBrand, "the id of a brand"},
	"engagement": {poststore.ByEngagement, spellOneOf(engagements), "one of " + strings.Join(engagements, ", ")},
}

var engagements = []string{string(earshot.OriginalPost), string(earshot.Retweet), string(earshot.Reply), string(earshot.Comment)}

// put adds values of a field and reports whether there is such a field.
func (w *wideFields) put(field string, values []string) (known bool, err error) {
	if w == nil || !slices.Contains(wideNames, field) {
		return false, nil
	}
	if len(values) == 0 {
		return true, fmt.Errorf("%s has no value", field)
	}
	switch field {
	case "weekday":
		return true, spellAll(&w.weekdays, field, values, spellWeekday, "a day of the week, like Monday")
	case "hour":
		return true, spellAll(&w.hours, field, values, spellHour, "a whole number from 0 to 23")
	}
	f := wideDims[field]
	pair := poststore.Having{By: f.by}
	err = spellAll(&pair.Keys, field, values, f.spell, f.allowed)
	w.pairs = append(w.pairs, pair)
	return true, err
}

// spellAll adds the keys of values.
func spellAll(keys *[]string, field string, values []string, spell func(string) (string, bool), allowed string) error {
	for _, v := range values {
		key, ok := spell(v)
		if !ok {
			return fmt.Errorf("%s '%s' is not %s", field, earshot.Clip(v, 100), allowed)
		}
		*keys = append(*keys, key)
	}
	return nil
}

// len returns how many values there are.
func (w *wideFields) len() int {
	if w == nil {
		return 0
	}
	n := len(w.weekdays) + len(w.hours)
	for _, pair := range w.pairs {
		n += len(pair.Keys)
	}
	return n
}

// having returns what posts must have. The zone is that of posts whose place has none.
func (w *wideFields) having(zone *time.Location) []poststore.Having {
	all := slices.Clone(w.pairs)
	if len(w.weekdays)+len(w.hours) > 0 {
		all = append(all, poststore.Having{By: poststore.ByClock, Keys: w.clocks(), Zone: zone})
	}
	return all
}

// clocks returns the keys of all hours of the week that are meant.
func (w *wideFields) clocks() (keys []string) {
	sunday := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
	for hour := range 7 * 24 {
		at := sunday.Add(time.Duration(hour) * time.Hour)
		if (len(w.weekdays) == 0 || slices.Contains(w.weekdays, at.Weekday().String())) &&
			(len(w.hours) == 0 || slices.Contains(w.hours, strconv.Itoa(at.Hour()))) {
			keys = append(keys, poststore.Clock(at))
		}
	}
	return keys
}

func spellHashtag(value string) (key string, ok bool) {
	key = earshot.Hashtag(value)
	return key, key != ""
}

// spellOneOf returns a function that takes one of some values, in any case.
func spellOneOf(values []string) func(string) (string, bool) {
	return func(value string) (key string, ok bool) {
		for _, v := range values {
			if strings.EqualFold(v, value) {
				return v, true
			}
		}
		return "", false
	}
}

func spellInterest(value string) (key string, ok bool) {
	id, err := strconv.ParseUint(value, 10, 16)
	if err != nil {
		return "", false
	}
	_, ok = interest.Lookup(earshot.InterestID(id))
	return strconv.FormatUint(id, 10), ok
}

func spellNumber(value string) (key string, ok bool) {
	id, err := strconv.ParseInt(value, 10, 64)
	return strconv.FormatInt(id, 10), err == nil
}

// spellBrand spells an id as keys have it, which is also how it may come.
func spellBrand(value string) (key string, ok bool) {
	return strings.ReplaceAll(value, " ", "_"), true
}

func spellWeekday(value string) (key string, ok bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(d.String(), value) {
			return d.String(), true
		}
	}
	return "", false
}

func spellHour(value string) (key string, ok bool) {
	hour, err := strconv.Atoi(value)
	return strconv.Itoa(hour), err == nil && hour >= 0 && hour < 24
}
