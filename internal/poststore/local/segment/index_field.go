package segment

import (
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/query"
)

// A dictField is a field of posts that is stored in a column of names.
type dictField struct {
	column, dict string

	// put sets the field of a post to a name and reports whether the name contains the complete
	// field.
	put func(p *earshot.Post, name string) bool
}

// dictFields maps the names of fields in queries, conditions and selections to dictionary columns.
var dictFields = map[string]dictField{
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

// putPlace and putAuthor return false if the name contains extra separators, because its parts are
// then ambiguous.
func putPlace(p *earshot.Post, name string) bool {
	p.Place = placeOf(name)
	return strings.Count(name, "\x00") <= 2
}

func putAuthor(p *earshot.Post, name string) bool {
	p.AuthorUsername, p.Author, _ = strings.Cut(name, "\x00")
	return strings.Count(name, "\x00") <= 1
}

// putContinent returns false if the country is unknown, because the location may name the
// continent.
func putContinent(p *earshot.Post, name string) bool {
	if !putPlace(p, name) {
		return false
	}
	_, known := geo.FindCountry(p.Place.Country)
	return known
}

// numberFields maps field names to columns of numbers.
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

// listFields maps field names to columns of lists and the flag of rows with values.
var listFields = map[string]struct {
	column, dict string
	flag         uint64
	put          func(p *earshot.Post, values []string)
}{
	"hashtags":    {listHashtags, dictHashtag, flagHashtags, func(p *earshot.Post, values []string) { p.Hashtags = values }},
	"at_mentions": {listMentions, dictMention, flagMentions, func(p *earshot.Post, values []string) { p.Mentions = values }},
}

// flagFields maps field names to flags.
var flagFields = map[string]struct {
	flag uint64
	put  func(p *earshot.Post, set bool)
}{
	"authorVerified": {flagVerified, func(p *earshot.Post, set bool) { p.Verified = set }},
	"geotagged":      {flagGeotagged, func(p *earshot.Post, set bool) { p.Geotagged = set }},
}

// Field finds rows by a column. For fields without a column, all rows in scope are candidates.
func (x *index) Field(name string, accept func(p *earshot.Post) bool, scope *roaring.Bitmap) query.RowSet {
	p := new(earshot.Post)
	if f, ok := dictFields[name]; ok {
		found, err := x.byName(f, accept, scope)
		if err != nil {
			return x.rowSet(nil, err)
		}
		return found
	}
	if f, ok := numberFields[name]; ok {
		return x.rowSet(x.byNumber(f.column, func(n uint64) bool { f.put(p, n); return accept(p) }, scope))
	}
	if f, ok := listFields[name]; ok {
		values := make([]string, 1)
		return x.rowSet(x.byList(f.column, f.dict, f.flag, func(value string) bool {
			values[0] = value
			f.put(p, values)
			return accept(p)
		}, scope))
	}
	if f, ok := flagFields[name]; ok {
		return x.rowSet(x.byFlag(f.flag, func(set bool) bool { f.put(p, set); return accept(p) }, scope))
	}
	return query.RowSet{Matches: roaring.New(), Candidates: x.orAll(scope).Clone()}
}
