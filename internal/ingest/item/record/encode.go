package record

import (
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
)

// A Line is a post as [Record] reads it. It omits inferred attributes, because an import infers them
// again.
type Line struct {
	Type            earshot.Source     `json:"type"`
	GUID            string             `json:"guid"`
	URL             string             `json:"url,omitempty"`
	Date            string             `json:"date,omitempty"`
	Title           string             `json:"title,omitempty"`
	Contents        string             `json:"contents,omitempty"`
	Author          string             `json:"author,omitempty"`
	AuthorUsername  string             `json:"authorUsername,omitempty"`
	AuthorProfileID string             `json:"authorProfileId,omitempty"`
	AuthorGender    earshot.Gender     `json:"authorGender,omitempty"`
	AuthorAge       earshot.Count      `json:"authorAge,omitzero"`
	AuthorFollowers earshot.Count      `json:"authorFollowers,omitzero"`
	AuthorFollowing earshot.Count      `json:"authorFollowing,omitzero"`
	AuthorPosts     earshot.Count      `json:"authorPosts,omitzero"`
	AuthorKlout     earshot.Count      `json:"authorKlout,omitzero"`
	AuthorVerified  bool               `json:"authorVerified,omitempty"`
	Bio             string             `json:"bio,omitempty"`
	Language        string             `json:"language,omitempty"`
	Location        string             `json:"location,omitempty"`
	Geolocation     *linePlace         `json:"geolocation,omitempty"`
	EngagementType  earshot.Engagement `json:"engagementType,omitempty"`
	EngagingWith    string             `json:"engagingWith,omitempty"`
	ParentGUID      string             `json:"parentGuid,omitempty"`
	PageID          string             `json:"pageId,omitempty"`
	Likes           earshot.Count      `json:"likes,omitzero"`
	Shares          earshot.Count      `json:"shares,omitzero"`
	Comments        earshot.Count      `json:"comments,omitzero"`
	Replies         earshot.Count      `json:"replies,omitzero"`
	Retweets        earshot.Count      `json:"retweets,omitzero"`
	Views           earshot.Count      `json:"views,omitzero"`
	Rating          *float64           `json:"rating,omitempty"`
	Hashtags        []string           `json:"hashtags,omitempty"`
	Mentions        []string           `json:"mentions,omitempty"`
	MediaURLs       []string           `json:"mediaUrls,omitempty"`
	Images          []lineImage        `json:"images,omitempty"`
	Custom          map[string]string  `json:"custom,omitempty"`

	// What the team keeps about the post. Imports ignore it.
	Starred  bool     `json:"starred,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Assignee string   `json:"assignee,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

type linePlace struct {
	ID        string   `json:"id,omitempty"`
	Latitude  *float64 `json:"latitude,omitempty"`
	Longitude *float64 `json:"longitude,omitempty"`
	Zipcode   string   `json:"zipcode,omitempty"`
}

type lineImage struct {
	URL     string       `json:"url"`
	Alt     string       `json:"alt,omitempty"`
	Brands  []lineBrand  `json:"brands,omitempty"`
	Objects []lineObject `json:"objects,omitempty"`
}

type lineBrand struct {
	ID    string  `json:"brandId"`
	Name  string  `json:"brand"`
	Size  string  `json:"size"`
	Score float64 `json:"score"`
}

type lineObject struct {
	Score     float64 `json:"score"`
	ClassID   int64   `json:"classId"`
	ClassName string  `json:"className"`
}

// Append appends the line as JSON, with a newline.
func (l *Line) Append(b []byte) ([]byte, error) {
	b, err := rest.AppendJSON(b, l)
	return append(b, '\n'), err
}

// NewLine returns the line of a post, with its date in a time zone.
func NewLine(p *earshot.Post, zone *time.Location) *Line {
	line := &Line{
		Type: p.Source, GUID: p.GUID, URL: p.URL, Title: p.Title, Contents: p.Contents,
		Author: p.Author, AuthorUsername: p.AuthorUsername, AuthorProfileID: p.AuthorProfileID, AuthorAge: p.Age,
		AuthorFollowers: p.Followers, AuthorFollowing: p.Following, AuthorPosts: p.AuthorPosts, AuthorKlout: p.Klout,
		AuthorVerified: p.Verified, Bio: p.Bio, Location: p.Location,
		EngagementType: p.Engagement, EngagingWith: p.EngagingWith, ParentGUID: p.ParentGUID, PageID: p.PageID,
		Likes: p.Likes, Shares: p.Shares, Comments: p.Comments, Replies: p.Replies, Retweets: p.Retweets, Views: p.Views,
		Rating: p.Rating, Hashtags: p.Hashtags, Mentions: p.Mentions, MediaURLs: p.MediaURLs, Custom: p.Custom,
	}
	if !p.Time.IsZero() {
		line.Date = p.Time.In(zone).Format(time.RFC3339Nano)
	}
	if p.Inferred&earshot.InferredGender == 0 {
		line.AuthorGender = p.Gender
	}
	if p.Inferred&earshot.InferredLanguage == 0 {
		line.Language = p.Language
	}
	line.Geolocation = newLinePlace(p)
	for _, i := range p.Images {
		line.Images = append(line.Images, newLineImage(i, p.Inferred&earshot.InferredImages == 0))
	}
	return line
}

func newLinePlace(p *earshot.Post) *linePlace {
	place := linePlace{Zipcode: p.Zipcode}
	if p.Inferred&earshot.InferredPlace == 0 {
		place.ID = geo.Plain(p.Place).ID()
	}
	if p.Point != nil {
		place.Latitude, place.Longitude = &p.Point.Latitude, &p.Point.Longitude
	}
	if place == (linePlace{}) {
		return nil
	}
	return &place
}

// newLineImage returns an image. Unless content is set, it omits brands and objects, which are inferred.
func newLineImage(i earshot.Image, content bool) lineImage {
	line := lineImage{URL: i.URL, Alt: i.Alt}
	if content {
		line.Brands = jsonvalue.Map(i.Brands, func(b earshot.ImageBrand) lineBrand { return lineBrand(b) })
		line.Objects = jsonvalue.Map(i.Objects, func(o earshot.ImageObject) lineObject { return lineObject(o) })
	}
	return line
}
