package poststore

import (
	"strconv"
	"time"

	"earshot"
)

// A Dim is a dimension that posts are counted by. The comments show the format of its keys.
type Dim int

const (
	ByHour          Dim = iota + 1 // start of the hour in Zone, as an RFC 3339 time in UTC
	ByDay                          // YYYY-MM-DD in Zone
	BySource                       // display name
	ByContentSource                // decimal id of the content source
	BySite                         // registered domain (enginekit.RegisteredDomain)
	ByLanguage
	ByCountry       // geography id
	ByState         // geography id
	ByCity          // geography id
	ByGender        // M, F
	ByAge           // ZERO_TO_SEVENTEEN, EIGHTEEN_TO_TWENTYFOUR, TWENTYFIVE_TO_THIRTYFOUR, THIRTYFIVE_AND_OVER
	ByAuthor        // username, or author if there is none
	ByHashtag       // lower case, without #
	ByEngagement    // POST, RETWEET, REPLY, COMMENT
	ByParent        // guid of the post that this one replies to or reposts
	BySentiment     // one of earshot.BasicCategories
	ByEmotion       // one of earshot.BasicEmotions
	ByInterest      // decimal id of an interest of the post or its author
	ByImageClass    // class of an image: id, space, name
	ByBrand         // logo in an image: id of the brand with "_" for spaces, space, name
	ByPicture       // "yes" for posts with images
	ByClock         // local weekday and hour of the author, or in Zone if the author's zone is unknown: "Monday 13"
	ByRetweeted     // source, space and guid of the retweeted post
	BySets          // sets of Tally.Sets that contain the post (enginekit.SetsKey); only dimension, no sums
	ByCashtag       // lower case, without $
	BySentimentCell // decimal number of the cell of the sentiment's scores, see [earshot.ScoreCell]
	ByEmotionCell   // likewise, of the emotion's
	ByEthnicity     // one of people.Ethnicities (enginekit.EthnicityRows); only dimension, no sums
	ByModels        // decimal Post.InferredBy; 0 for posts that no models have processed
)

// Dims lists the dimensions that can be combined: all except [BySets] and [ByEthnicity].
var Dims = []Dim{
	ByHour, ByDay, BySource, ByContentSource, BySite, ByLanguage, ByCountry, ByState, ByCity,
	ByGender, ByAge, ByAuthor, ByHashtag, ByEngagement, ByParent,
	BySentiment, ByEmotion, ByInterest, ByImageClass, ByBrand,
	ByPicture, ByClock, ByRetweeted, ByCashtag,
	BySentimentCell, ByEmotionCell, ByModels,
}

// IsCorrectable reports whether corrections can change the keys of a post.
func (d Dim) IsCorrectable() bool {
	switch d {
	case BySentiment, ByEmotion, BySentimentCell, ByEmotionCell, BySets:
		return true
	}
	return false
}

// ClockKey returns the [ByClock] key of a local time, for example "Monday 13".
func ClockKey(t time.Time) string { return t.Weekday().String() + " " + strconv.Itoa(t.Hour()) }

// AgeGroup returns the [ByAge] group of a post's author. A stated age takes precedence over an
// inferred age group.
func AgeGroup(p *earshot.Post) earshot.AgeGroup {
	if years, stated := p.Age.Value(); stated {
		return earshot.AgeGroupOf(years)
	}
	return p.AgeGroup
}
