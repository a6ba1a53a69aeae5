package segment

import (
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/query"
)

// A namedField is a field of posts that is kept in a column of names.
type namedField struct {
	column, dict string

	// put gives a post what a name says, and reports whether that is all of the field.
	put func(p *earshot.Post, name string) bool
}

// namedFields are such fields, by the names of queries, and those that conditions and
// selections ask for.
var namedFields = map[string]namedField{
	"source":         {colSource, dictSource, putSource},
	"pubType":        {colSource, dictSource, putSource},
	"site":           {colSite, dictSite, func(p *earshot.Post, name string) bool { p.Site = name; return true }},
	"language":       {colLanguage, dictLanguage, func(p *earshot.Post, name string) bool { p.Language = name; return true }},
	"place":          {colPlace, dictPlace, putPlace},
	"country":        {colPlace, dictPlace, putPlace},
	"region":         {colPlace, dictPlace, putPlace},
	"city":           {colPlace, dictPlace, putPlace},
	"continent":      {colPlace, dictPlace, putContinent},
	"authorGender":   {colGender, dictGender, func(p *earshot.Post, name string) bool { p.Gender = earshot.Gender(name); return true }},
	"engagementType": {colEngagement, dictEngagement, func(p *earshot.Post, name string) bool { p.Engagement = earshot.Engagement(name); return true }},
	"parentGuid":     {colParent, dictParent, func(p *earshot.Post, name string) bool { p.ParentGUID = name; return true }},
	"pageId":         {colPage, dictPage, func(p *earshot.Post, name string) bool { p.PageID = name; return true }},
	"author":         {colAuthor, dictAuthor, putAuthor},
}

func putSource(p *earshot.Post, name string) bool {
	p.Source = earshot.Source(name)
	return true
}

// putPlace and putAuthor cannot tell the parts of a name that has their separator inside.
func putPlace(p *earshot.Post, name string) bool {
	country, rest, _ := strings.Cut(name, "\x00")
	state, city, _ := strings.Cut(rest, "\x00")
	p.Place = earshot.Place{Country: country, State: state, City: city}
	return strings.Count(name, "\x00") <= 2
}

func putAuthor(p *earshot.Post, name string) bool {
	p.AuthorUsername, p.Author, _ = strings.Cut(name, "\x00")
	return strings.Count(name, "\x00") <= 1
}

// putContinent: without a country that is known, the location may say which continent.
func putContinent(p *earshot.Post, name string) bool {
	if !putPlace(p, name) {
		return false
	}
	_, known := geo.FindCountry(p.Place.Country)
	return known
}

// numberFields are the fields that are kept in a column of numbers.
var numberFields = map[string]struct {
	column string
	put    func(p *earshot.Post, number uint64)
}{
	"team":            {colTeam, func(p *earshot.Post, n uint64) { p.Team = earshot.TeamID(n) }},
	"contentSource":   {colContentSource, func(p *earshot.Post, n uint64) { p.ContentSource = earshot.ContentSourceID(n) }},
	"authorFollowers": {colFollowers, putFollowers},
}

func putFollowers(p *earshot.Post, n uint64) {
	p.Followers = earshot.Count{}
	if n > 0 {
		p.Followers = earshot.Counted(int64(n - 1))
	}
}

// listFields are the fields that are kept in a column of lists, and the flag of rows
// that have any.
var listFields = map[string]struct {
	column, dict string
	flag         uint64
	put          func(p *earshot.Post, values []string)
}{
	"hashtags":    {listHashtags, dictHashtag, flagHashtags, func(p *earshot.Post, values []string) { p.Hashtags = values }},
	"at_mentions": {listMentions, dictMention, flagMentions, func(p *earshot.Post, values []string) { p.Mentions = values }},
}

// flagFields are the fields that are kept as a flag.
var flagFields = map[string]struct {
	flag uint64
	put  func(p *earshot.Post, set bool)
}{
	"authorVerified": {flagVerified, func(p *earshot.Post, set bool) { p.Verified = set }},
	"geotagged":      {flagGeotagged, func(p *earshot.Post, set bool) { p.Geotagged = set }},
}

// Field finds rows by a column. Only posts have the fields that are not listed above.
func (x *index) Field(name string, accept func(p *earshot.Post) bool, among *roaring.Bitmap) query.RowSet {
	found := query.RowSet{Matches: roaring.New()}
	var err error
	if f, ok := namedFields[name]; ok {
		found, err = x.byName(f, accept, among)
	} else if f, ok := numberFields[name]; ok {
		found.Matches, err = x.byNumber(f.column, acceptNumber(f.put, accept), among)
	} else if f, ok := listFields[name]; ok {
		found.Matches, err = x.byList(f.column, f.dict, f.flag, acceptListed(f.put, accept), among)
	} else if f, ok := flagFields[name]; ok {
		found.Matches, err = x.byFlag(f.flag, acceptFlag(f.put, accept), among)
	} else {
		found.Candidates = x.orAll(among).Clone()
	}
	if err != nil {
		x.err = err
		return query.RowSet{Matches: roaring.New()}
	}
	return found
}

func acceptNumber(put func(*earshot.Post, uint64), accept func(*earshot.Post) bool) func(uint64) bool {
	p := new(earshot.Post)
	return func(n uint64) bool {
		put(p, n)
		return accept(p)
	}
}

func acceptListed(put func(*earshot.Post, []string), accept func(*earshot.Post) bool) func(string) bool {
	p, values := new(earshot.Post), make([]string, 1)
	return func(value string) bool {
		values[0] = value
		put(p, values)
		return accept(p)
	}
}

func acceptFlag(put func(*earshot.Post, bool), accept func(*earshot.Post) bool) func(bool) bool {
	p := new(earshot.Post)
	return func(set bool) bool {
		put(p, set)
		return accept(p)
	}
}
