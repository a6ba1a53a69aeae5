package clickhouse

import (
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// A dimension is a dimension of posts as SQL. Either text or number is set.
type dimension struct {
	text   string // expression for the key, or for an array of keys; "" if there is none
	number string // expression for a number that stands for the key
	many   bool   // text is an array
	known  string // condition that the post has a key; "" for arrays, and if all posts have one

	// Of numbers:
	name   func(n int64) string           // returns the key
	parse  func(key string) (int64, bool) // is the inverse of name
	sorted func(n string) string          // returns an expression with the order of the keys; nil: the number itself
}

// textColumns are the columns of dimensions with strings.
var textColumns = map[poststore.Dim]string{
	poststore.BySource:     "source",
	poststore.BySite:       "site",
	poststore.ByLanguage:   "language",
	poststore.ByCountry:    "country",
	poststore.ByState:      "state",
	poststore.ByCity:       "city",
	poststore.ByGender:     "gender",
	poststore.ByAge:        "age",
	poststore.ByAuthor:     "author",
	poststore.ByEngagement: "engagement",
	poststore.ByParent:     "parent",
}

// arrayColumns are the columns of dimensions with several keys per post.
var arrayColumns = map[poststore.Dim]string{
	poststore.ByHashtag:    "hashtags",
	poststore.ByCashtag:    "cashtags",
	poststore.ByInterest:   "interests",
	poststore.ByImageClass: "imageClasses",
	poststore.ByBrand:      "brands",
}

// clockKeys are the keys of ByClock by hours since the beginning of Sunday.
var clockKeys = func() (keys []string) {
	sunday := time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)
	for hour := range 7 * 24 {
		keys = append(keys, poststore.ClockKey(sunday.Add(time.Duration(hour)*time.Hour)))
	}
	return keys
}()

// dimension returns a dimension as SQL. It returns false if there is no table of the time zone.
func (s *selector) dimension(d poststore.Dim, zone *time.Location) (dimension, bool) {
	if column := textColumns[d]; column != "" {
		return dimension{text: column, known: column + " != ''"}, true
	}
	if column := arrayColumns[d]; column != "" {
		return dimension{text: column, many: true}, true
	}
	switch d {
	case poststore.ByRetweeted:
		retweet := s.args.String(string(earshot.Retweet))
		known := "engagement = " + retweet + " AND parent != ''"
		return dimension{text: "if(" + known + ", concat(source, ' ', parent), '')", known: known}, true
	case poststore.ByContentSource:
		return decimal("contentSource"), true
	case poststore.BySentimentCell:
		return decimal("toInt64(" + s.corrections.sentiment("sentimentCell", s.args) + ")"), true
	case poststore.ByEmotionCell:
		return decimal("toInt64(" + s.corrections.emotion("emotionCell", s.args) + ")"), true
	case poststore.BySentiment:
		return s.named("toInt64("+s.corrections.sentiment("sentiment", s.args)+")", earshot.BasicCategories), true
	case poststore.ByEmotion:
		return s.named("toInt64("+s.corrections.emotion("emotion", s.args)+")", earshot.BasicEmotions), true
	case poststore.ByPicture:
		return s.named("toInt64(picture)", []string{"yes"}), true
	case poststore.ByModels:
		models := decimal("toInt64(models)")
		models.known = "" // 0 is a key, too
		models.parse = func(key string) (int64, bool) {
			n, err := strconv.ParseUint(key, 10, 32)
			return int64(n), err == nil && strconv.FormatUint(n, 10) == key
		}
		return models, true
	}
	return s.timeDimension(d, zone)
}

// timeDimension is dimension for dimensions that depend on a time zone.
func (s *selector) timeDimension(d poststore.Dim, zone *time.Location) (dimension, bool) {
	table, ok := s.zones[zone]
	if !ok {
		return dimension{}, false
	}
	switch d {
	case poststore.ByHour:
		return dimension{
			number: table.hour(),
			name:   func(n int64) string { return time.Unix(n, 0).UTC().Format(time.RFC3339) },
			parse:  func(key string) (int64, bool) { return parseTime(key, time.RFC3339, 1) },
		}, true
	case poststore.ByDay:
		return dimension{
			number: table.day(),
			name:   func(n int64) string { return time.Unix(n*daySeconds, 0).UTC().Format(time.DateOnly) },
			parse:  func(key string) (int64, bool) { return parseTime(key, time.DateOnly, daySeconds) },
		}, true
	case poststore.ByClock:
		clock := s.named("if(clock = 255, "+table.clock()+", toInt64(clock)) + 1", clockKeys)
		clock.known = "" // all posts have one
		return clock, true
	}
	return dimension{}, false
}

// parseTime returns the number of units since 1970 of a time in a layout. It returns false if the time
// is written differently than the layout would.
func parseTime(key, layout string, unit int64) (int64, bool) {
	t, err := time.Parse(layout, key)
	if err != nil || t.UTC().Format(layout) != key {
		return 0, false
	}
	return t.Unix() / unit, true // keys of days are exact multiples
}

// decimal returns the dimension with the decimal numbers of an expression, without 0.
func decimal(number string) dimension {
	return dimension{
		number: number,
		known:  number + " != 0",
		name:   func(n int64) string { return strconv.FormatInt(n, 10) },
		parse: func(key string) (int64, bool) {
			n, err := strconv.ParseInt(key, 10, 64)
			return n, err == nil && n != 0 && strconv.FormatInt(n, 10) == key
		},
		sorted: func(n string) string { return "toString(" + n + ")" },
	}
}

// named returns the dimension whose keys have numbers from 1.
func (s *selector) named(number string, names []string) dimension {
	return dimension{
		number: number,
		known:  number + " != 0",
		name:   func(n int64) string { return names[n-1] },
		parse: func(key string) (int64, bool) {
			i := slices.Index(names, key)
			return int64(i) + 1, i >= 0
		},
		sorted: func(n string) string { return s.args.Strings(names) + "[" + n + "]" },
	}
}

// having returns the condition that a post has one of the keys of a dimension, and whether it is
// exact.
func (s *selector) having(h *poststore.Having) (cond string, exact bool) {
	if len(h.Keys) == 0 || !slices.Contains(poststore.Dims, h.By) {
		return never, true
	}
	d, ok := s.dimension(h.By, h.Location())
	switch {
	case !ok:
		return "1", false
	case d.number != "":
		cond = s.numberIn(&d, h.Keys)
	case h.ByID():
		keys := nonempty(h.Keys)
		if len(keys) == 0 {
			return never, true
		}
		cond = "arrayExists(x -> has(" + s.args.Strings(keys) + ", x) OR has(" + s.args.Strings(keys) + ", substringIndex(x, ' ', 1)), " + d.text + ")"
	case d.many:
		cond = s.anyOfStrings(d.text, h.Keys)
	default:
		cond = s.oneOfStrings(d.text, h.Keys)
	}
	if d.known != "" && cond != never {
		cond = "(" + d.known + " AND " + cond + ")"
	}
	return cond, true
}

// numberIn returns the condition that a dimension has one of the keys.
func (s *selector) numberIn(d *dimension, keys []string) string {
	var numbers []int64
	for _, key := range keys {
		if n, ok := d.parse(key); ok {
			numbers = append(numbers, n)
		}
	}
	return oneOf(len(numbers), func() string { return "(" + d.number + ") IN " + s.args.Ints(numbers) })
}
