package postview

import (
	"strconv"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/jsonvalue"
)

// A Post is a post of a monitor as JSON.
type Post struct {
	Facts
	EngagementType earshot.Engagement `json:"engagementType,omitempty" doc:"how it relates to another post" values:"POST,RETWEET,REPLY,COMMENT"`
	Custom         map[string]string  `json:"custom,omitempty" doc:"custom fields of an uploaded document"`
}

// Facts are the fields that posts of monitors and of streams have in common. Texts are pointers so
// that a text that a restricted source omits differs from an empty one.
type Facts struct {
	URL                string             `json:"url,omitempty" doc:"URL of the post"`
	Date               earshot.Timestamp  `json:"date,omitzero" doc:"when it was written, in the monitor's time zone" restricted:"true"`
	Author             string             `json:"author,omitempty" doc:"author: a name, or handle (display name)" restricted:"true"`
	Contents           *string            `json:"contents,omitempty" doc:"text; an excerpt around what the monitor matches unless fullContents is true" restricted:"true"`
	Title              *string            `json:"title,omitempty" doc:"title; may be empty" restricted:"true"`
	Type               earshot.Source     `json:"type" doc:"name of the source"`
	Language           string             `json:"language,omitempty" doc:"2-letter code"`
	Location           string             `json:"location,omitempty" doc:"location as free text"`
	Geolocation        *Geolocation       `json:"geolocation,omitempty" doc:"place"`
	AuthorKlout        earshot.Count      `json:"authorKlout,omitzero" doc:"the author's Klout score"`
	AuthorGender       earshot.Gender     `json:"authorGender,omitempty" doc:"gender of the author" values:"M,F"`
	AuthorPosts        earshot.Count      `json:"authorPosts,omitzero" doc:"number of posts that the author has written"`
	AuthorsFollowing   earshot.Count      `json:"authorsFollowing,omitzero" doc:"accounts the author follows"`
	AuthorsFollowers   earshot.Count      `json:"authorsFollowers,omitzero" doc:"accounts that follow the author"`
	AuthorUsername     string             `json:"authorUsername,omitempty" doc:"user name of the author"`
	AuthorProfileID    string             `json:"authorProfileId,omitempty" doc:"the author's profile id on the source"`
	AssignedCategoryID earshot.CategoryID `json:"assignedCategoryId" doc:"id of the assigned category; 0 if none"`
	AssignedEmotionID  earshot.CategoryID `json:"assignedEmotionId" doc:"id of the assigned emotion; 0 if none"`
	CategoryScores     []CategoryScore    `json:"categoryScores" doc:"scores of all the monitor's categories"`
	EmotionScores      []EmotionScore     `json:"emotionScores" doc:"scores of all the monitor's emotions"`
	ImageInfo          []ImageInfo        `json:"imageInfo" doc:"images and what they show"`
}

// A Geolocation is a place of the gazetteer as JSON.
type Geolocation struct {
	ID      string `json:"id" doc:"geography id, for example USA.CA.San Diego"`
	Name    string `json:"name" doc:"name of the place"`
	Country string `json:"country" doc:"ISO 3166 alpha-3 code"`
	State   string `json:"state,omitempty" doc:"state or province"`
	City    string `json:"city,omitempty" doc:"city"`
}

// A CategoryScore is the score of a post in one category.
type CategoryScore struct {
	CategoryID   earshot.CategoryID `json:"categoryId" doc:"id of the category"`
	CategoryName string             `json:"categoryName" doc:"name of the category"`
	Score        float64            `json:"score" doc:"from 0 to 1"`
}

// An EmotionScore is the score of a post in one emotion.
type EmotionScore struct {
	EmotionID   earshot.CategoryID `json:"emotionId" doc:"id of the emotion"`
	EmotionName string             `json:"emotionName" doc:"name of the emotion"`
	Score       float64            `json:"score" doc:"from 0 to 1"`
}

// An ImageInfo is an image of a post as JSON.
type ImageInfo struct {
	URL     string        `json:"url" doc:"URL of the image"`
	Brands  []ImageBrand  `json:"brands,omitempty" doc:"logos in the image"`
	Objects []ImageObject `json:"objects,omitempty" doc:"objects, scenes and actions in the image"`
}

// An ImageBrand is a logo in an image as JSON.
type ImageBrand struct {
	BrandID string  `json:"brandId" doc:"id of the brand"`
	Brand   string  `json:"brand" doc:"name of the brand"`
	Size    string  `json:"size" doc:"size of the logo in the image"`
	Score   float64 `json:"score" doc:"from 0 to 1"`
}

// An ImageObject is an object, scene or action in an image as JSON.
type ImageObject struct {
	Score     float64 `json:"score" doc:"from 0 to 1"`
	ClassID   int64   `json:"classId" doc:"id of the class"`
	ClassName string  `json:"className" doc:"name of the class"`
}

// A post has ten scores, which make up half of its JSON, so their encoding is written by hand.

// AppendJSON implements rest.Appender.
func (s CategoryScore) AppendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"categoryId":`...), int64(s.CategoryID), 10)
	b = jsonvalue.AppendString(append(b, `,"categoryName":`...), s.CategoryName)
	return append(jsonvalue.AppendNumber(append(b, `,"score":`...), s.Score), '}')
}

// AppendJSON implements rest.Appender.
func (s EmotionScore) AppendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"emotionId":`...), int64(s.EmotionID), 10)
	b = jsonvalue.AppendString(append(b, `,"emotionName":`...), s.EmotionName)
	return append(jsonvalue.AppendNumber(append(b, `,"score":`...), s.Score), '}')
}

// NewGeolocation renders a place of the gazetteer.
func NewGeolocation(e geo.Entry) Geolocation {
	p := geo.Plain(e.Place)
	return Geolocation{ID: p.ID(), Name: e.Name, Country: p.Country, State: p.State, City: p.City}
}

func newImageInfo(i earshot.Image) ImageInfo {
	return ImageInfo{
		URL: i.URL,
		Brands: jsonvalue.Map(i.Brands, func(b earshot.ImageBrand) ImageBrand {
			return ImageBrand{BrandID: b.ID, Brand: b.Name, Size: b.Size, Score: jsonvalue.Round(b.Score)}
		}),
		Objects: jsonvalue.Map(i.Objects, func(o earshot.ImageObject) ImageObject {
			return ImageObject{Score: jsonvalue.Round(o.Score), ClassID: o.ClassID, ClassName: o.ClassName}
		}),
	}
}
