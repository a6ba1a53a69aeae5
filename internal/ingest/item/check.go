package item

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/geo"
)

// Limits on documents. They bound the size of journal entries and are far above what real posts
// need.
const (
	MaxContents = 16_384 // characters of contents
	MaxText     = 2_048  // characters of any other text
	MaxList     = 100    // hashtags, mentions, media or images per document
	MaxFields   = 10     // custom field names per document and content source
	maxKey      = 100    // characters of a custom field name
	MaxValue    = 10_000 // characters of a custom field value
)

// Dates outside this range are mistakes, for example milliseconds parsed as seconds, or year 0.
var (
	earliest = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// A checker validates one item and records the first problem.
type checker struct {
	names   map[string]string // field names that the sender uses, where they differ from ours
	problem string
}

func (c *checker) fail(name, problem string) {
	if c.problem == "" {
		c.problem = Field(cmp.Or(c.names[name], name), problem)
	}
}

// A Format is the form in which an item was received. It determines the names of fields in
// messages.
type Format int

const (
	Upload Format = iota // a document of an upload
	Record               // an object or line as package record decodes it
)

// fieldNames maps our field names to those of a format, where they differ.
var fieldNames = map[Format]map[string]string{
	Record: {"gender": "authorGender", "age": "authorAge"},
}

// Check converts an item to a post, or says what is wrong with it. It does not set the source of
// the post. The post shares memory with the item.
func Check(it *Item, f Format) (p earshot.Post, problem string) {
	c := &checker{names: fieldNames[f]}
	p = earshot.Post{
		Time:  c.date(it.Date),
		GUID:  c.short("guid", it.GUID),
		URL:   c.link("url", it.URL),
		Title: c.short("title", replaceControls(it.Title)),

		Language:        c.language(it.Language),
		Location:        c.short("location", it.Location),
		Author:          c.short("author", it.Author),
		AuthorUsername:  c.short("authorUsername", it.AuthorUsername),
		AuthorProfileID: c.short("authorProfileId", it.AuthorProfileID),
		Bio:             c.short("bio", it.Bio),
		Gender:          c.gender(it.Gender),
		Age:             c.age(it.Age),
		Followers:       c.count("authorFollowers", it.Followers),
		Following:       c.count("authorFollowing", it.Following),
		AuthorPosts:     c.count("authorPosts", it.Posts),
		Klout:           c.count("authorKlout", it.Klout),
		Verified:        it.Verified,

		Engagement:   c.engagement(it.EngagementType),
		EngagingWith: c.short("engagingWith", it.EngagingWith),
		ParentGUID:   c.short("parentGuid", it.ParentGUID),
		PageID:       c.short("pageId", it.PageID),
		Likes:        c.count("likes", it.Likes),
		Shares:       c.count("shares", it.Shares),
		Comments:     c.count("comments", it.Comments),
		Replies:      c.count("replies", it.Replies),
		Retweets:     c.count("retweets", it.Retweets),
		Views:        c.count("views", it.Views),
		Rating:       c.rating(it.Rating),

		Hashtags:  c.texts("hashtags", it.Hashtags),
		Mentions:  c.texts("mentions", it.Mentions),
		MediaURLs: c.links("mediaUrls", it.MediaURLs),
		Images:    c.images(it.Images),
		Custom:    c.custom(it.Custom),
	}
	p.Contents = c.contents(it.Contents)
	c.place(&p, it.Geolocation)
	if p.GUID == "" {
		p.GUID = p.URL
	}
	if p.GUID == "" {
		c.fail("guid", "or url is missing")
	}
	return p, c.problem
}

func (c *checker) date(s string) time.Time {
	if s == "" {
		c.fail("date", "is missing")
		return time.Time{}
	}
	t, err := earshot.ParseTime(s)
	switch {
	case err != nil:
		c.fail("date", fmt.Sprintf("'%s' is not %v", Clip(s), err))
	case t.Before(earliest) || !t.Before(latest):
		c.fail("date", fmt.Sprintf("'%s' is not between 1970 and 2099", Clip(s)))
	}
	return t
}

func (c *checker) contents(s string) string {
	s = c.text("contents", replaceControls(s), MaxContents)
	if strings.TrimSpace(s) == "" {
		c.fail("contents", "is missing")
	}
	return s
}

func (c *checker) short(name, s string) string { return c.text(name, strings.TrimSpace(s), MaxText) }

// link checks a URL. It may be any text, but not a script.
func (c *checker) link(name, s string) string {
	if earshot.IsUnsafeLink(s) {
		c.fail(name, fmt.Sprintf("'%s' is not a link", Clip(s)))
	}
	return c.short(name, s)
}

func (c *checker) links(name string, list []string) []string {
	for _, s := range list {
		c.link(name, s)
	}
	return c.texts(name, list)
}

// text checks the length of a text. It removes control characters instead of rejecting them,
// because real posts contain them.
func (c *checker) text(name, s string, limit int) string {
	if len(s) > limit && utf8.RuneCountInString(s) > limit {
		c.fail(name, fmt.Sprintf("has %d characters, at most %d are allowed", utf8.RuneCountInString(s), limit))
	}
	return removeControls(s)
}

func removeControls(s string) string {
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, s)
}

// replaceControls replaces control characters with spaces. It is for text that queries search,
// where control characters separate words.
func replaceControls(s string) string {
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return ' '
		}
		return r
	}, s)
}

func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f
}

// language parses a two-letter code and ignores a region such as -US.
func (c *checker) language(s string) string {
	code, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "-")
	code, _, _ = strings.Cut(code, "_")
	notLetter := func(r rune) bool { return r < 'a' || r > 'z' }
	if code != "" && (len(code) != 2 || strings.ContainsFunc(code, notLetter)) {
		c.fail("language", fmt.Sprintf("'%s' is not a 2-letter code", Clip(s)))
	}
	return code
}

func (c *checker) gender(s string) earshot.Gender {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "":
		return ""
	case "m", "male":
		return earshot.Male
	case "f", "female":
		return earshot.Female
	}
	c.fail("gender", fmt.Sprintf("'%s' is neither M nor F", Clip(s)))
	return ""
}

func (c *checker) age(n *int64) earshot.Count {
	if n != nil && *n > 150 {
		c.fail("age", "must be from 0 to 150")
	}
	return c.count("age", n)
}

func (c *checker) count(name string, n *int64) earshot.Count {
	if n == nil {
		return earshot.Count{}
	}
	if *n < 0 || *n > math.MaxInt64/2 {
		c.fail(name, "must be a whole number of 0 or more")
		return earshot.Count{}
	}
	return earshot.Counted(*n)
}

func (c *checker) rating(r *float64) *float64 {
	if r != nil && (math.IsNaN(*r) || *r < 0 || *r > 1000) {
		c.fail("rating", "must be a number from 0 to 1000")
	}
	return r
}

func (c *checker) engagement(s string) earshot.Engagement {
	e := earshot.Engagement(strings.ToUpper(strings.TrimSpace(s)))
	all := []earshot.Engagement{"", earshot.OriginalPost, earshot.Reply, earshot.Retweet, earshot.Comment}
	if !slices.Contains(all, e) {
		c.fail("engagementType", fmt.Sprintf("'%s' is not one of POST, REPLY, RETWEET, COMMENT", Clip(s)))
	}
	return e
}

func (c *checker) texts(name string, list []string) []string {
	if len(list) > MaxList {
		c.fail(name, fmt.Sprintf("has %d entries, at most %d are allowed", len(list), MaxList))
		return nil
	}
	for i := range list {
		list[i] = c.short(name, list[i])
	}
	return list
}

func (c *checker) images(list []earshot.Image) []earshot.Image {
	if len(list) > MaxList {
		c.fail("images", fmt.Sprintf("has %d entries, at most %d are allowed", len(list), MaxList))
		return nil
	}
	for i := range list {
		list[i].URL = c.link("images", list[i].URL)
		list[i].Alt = c.short("images", list[i].Alt)
		c.imageContent(&list[i])
	}
	return list
}

// imageContent validates the brands and objects of an image.
func (c *checker) imageContent(i *earshot.Image) {
	if len(i.Brands) > MaxList || len(i.Objects) > MaxList {
		c.fail("images", fmt.Sprintf("may list at most %d brands and %d objects each", MaxList, MaxList))
		return
	}
	for k := range i.Brands {
		b := &i.Brands[k]
		b.ID, b.Name, b.Size = c.short("images", b.ID), c.short("images", b.Name), c.short("images", b.Size)
		c.score(b.Score)
	}
	for k := range i.Objects {
		o := &i.Objects[k]
		o.ClassName = c.short("images", o.ClassName)
		c.score(o.Score)
	}
}

func (c *checker) score(x float64) {
	if !(x >= 0 && x <= 1) {
		c.fail("images", "must have scores from 0 to 1")
	}
}

func (c *checker) custom(fields map[string]*string) map[string]string {
	if len(fields) > MaxFields {
		c.fail("custom", fmt.Sprintf("has %d fields, at most %d are allowed", len(fields), MaxFields))
		return nil
	}
	var given map[string]string
	for name, text := range fields {
		if text == nil {
			continue
		}
		if given == nil {
			given = map[string]string{}
		}
		value := removeControls(*text)
		given[name] = value
		switch {
		case name == "":
			c.fail("custom", "has a field without a name")
		case utf8.RuneCountInString(name) > maxKey:
			c.fail("custom", fmt.Sprintf("field name '%s' has more than %d characters", Clip(name), maxKey))
		case utf8.RuneCountInString(value) > MaxValue:
			c.fail("custom."+name, fmt.Sprintf("has more than %d characters", MaxValue))
		}
	}
	return given
}

// place sets the place of the post from its geolocation.
func (c *checker) place(p *earshot.Post, g *Geolocation) {
	if g == nil {
		return
	}
	if g.ID != "" {
		place, ok := geo.Find(g.ID)
		if !ok {
			c.fail("geolocation.id", fmt.Sprintf("'%s' is not a geography id like USA, USA.CA or USA.CA.San Diego", Clip(g.ID)))
		}
		p.Place = place
	}
	if (g.Latitude == nil) != (g.Longitude == nil) {
		c.fail("geolocation", "needs both latitude and longitude")
	} else if g.Latitude != nil {
		p.Point = c.point(*g.Latitude, *g.Longitude)
	}
	p.Zipcode = c.zipcode(g.Zipcode)
	p.Geotagged = g.ID != "" || p.Point != nil || p.Zipcode != ""
}

func (c *checker) point(latitude, longitude float64) *earshot.Point {
	if !(math.Abs(latitude) <= 90) {
		c.fail("geolocation.latitude", "must be from -90 to 90")
	}
	if !(math.Abs(longitude) <= 180) {
		c.fail("geolocation.longitude", "must be from -180 to 180")
	}
	return &earshot.Point{Latitude: latitude, Longitude: longitude}
}

// zipcode validates a US ZIP code: five digits, optionally followed by a dash and four more.
func (c *checker) zipcode(s string) string {
	s = strings.TrimSpace(s)
	five, four, nine := strings.Cut(s, "-")
	digits := func(s string, n int) bool {
		return len(s) == n && strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsDigit(r) }) < 0
	}
	if s != "" && (!digits(five, 5) || nine && !digits(four, 4)) {
		c.fail("geolocation.zipcode", fmt.Sprintf("'%s' is not a US ZIP code", Clip(s)))
	}
	return s
}
