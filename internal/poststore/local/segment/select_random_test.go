package segment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// A queryGenerator generates random selections of the posts that sampleRows returns.
type queryGenerator struct{ *rand.Rand }

// chance returns true with the given probability in percent.
func (a queryGenerator) chance(percent int) bool { return a.IntN(100) < percent }

func (a queryGenerator) word() string { return strings.TrimSpace(pick(a.Rand, sampleWords...)) }

func (a queryGenerator) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = a.word()
	}
	return strings.Join(words, " ")
}

// leaf returns a query without operators.
func (a queryGenerator) leaf() string {
	switch a.IntN(14) {
	case 0, 1, 2:
		return `"` + a.words(2+a.IntN(2)) + `"`
	case 3:
		return pick(a.Rand, "app*", "ca?e", "t*e", "Моск*", "#app*", "r?n", "#new*", "東*", "a*", "zz*")
	case 4:
		return pick(a.Rand, "{Apple}", "{apple pie}", "{NewYork}", "{!}", "{don't}")
	case 5:
		return fmt.Sprintf(`"%s"~%d`, a.words(2+a.IntN(2)), a.IntN(4))
	case 6, 7, 8:
		return a.field()
	}
	return a.word()
}

func (a queryGenerator) field() string {
	return pick(a.Rand, "title:apple", "contents:(the OR pie)", `title:"apple pie"`, "contents:app*", "title:{Apple}", "author:ada", "author:example",
		"-author:bob", "bio:apple", "site:example.net", "site:com", "language:en", "language:d*", "authorFollowers:[1 TO 5000]", "authorFollowers:[0 TO 9]",
		"source:blogs", "pubType:Twitter", `source:"shop reviews"`, "hashtags:go", "hashtags:n*", "at_mentions:bob", "authorGender:unknown",
		"authorGender:F", "authorVerified:true", "authorVerified:false", "country:Germany", "region:California", "city:nowhere", "continent:Europe",
		`continent:"north america"`, "engagementType:REPLY", "engagingWith:ada", "guid:guid-1*", "parentGuid:guid-3", "pageId:page1", "url:1",
		"links:example", "custom.a:b", "custom.a:[1 TO 2]", "latitude:[1 TO 2]", "longitude:[0 TO 1]", "rating:0")
}

func (a queryGenerator) query(depth int) string {
	if depth == 0 {
		return a.leaf()
	}
	sub := func() string { return "(" + a.query(a.IntN(depth)) + ")" }
	switch a.IntN(8) {
	case 0, 1:
		return sub() + " OR " + sub() + " OR " + a.word()
	case 2, 3:
		return sub() + " AND " + sub()
	case 4:
		return sub() + " AND NOT " + sub()
	case 5:
		return sub() + " OR NOT " + sub()
	case 6:
		return a.operand() + pick(a.Rand, " NEAR/2 ", " ONEAR/1 ", " NEAR/3f ") + a.operand()
	}
	return fmt.Sprintf("(%s AND %s)~%d", a.operand(), a.operand(), a.IntN(3))
}

// operand returns an operand of NEAR.
func (a queryGenerator) operand() string {
	if a.chance(30) {
		return "(" + a.word() + ` OR "` + a.words(2) + `")`
	}
	return a.word()
}

func (a queryGenerator) criteria() earshot.Criteria {
	var c earshot.Criteria
	if a.chance(85) {
		c.Keywords = a.query(a.IntN(4))
	}
	if a.chance(15) {
		c.Sources = []string{pick(a.Rand, "Twitter", "Facebook", "Shop reviews"), "Blogs"}
	}
	if a.chance(15) {
		c.Languages = earshot.Choice{Exclude: a.chance(50), Values: []string{pick(a.Rand, "EN", "DE"), "FR"}}
		if a.chance(30) {
			c.Languages.Values = earshot.Languages
		}
	}
	if a.chance(15) {
		c.Places = earshot.Choice{Exclude: a.chance(50), Values: []string{pick(a.Rand, "USA", "DEU", "USA.CA")}}
		if a.chance(30) {
			c.Places.Values = allCountries
		}
	}
	if a.chance(15) {
		c.Gender = earshot.Female
	}
	return c
}

// condition returns a random condition, or nil if the criteria do not compile.
func (a queryGenerator) condition() *watchlist.Condition {
	m := &earshot.Monitor{Team: earshot.TeamID(earshot.FirstID + 200 + a.IntN(2)), Criteria: a.criteria()}
	if a.chance(20) {
		m.Type = earshot.Social
		m.Account = earshot.Account{
			Network: pick(a.Rand, earshot.Twitter, earshot.Facebook, earshot.Blogs),
			Handle:  pick(a.Rand, "ada", "@Bob", "dora", "nobody"),
			PageID:  pick(a.Rand, "page1", "page3"),
		}
		if a.chance(70) {
			m.Criteria = earshot.Criteria{}
		}
	}
	c, err := watchlist.CompileMonitor(m)
	if a.chance(20) {
		c, err = watchlist.CompileFilter(m, &earshot.Filter{Criteria: a.criteria()})
	}
	if err != nil {
		return nil
	}
	if a.chance(15) {
		c = c.WithGenders(earshot.Choice{Exclude: a.chance(50), Values: pick(a.Rand, []string{"M"}, []string{"F"}, []string{"F", "M"})})
	}
	return c
}

// allCountries are the ids of all countries.
var allCountries = func() (ids []string) {
	for _, c := range geo.Countries() {
		ids = append(ids, c.Place.ID())
	}
	return ids
}()

func (a queryGenerator) selection() poststore.Selection {
	var s poststore.Selection
	moment := func() time.Time {
		return sampleStart.Add(time.Duration(a.IntN(50)-5) * time.Hour / 4).Add(time.Duration(a.IntN(15)))
	}
	if a.chance(30) {
		s.From = moment()
	}
	if a.chance(30) {
		s.To = moment()
	}
	if a.chance(80) {
		s.Where = a.condition()
	}
	if a.chance(10) {
		s.ContentSource = earshot.ContentSourceID(earshot.FirstID + 100 + a.IntN(3))
	}
	if a.chance(10) {
		s.Sources = pick(a.Rand, []earshot.Source{earshot.Twitter}, []earshot.Source{"Shop reviews", earshot.Blogs, "nowhere"})
	}
	if a.chance(10) {
		s.Geotagged = true
	}
	if a.chance(10) {
		s.Sites = pick(a.Rand, []string{"example.org"}, []string{"x.com", "EXAMPLE.com"}, []string{"blog.example.net", ""})
	}
	if a.chance(10) {
		s.Authors = pick(a.Rand, []string{"ADA"}, []string{"bob", "nobody"}, []string{"ada (ada example)", ""})
	}
	if a.chance(10) {
		s.Parents = pick(a.Rand, []string{"guid-1"}, []string{"guid-2", "guid-3", "nothing"}, []string{"guid-4", ""})
	}
	return s
}

// scope returns some of n rows, or nil for all.
func (a queryGenerator) scope(n int) *roaring.Bitmap {
	switch a.IntN(4) {
	case 0:
		return rowRange(uint32(a.IntN(n/2)), uint32(n/2+a.IntN(n/2)))
	case 1:
		few := roaring.New()
		for range 1 + a.IntN(9) {
			few.Add(uint32(a.IntN(n)))
		}
		return few
	}
	return nil
}
