package segment

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// A numberColumn contains one number per row.
type numberColumn struct {
	name  string
	value func(r *batchRow) uint64
}

var numberColumns = []numberColumn{
	{colTime, func(r *batchRow) uint64 { return Seconds(r.Post.Time) }},
	{colNanos, func(r *batchRow) uint64 { return uint64(r.Post.Time.Nanosecond()) }},
	{colKeyHigh, func(r *batchRow) uint64 { return r.key.high() }},
	{colKeyLow, func(r *batchRow) uint64 { return uint64(r.key.low()) }},
	{colArrived, func(r *batchRow) uint64 { return uint64(r.Arrived) }},
	{colIngested, func(r *batchRow) uint64 { return dayOf(r.Ingested) }},
	{colContentSource, func(r *batchRow) uint64 { return uint64(r.Post.ContentSource) }},
	{colTeam, func(r *batchRow) uint64 { return uint64(r.Post.Team) }},
	{colURL, func(r *batchRow) uint64 { return r.url }},
	{colAge, func(r *batchRow) uint64 { return encodeCount(r.Post.Age) }},
	{colFollowers, func(r *batchRow) uint64 { return encodeCount(r.Post.Followers) }},
	{colLikes, func(r *batchRow) uint64 { return encodeCount(r.Post.Likes) }},
	{colShares, func(r *batchRow) uint64 { return encodeCount(r.Post.Shares) }},
	{colComments, func(r *batchRow) uint64 { return encodeCount(r.Post.Comments) }},
	{colReplies, func(r *batchRow) uint64 { return encodeCount(r.Post.Replies) }},
	{colRetweets, func(r *batchRow) uint64 { return encodeCount(r.Post.Retweets) }},
	{colViews, func(r *batchRow) uint64 { return encodeCount(r.Post.Views) }},
	{colAgeGroup, func(r *batchRow) uint64 { return uint64(poststore.AgeGroup(r.Post)) }},
	{colSentiment, func(r *batchRow) uint64 { return uint64(r.Post.Sentiment.Assigned() + 1) }},
	{colEmotion, func(r *batchRow) uint64 { return uint64(r.Post.Emotion.Assigned() + 1) }},
	{colSentimentCell, func(r *batchRow) uint64 { return uint64(r.Post.Sentiment.Cell()) }},
	{colEmotionCell, func(r *batchRow) uint64 { return uint64(r.Post.Emotion.Cell()) }},
	{colModels, func(r *batchRow) uint64 { return uint64(r.Post.InferredBy) }},
	{colPictures, func(r *batchRow) uint64 { return uint64(min(len(r.Post.Images), 1)) }},
}

// A dictColumn contains one dictionary id per row.
type dictColumn struct {
	name, dict string
	append     func(b []byte, p *earshot.Post) []byte
}

var dictColumns = []dictColumn{
	{colSource, dictSource, func(b []byte, p *earshot.Post) []byte { return append(b, p.Source...) }},
	{colBatch, dictBatch, func(b []byte, p *earshot.Post) []byte { return append(b, p.Batch...) }},
	{colSite, dictSite, func(b []byte, p *earshot.Post) []byte { return append(b, p.Site...) }},
	{colLanguage, dictLanguage, func(b []byte, p *earshot.Post) []byte { return append(b, p.Language...) }},
	{colPlace, dictPlace, appendPlace},
	{colGender, dictGender, func(b []byte, p *earshot.Post) []byte { return append(b, p.Gender...) }},
	{colEngagement, dictEngagement, func(b []byte, p *earshot.Post) []byte { return append(b, p.Engagement...) }},
	{colParent, dictParent, func(b []byte, p *earshot.Post) []byte { return append(b, p.ParentGUID...) }},
	{colPage, dictPage, func(b []byte, p *earshot.Post) []byte { return append(b, p.PageID...) }},
	{colAuthor, dictAuthor, appendAuthor},
}

// surnameColumn is computed per author instead of per post because many posts have the same author.
var surnameColumn = dictColumn{name: colSurname, dict: dictSurname}

// A listColumn contains a list of dictionary ids per row.
type listColumn struct {
	name, dict string
	values     func(p *earshot.Post) []string
}

var listColumns = []listColumn{
	{listHashtags, dictHashtag, func(p *earshot.Post) []string { return p.Hashtags }},
	{listCashtags, dictCashtag, func(p *earshot.Post) []string { return p.Cashtags }},
	{listMentions, dictMention, func(p *earshot.Post) []string { return p.Mentions }},
	{listInterest, dictInterest, enginekit.Interests},
	{listClasses, dictImageClass, enginekit.ImageClasses},
	{listBrands, dictBrand, enginekit.Brands},
}

// flags contains, for each flag, a function that reports whether a row has it.
var flags = []func(r *Row) bool{
	flagGeotagged:   func(r *Row) bool { return r.Post.Geotagged },
	flagVerified:    func(r *Row) bool { return r.Post.Verified },
	flagHashtags:    func(r *Row) bool { return len(r.Post.Hashtags) > 0 },
	flagMentions:    func(r *Row) bool { return len(r.Post.Mentions) > 0 },
	flagEverMatched: func(r *Row) bool { return len(r.Sets) > 0 },
	flagInterests:   func(r *Row) bool { return len(r.Post.Interests)+len(r.Post.AuthorInterests) > 0 },
	flagClasses: func(r *Row) bool {
		return slices.ContainsFunc(r.Post.Images, func(i earshot.Image) bool { return len(i.Objects) > 0 })
	},
	flagBrands: func(r *Row) bool {
		return slices.ContainsFunc(r.Post.Images, func(i earshot.Image) bool { return len(i.Brands) > 0 })
	},
}

func appendPlace(b []byte, p *earshot.Post) []byte {
	if p.Place.IsZero() {
		return b
	}
	b = append(append(b, p.Place.Country...), 0)
	b = append(append(b, p.Place.State...), 0)
	return append(b, p.Place.City...)
}

func appendAuthor(b []byte, p *earshot.Post) []byte {
	if p.AuthorUsername == "" && p.Author == "" {
		return b
	}
	b = append(append(b, p.AuthorUsername...), 0)
	return append(b, p.Author...)
}

// encodeCount returns the column value of a count: 0 if it is not stated, otherwise the count plus
// 1.
func encodeCount(c earshot.Count) uint64 {
	n, stated := c.Value()
	if !stated {
		return 0
	}
	return uint64(n) + 1
}

// dayOf returns the UTC day of t in days since 1970, or 0 for earlier days.
func dayOf(t time.Time) uint64 { return uint64(max(t.Unix(), 0)) / (24 * 60 * 60) }

// urlHash returns a hash of a URL. It is never 0, which stands for posts without a URL.
func urlHash(url string) uint64 {
	sum := sha256.Sum256([]byte(url))
	return max(binary.BigEndian.Uint64(sum[:8]), 1)
}
