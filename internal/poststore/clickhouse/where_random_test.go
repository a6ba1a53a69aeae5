package clickhouse

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"earshot"
	"earshot/internal/geo"
)

// A whereRandom generates posts and criteria from few words, so that many of them match: words with
// accents, tags, also of several words, emoji, and words of scripts without spaces.
type whereRandom struct{ *rand.Rand }

func newWhereRandom(seed uint64) whereRandom { return whereRandom{rand.New(rand.NewPCG(seed, 7))} }

func (r whereRandom) of(choices ...string) string { return choices[r.IntN(len(choices))] }

// often returns true with a probability in percent.
func (r whereRandom) often(percent int) bool { return r.IntN(100) < percent }

func (r whereRandom) word() string {
	return r.of("a", "a", "a", "b", "b", "b", "c", "d", "ab", "abc", "é", "e", "éa", "ea", "#a", "#b", "@c", "$d", "#é", "#éa", "東京", "#東京", "#東京é", "#é東",
		"o1-b", "wendy's", "A", "É", "😂", "👍🏽", "👍", "straße", "10,000", "привет", "#️⃣", "*️⃣", "½", "مُحَمَّد", "ไทย", "#ไทย", "a_b", "#_a", "A\u0301")
}

func (r whereRandom) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = r.word()
	}
	return strings.Join(words, " ")
}

func (r whereRandom) leaf() string {
	switch r.IntN(11) {
	case 0, 1:
		return `"` + r.words(2) + `"`
	case 2:
		return `"` + r.words(2+r.IntN(2)) + `"`
	case 3:
		return fmt.Sprintf(`"%s"~%d`, r.words(2+r.IntN(3)), r.IntN(4))
	case 4, 5:
		return r.of("ab*", "ab?", "a?c", "#ab*", "éa*", "#éa*", "#東*", "#東?", "東*", "10*", "a*c", "#é*東", "ea*", "é?*", `"a ab*"`, `"ab* b"`, `"a?c é"`, "#東??")
	case 6:
		return "{" + r.word() + "}"
	}
	return r.word()
}

func (r whereRandom) field() string {
	return r.of("title:a", "title:#a", "title:é", `title:"a b"`, "title:ab*", "title:#東京", "contents:#b", "contents:(a NEAR/2 b)", "contents:é", `contents:"#a b"`, `contents:(a b c)~3`,
		"title:{A}", "author:a", "author:joe", "author:ac*", "author:é", "author:#b", `author:"joe acme"`, `author:"acme é"`, "author:(joe NEAR/1 acme)", "author:(é NEAR/2 joe)", `author:"j?e é*"`, "author:{Joe}", "bio:b", "site:example.com", "site:com", "site:*.example.com", "site:münchen.de",
		"language:en", "language:EN", "country:us", "country:germany", "country:g*", "region:california", "region:ca", "city:münchen", "city:munchen", "city:m?nchen", "city:mü*", `city:"new york"`,
		"continent:europe", "source:twitter", "source:News", "pubType:n*", "engagementType:retweet", "engagingWith:bob", "authorGender:female", "authorGender:unknown", "authorVerified:true",
		"hashtags:a", "hashtags:café", "hashtags:cafe", "hashtags:caf*", "at_mentions:@c", "guid:g1", "guid:g*", "guid:G1", "guid:g?", "parentGuid:p1", "pageId:1", "pageId:1*2",
		"authorFollowers:[1 TO 10]", "authorFollowers:[* TO 3]", "authorFollowers:4", "authorFollowers:[2.5 TO *]", "rating:[1 TO 3]", "latitude:[1 TO 2]", "custom.x:a", "custom.x:[1 TO 2]", "url:b")
}

// operand returns an operand of NEAR.
func (r whereRandom) operand(depth int) string {
	if depth == 0 {
		return r.leaf()
	}
	switch r.IntN(5) {
	case 0, 1:
		return "(" + r.operand(depth-1) + " OR " + r.operand(depth-1) + ")"
	case 2:
		return fmt.Sprintf("(%s NEAR/%d %s)", r.operand(depth-1), r.IntN(3), r.operand(depth-1))
	case 3:
		return fmt.Sprintf("(%s ONEAR/%d %s)", r.operand(depth-1), r.IntN(3), r.operand(depth-1))
	}
	return r.leaf()
}

func (r whereRandom) query(depth int) string {
	if depth == 0 {
		if r.often(20) {
			return r.field()
		}
		return r.leaf()
	}
	switch r.IntN(13) {
	case 0, 1:
		return r.query(depth-1) + " AND " + r.query(depth-1)
	case 2, 3:
		return "(" + r.query(depth-1) + " OR " + r.query(depth-1) + ")"
	case 4:
		return r.query(depth-1) + " -" + r.leaf()
	case 5:
		return "(" + r.query(depth-1) + ") NOT (" + r.query(depth-1) + ")"
	case 6, 7:
		return fmt.Sprintf("(%s) %s/%d %s", r.operand(depth-1), r.of("NEAR", "ONEAR"), r.IntN(4), r.operand(depth-1))
	case 8:
		if r.often(50) {
			return fmt.Sprintf("%s ONEAR/%d (%s ONEAR/%d %s ONEAR/%d %s)", r.operand(0), r.IntN(2), r.operand(1), r.IntN(2), r.operand(0), r.IntN(2), r.operand(1))
		}
		return fmt.Sprintf("%s NEAR/%d%s %s ONEAR/%d %s", r.operand(0), r.IntN(3), r.of("", "f"), r.operand(0), r.IntN(3), r.operand(0))
	case 9:
		return fmt.Sprintf("(%s AND %s AND %s)~%d", r.operand(0), r.operand(1), r.operand(0), r.IntN(4))
	case 10:
		return fmt.Sprintf("(%s AND %s)~%d", r.operand(1), r.operand(1), r.IntN(4))
	case 11:
		return r.of("title", "contents") + ":(" + r.operand(depth-1) + ")"
	}
	return r.field()
}

func (r whereRandom) criteria() earshot.Criteria {
	var c earshot.Criteria
	if r.often(95) {
		c.Keywords = r.query(r.IntN(4))
	}
	if r.often(10) {
		c.Sources = []string{r.of("Twitter", "News", "Survey")}
	}
	if r.often(10) {
		c.Languages = earshot.Choice{Exclude: r.often(50), Values: []string{r.of("EN", "DE"), "FR"}}
		if r.often(30) {
			c.Languages.Values = earshot.Languages
		}
	}
	if r.often(10) {
		c.Places = earshot.Choice{Exclude: r.often(50), Values: []string{r.of("USA", "DEU", "USA.CA", "USA.NY.New York")}}
		if r.often(30) {
			c.Places.Values = nil
			for _, country := range geo.Countries() {
				c.Places.Values = append(c.Places.Values, country.Place.ID())
			}
		}
	}
	if r.often(10) {
		c.Gender = earshot.Female
	}
	return c
}

func (r whereRandom) monitor() *earshot.Monitor {
	m := &earshot.Monitor{ID: 1, Enabled: true, Team: earshot.TeamID(r.IntN(3)), Criteria: r.criteria()}
	if r.often(10) {
		m.Type = earshot.Social
		m.Account = earshot.Account{
			Network: earshot.Source(r.of("Twitter", "Instagram", "Facebook")),
			Handle:  r.of("acme", "@Acme_Co", "acme.co", "kösel", "skunk", "a b", "-", "ι", "a@b.c", "a..b"),
			PageID:  r.of("1", "2"),
		}
		if r.often(60) {
			m.Criteria = earshot.Criteria{}
		}
	}
	return m
}

func (r whereRandom) post(n int) *earshot.Post {
	rating := float64(r.IntN(5))
	p := &earshot.Post{
		GUID:            fmt.Sprintf("g%d", n),
		Source:          earshot.Source(r.of("Twitter", "News", "Survey", "Instagram", "Facebook")),
		Contents:        r.words(r.IntN(25)),
		Language:        r.of("en", "de", "fr", "tl", "", "EN"),
		AuthorUsername:  r.of("", "joe", "Acme", "@acme.co", "\u017Fkunk", "kösel", "ι"),
		Author:          r.of("acme_co (Acme)", "Joe", "", "a", "2", "Joe Acmé É", "Joe #b", "É joe acme"),
		Site:            r.of("", "www.example.com", "example.com", "EXAMPLE.com", "münchen.de", "..com"),
		URL:             r.of("", "https://example.com/b"),
		Bio:             r.of("", "a b"),
		Gender:          earshot.Gender(r.of("", "F", "M")),
		PageID:          r.of("", "1", "2", "1 2"),
		ParentGUID:      r.of("", "p1", "p2"),
		Engagement:      earshot.Engagement(r.of("", "RETWEET", "POST")),
		EngagingWith:    r.of("", "bob", "Bob"),
		Verified:        r.often(50),
		AuthorProfileID: r.of("", "1", "2"),
		Rating:          &rating,
		Custom:          map[string]string{"x": r.of("a", "1", "")},
	}
	if r.often(80) {
		p.Followers = earshot.Counted(int64(r.IntN(12)))
	}
	if r.often(50) {
		p.Title = r.words(r.IntN(4))
	}
	for range r.IntN(3) {
		p.Hashtags = append(p.Hashtags, r.of("a", "café", "CAFE", "cafe\u0301", ""))
		p.Mentions = append(p.Mentions, r.of("c", "b"))
	}
	for range r.IntN(3) {
		p.Contents += r.of(" ", "") + r.of("@acme", "joe@acme", "@ACME.CO", "@acme_co", "@SKUN\u212A", "@\u017Fkunk", "@KÖSEL", "@@acme", "@a b", "@-", "@acme.", "@acme..co", "@\u0345", "@ι", "@a@b.c", "!!", "\xff", "\x01#a", "\x02", "\x00")
	}
	if r.often(10) {
		p.Title = r.of("!", "@acme", "by @acme.co, x")
	}
	if r.often(10) {
		p.Contents = r.of("", "!")
	}
	if r.often(60) {
		p.Place = earshot.Place{Country: r.of("USA", "DEU", "XYZ", "us", ""), State: r.of("", "CA", "NY"), City: r.of("", "New York", "München", "MUNCHEN")}
	}
	if r.often(10) {
		p.Location = r.of("Europe", "Berlin")
	}
	if r.often(10) {
		p.Team = earshot.TeamID(r.IntN(3))
	}
	return p
}
