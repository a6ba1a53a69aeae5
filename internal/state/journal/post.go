package journal

import (
	"fmt"
	"time"

	"earshot"
)

// An encoded post is a sequence of fields, each a tag and a value, and ends with tag 0. Empty
// fields are omitted. postFields lists the fields for both writing and reading. Tags ascend, are
// never reused and never change their meaning. Readers reject unknown tags.
func postFields(f fields, p *earshot.Post) {
	f.text(1, (*string)(&p.Source))
	f.number(2, (*int64)(&p.ContentSource))
	f.number(3, (*int64)(&p.Team))
	f.text(4, &p.Batch)
	f.text(5, &p.GUID)
	f.text(6, &p.URL)
	f.text(7, &p.Site)
	f.timestamp(8, &p.Time)
	f.text(9, &p.Title)
	f.text(10, &p.Contents)
	f.text(11, &p.Language)
	f.text(12, &p.Author)
	f.text(13, &p.AuthorUsername)
	f.text(14, &p.AuthorProfileID)
	f.text(15, &p.Bio)
	f.text(16, (*string)(&p.Gender))
	f.count(17, &p.Age)
	f.count(18, &p.Followers)
	f.count(19, &p.Following)
	f.count(20, &p.AuthorPosts)
	f.count(21, &p.Klout)
	f.flag(22, &p.Verified)
	f.text(23, &p.Location)
	f.text(24, &p.Place.Country)
	f.text(25, &p.Place.State)
	f.text(26, &p.Place.City)
	f.point(27, &p.Point)
	f.text(28, &p.Zipcode)
	f.flag(29, &p.Geotagged)
	f.text(30, (*string)(&p.Engagement))
	f.text(31, &p.ParentGUID)
	f.text(32, &p.PageID)
	f.count(33, &p.Likes)
	f.count(34, &p.Shares)
	f.count(35, &p.Comments)
	f.count(36, &p.Replies)
	f.count(37, &p.Retweets)
	f.count(38, &p.Views)
	f.decimal(39, &p.Rating)
	f.texts(40, &p.Hashtags)
	f.texts(41, &p.Links)
	f.texts(42, &p.MediaURLs)
	f.images(43, &p.Images)
	f.pairs(44, &p.Custom)
	f.text(45, &p.EngagingWith)
	f.texts(46, &p.Mentions)
	f.texts(47, &p.Cashtags)
	f.small(48, (*uint8)(&p.AgeGroup))
	f.scores(49, p.Sentiment[:])
	f.scores(50, p.Emotion[:])
	f.interests(51, &p.Interests)
	f.interests(52, &p.AuthorInterests)
	f.small(53, (*uint8)(&p.Inferred))
	f.version(54, &p.InferredBy)
	f.pictures(55, p.Images)
}

// fields writes or reads one field at a time.
type fields interface {
	text(tag byte, v *string)
	texts(tag byte, v *[]string)
	number(tag byte, v *int64)
	count(tag byte, v *earshot.Count)
	flag(tag byte, v *bool)
	timestamp(tag byte, v *time.Time)
	decimal(tag byte, v **float64)
	point(tag byte, v **earshot.Point)
	images(tag byte, v *[]earshot.Image)
	pictures(tag byte, v []earshot.Image) // after images
	pairs(tag byte, v *map[string]string)
	small(tag byte, v *uint8)
	version(tag byte, v *uint32)
	scores(tag byte, v []earshot.Percent)
	interests(tag byte, v *[]earshot.InterestID)
}

const endOfPost = 0

// AppendPost appends the encoding of a post. The post store and streams use it too.
func AppendPost(b []byte, p *earshot.Post) []byte {
	w := writer{b}
	postFields(&w, p)
	return append(w.b, endOfPost)
}

// ReadPost decodes the result of [AppendPost] into p, which must be empty. The strings of p share
// memory with data. After an error p is undefined.
func ReadPost(p *earshot.Post, data string) error {
	r := reader{data: data}
	if err := r.post(p); err != nil {
		return err
	}
	if r.offset != len(data) {
		return fmt.Errorf("%d bytes follow the post", len(data)-r.offset)
	}
	return nil
}
