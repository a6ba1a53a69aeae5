package poststore

import (
	"strconv"
	"time"

	"earshot"
)

// A Dim is something that posts are counted by.
type Dim int

const (
	ByHour          Dim = iota + 1 // RFC 3339 instant at which the hour of Zone began, in UTC
	ByDay                          // YYYY-MM-DD in Zone
	BySource                       // display name
	ByContentSource                // id of the content source, decimal
	BySite                         // registered domain, as enginekit.RegisteredDomain gives it
	ByLanguage
	ByCountry    // geography id
	ByState      // geography id
	ByCity       // geography id
	ByGender     // M, F
	ByAge        // ZERO_TO_SEVENTEEN, EIGHTEEN_TO_TWENTYFOUR, TWENTYFIVE_TO_THIRTYFOUR, THIRTYFIVE_AND_OVER
	ByAuthor     // user name, else author
	ByHashtag    // lower case, without #
	ByEngagement // POST, RETWEET, REPLY, COMMENT
	ByParent     // guid of the post it answers or repeats
	BySentiment  // one of earshot.BasicCategories
	ByEmotion    // one of earshot.BasicEmotions
	ByInterest   // id of an interest of the post or of its author, decimal
	ByImageClass // what its images show: id of the class, space, name
	ByBrand      // whose logos they show: id of the brand, "_" for spaces in it, space, name
	ByPicture    // "yes" for posts that have images
	ByClock      // weekday and hour at the author's place, where its zone is known, else in Zone: "Monday 13"
	ByRetweeted  // source, space and guid of the post that a RETWEET repeats
	BySets       // which of Tally.Sets it is in, as enginekit.SetsKey spells it; by nothing else, without sums
	ByCashtag    // lower case, without $
	ByEthnicity  // one of people.Ethnicities, as enginekit.EthnicityRows counts; by nothing else, without sums
)

// Dims lists the dimensions that combine freely: all but BySets and ByEthnicity.
var Dims = []Dim{
	ByHour, ByDay, BySource, ByContentSource, BySite, ByLanguage, ByCountry, ByState, ByCity,
	ByGender, ByAge, ByAuthor, ByHashtag, ByEngagement, ByParent,
	BySentiment, ByEmotion, ByInterest, ByImageClass, ByBrand,
	ByPicture, ByClock, ByRetweeted, ByCashtag,
}

// ClockKey returns the key of ByClock for a time on a clock's face.
func ClockKey(t time.Time) string { return t.Weekday().String() + " " + strconv.Itoa(t.Hour()) }

// AgeGroup returns the bracket of ByAge that a post's author is in: that of the age, where the
// post states one.
func AgeGroup(p *earshot.Post) earshot.AgeGroup {
	if years, stated := p.Age.Value(); stated {
		return earshot.AgeGroupOf(years)
	}
	return p.AgeGroup
}
