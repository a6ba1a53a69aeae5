package filter

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// A refinement contains the part of a filter that only a [Refinement] accepts. A post must meet all
// conditions, so it must match both if a field occurs twice. A nil refinement accepts no fields.
type refinement struct {
	conditions []poststore.Having
	weekdays   []string
	hours      []string
	times      []timeRange
	ranges     []poststore.Range
	own        string
	marked     marked
	corrected  string    // yes, no or empty
	except     []*Filter // one for each negated pair
}

// maxExcept is the maximum number of negated pairs. Each of them takes a pass over the posts.
const maxExcept = 50

// Values of the field own.
const (
	excludeOwn = "exclude"
	onlyOwn    = "only"
)

// A dimField is a field that maps to a dimension. The function parse converts a value to a key of
// the dimension.
type dimField struct {
	by      poststore.Dim
	parse   func(value string) (key string, ok bool)
	allowed string
}

var dimFields = map[Field]dimField{
	Sentiment:  {poststore.BySentiment, parseSentiment, "one of positive, neutral, negative"},
	Emotion:    {poststore.ByEmotion, parseOneOf(earshot.BasicEmotions), "one of " + strings.ToLower(strings.Join(earshot.BasicEmotions, ", "))},
	Hashtag:    {poststore.ByHashtag, parseHashtag, "a hashtag, with or without #"},
	Age:        {poststore.ByAge, parseOneOf(earshot.AgeGroups), "one of " + strings.Join(earshot.AgeGroups, ", ")},
	Interest:   {poststore.ByInterest, parseInterest, "the id of an interest"},
	Image:      {poststore.ByImageClass, parseNumber, "the id of an image class"},
	Brand:      {poststore.ByBrand, parseBrand, "the id of a brand"},
	Engagement: {poststore.ByEngagement, parseOneOf(engagements), "one of " + strings.Join(engagements, ", ")},
}

var engagements = []string{string(earshot.OriginalPost), string(earshot.Retweet), string(earshot.Reply), string(earshot.Comment)}

// rangeFields maps fields to the measures they add up. Networks have
// different names for shares and comments.
var rangeFields = map[Field][]poststore.Measure{
	Followers:    {poststore.Impressions},
	Likes:        {poststore.Likes},
	Shares:       {poststore.Shares, poststore.Retweets},
	Comments:     {poststore.Comments, poststore.Replies},
	Interactions: enginekit.EngagementMeasures,
}

// add adds the value of a field. It reports whether it knows the field.
func (r *refinement) add(field Field, value string) (known bool, err error) {
	if r == nil {
		return false, nil
	}
	if negated, ok := strings.CutPrefix(string(field), "-"); ok {
		return r.addExcept(Field(negated), value)
	}
	if !slices.Contains(refinementFields, field) {
		return false, nil
	}
	if measures, ok := rangeFields[field]; ok {
		numbers, err := parseRange(field, value)
		numbers.Of = measures
		r.ranges = append(r.ranges, numbers)
		return true, err
	}
	switch field {
	case Time:
		times, err := parseTimeRange(value)
		r.times = append(r.times, times)
		return true, err
	case Own:
		return true, setOnce(&r.own, field, value, excludeOwn, onlyOwn)
	case Corrected:
		return true, setOnce(&r.corrected, field, value, yes, no)
	}
	values := splitList(value, field.Separator())
	if len(values) == 0 {
		return true, fmt.Errorf("%s has no value", field)
	}
	switch field {
	case Tag, Starred, Assigned:
		return true, r.marked.add(field, values)
	case Weekday:
		return true, parseAll(&r.weekdays, field, values, parseWeekday, "a day of the week, like Monday")
	case Hour:
		return true, parseAll(&r.hours, field, values, parseHour, "a whole number from 0 to 23")
	}
	f := dimFields[field]
	condition := poststore.Having{By: f.by}
	err = parseAll(&condition.Keys, field, values, f.parse, f.allowed)
	r.conditions = append(r.conditions, condition)
	return true, err
}

// addExcept adds a negated pair. It reports whether the field exists.
func (r *refinement) addExcept(field Field, value string) (known bool, err error) {
	if !slices.Contains(Fields, field) && !slices.Contains(refinementFields, field) {
		return false, nil
	}
	f := &Filter{more: &refinement{}}
	if err := f.Add(field, value); err != nil {
		return true, err
	}
	if field != Keywords && field != Gender && f.len() == 0 { // would leave out all posts
		return true, fmt.Errorf("%s has no value", field)
	}
	if r.except = append(r.except, f); len(r.except) > maxExcept {
		return true, fmt.Errorf("there are more than %d negated pairs", maxExcept)
	}
	return true, nil
}

// setOnce sets the value of a field that has one of two.
func setOnce(to *string, field Field, value, one, other string) error {
	if *to != "" {
		return fmt.Errorf("%s appears twice", field)
	}
	if *to = strings.ToLower(value); *to != one && *to != other {
		return fmt.Errorf("%s must be %s or %s", field, one, other)
	}
	return nil
}

// parseRange parses a range like 5..50, 5.. or ..50. A number alone is a range of that number.
func parseRange(field Field, value string) (poststore.Range, error) {
	numbers := poststore.Range{Max: math.MaxInt64}
	from, to, isRange := strings.Cut(value, "..")
	if !isRange {
		to = from
	}
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	var err error
	if from != "" {
		numbers.Min, err = parseCount(from)
	}
	if to != "" && err == nil {
		numbers.Max, err = parseCount(to)
	}
	if err != nil || from == "" && to == "" {
		return numbers, fmt.Errorf("%s '%s' is not a range of whole numbers like 5..50, 5.. or ..50", field, earshot.Clip(value, 100))
	}
	if numbers.Min > numbers.Max {
		return numbers, fmt.Errorf("%s '%s' ends before it starts", field, earshot.Clip(value, 100))
	}
	return numbers, nil
}

// parseCount parses a number of 0 or more.
func parseCount(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err
}

// parseAll parses the values and appends their keys.
func parseAll(keys *[]string, field Field, values []string, parse func(string) (string, bool), allowed string) error {
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
func (r *refinement) len() int {
	if r == nil {
		return 0
	}
	n := len(r.weekdays) + len(r.hours) + len(r.times) + len(r.ranges) + r.marked.len()
	if r.own != "" {
		n++
	}
	if r.corrected != "" {
		n++
	}
	for _, c := range r.conditions {
		n += len(c.Keys)
	}
	for _, f := range r.except {
		n += f.len()
	}
	return n
}

// having returns the conditions. The zone applies to posts whose place has no time zone.
func (r *refinement) having(zone *time.Location) []poststore.Having {
	all := slices.Clone(r.conditions)
	if len(r.weekdays)+len(r.hours) > 0 {
		all = append(all, poststore.Having{By: poststore.ByClock, Keys: r.clockKeys(), Zone: zone})
	}
	for _, times := range r.times {
		all = append(all, times.having(zone))
	}
	return all
}

// clockKeys returns the keys of the selected hours of the week.
func (r *refinement) clockKeys() (keys []string) {
	sunday := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
	for hour := range 7 * 24 {
		at := sunday.Add(time.Duration(hour) * time.Hour)
		if (len(r.weekdays) == 0 || slices.Contains(r.weekdays, at.Weekday().String())) &&
			(len(r.hours) == 0 || slices.Contains(r.hours, strconv.Itoa(at.Hour()))) {
			keys = append(keys, poststore.ClockKey(at))
		}
	}
	return keys
}

func parseSentiment(value string) (key string, ok bool) {
	if i := earshot.FindSentiment(value); i >= 0 {
		return earshot.BasicCategories[i], true
	}
	return "", false
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
