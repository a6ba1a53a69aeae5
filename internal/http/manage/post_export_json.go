package manage

import (
	"bufio"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
)

// An exportLine is a post in the format of imports. It omits inferred attributes, because an import
// infers them again.
type exportLine struct {
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
	Geolocation     *exportPlace       `json:"geolocation,omitempty"`
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
	Images          []exportImage      `json:"images,omitempty"`
	Custom          map[string]string  `json:"custom,omitempty"`

	// What the team keeps about the post. Imports ignore it.
	Starred  bool     `json:"starred,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Assignee string   `json:"assignee,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

type exportPlace struct {
	ID        string   `json:"id,omitempty"`
	Latitude  *float64 `json:"latitude,omitempty"`
	Longitude *float64 `json:"longitude,omitempty"`
	Zipcode   string   `json:"zipcode,omitempty"`
}

type exportImage struct {
	URL     string         `json:"url"`
	Alt     string         `json:"alt,omitempty"`
	Brands  []exportBrand  `json:"brands,omitempty"`
	Objects []exportObject `json:"objects,omitempty"`
}

type exportBrand struct {
	BrandID string  `json:"brandId"`
	Brand   string  `json:"brand"`
	Size    string  `json:"size"`
	Score   float64 `json:"score"`
}

type exportObject struct {
	Score     float64 `json:"score"`
	ClassID   int64   `json:"classId"`
	ClassName string  `json:"className"`
}

// A jsonWriter writes posts as lines of JSON.
type jsonWriter struct {
	export *export
	zone   *time.Location
	out    *bufio.Writer
	line   []byte
}

func (e *export) newJSON(w *bufio.Writer) (postWriter, error) {
	return &jsonWriter{export: e, zone: e.monitor.Location(), out: w}, nil
}

func (l *jsonWriter) write(p *earshot.Post) (err error) {
	mark := l.export.mark(p)
	l.export.api.Posts.Redact(p)
	line := newExportLine(p, l.zone)
	line.Starred, line.Tags, line.Assignee, line.Notes = mark.Starred, mark.Tags, assigneeName(mark), noteTexts(mark)
	if l.line, err = rest.AppendJSON(l.line[:0], line); err != nil {
		return err
	}
	_, err = l.out.Write(append(l.line, '\n'))
	return err
}

func (l *jsonWriter) flush() error { return l.out.Flush() }

func newExportLine(p *earshot.Post, zone *time.Location) *exportLine {
	line := &exportLine{
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
	line.Geolocation = newExportPlace(p)
	for _, i := range p.Images {
		line.Images = append(line.Images, newExportImage(i, p.Inferred&earshot.InferredImages == 0))
	}
	return line
}

func newExportPlace(p *earshot.Post) *exportPlace {
	place := exportPlace{Zipcode: p.Zipcode}
	if p.Inferred&earshot.InferredPlace == 0 {
		place.ID = geo.Plain(p.Place).ID()
	}
	if p.Point != nil {
		place.Latitude, place.Longitude = &p.Point.Latitude, &p.Point.Longitude
	}
	if place == (exportPlace{}) {
		return nil
	}
	return &place
}

// newExportImage renders an image. Unless content is set, it omits brands and objects, which are
// inferred.
func newExportImage(i earshot.Image, content bool) exportImage {
	shown := exportImage{URL: i.URL, Alt: i.Alt}
	if !content {
		return shown
	}
	for _, b := range i.Brands {
		shown.Brands = append(shown.Brands, exportBrand{BrandID: b.ID, Brand: b.Name, Size: b.Size, Score: b.Score})
	}
	for _, o := range i.Objects {
		shown.Objects = append(shown.Objects, exportObject{Score: o.Score, ClassID: o.ClassID, ClassName: o.ClassName})
	}
	return shown
}
