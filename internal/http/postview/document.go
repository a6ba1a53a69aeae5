package postview

import (
	"cmp"

	"earshot/internal/content"
	"earshot/internal/http/rest"
)

// A Document is an uploaded document as JSON.
type Document struct {
	Type            string             `json:"type" doc:"old form: name of the content source" deprecated:"true"`
	Date            string             `json:"date" doc:"when it was written: a timestamp, UTC unless it has an offset" required:"true" example:"2026-03-01T08:30:00Z"`
	Contents        string             `json:"contents" doc:"full text, 16,384 characters at most" required:"true" example:"The new coffee is lovely"`
	Content         string             `json:"content" doc:"another spelling of contents" deprecated:"true"`
	GUID            rest.Text          `json:"guid" doc:"unique id within the content source; the url when left out. A document with a known one is replaced" example:"answer-17"`
	URL             string             `json:"url" doc:"address of the document; needed where there is no guid"`
	Title           string             `json:"title" doc:"title"`
	Author          string             `json:"author" doc:"name of the author"`
	Language        string             `json:"language" doc:"2-letter code; detected when left out"`
	Gender          string             `json:"gender" doc:"of the author: M or F"`
	PageID          rest.Text          `json:"pageId" doc:"page it stands on; for reference only"`
	ParentGUID      rest.Text          `json:"parentGuid" doc:"document it belongs to; for reference only"`
	AuthorProfileID rest.Text          `json:"authorProfileId" doc:"profile of the author; for reference only"`
	Age             rest.Int           `json:"age" doc:"of the author, in years"`
	EngagementType  string             `json:"engagementType" doc:"what it is towards another document" values:"REPLY,RETWEET,COMMENT"`
	Geolocation     *DocumentPlace     `json:"geolocation" doc:"where it was written: an id, coordinates or a zip code"`
	Custom          map[string]*string `json:"custom" doc:"fields of your own: names of 100 characters, values of 10,000, at most 10 names in a content source"`
}

// A DocumentPlace is the place that a document names as its origin.
type DocumentPlace struct {
	ID        string    `json:"id" doc:"a geography id like USA.CA.San Diego"`
	Latitude  *float64  `json:"latitude" doc:"degrees north"`
	Longitude *float64  `json:"longitude" doc:"degrees east"`
	Zipcode   rest.Text `json:"zipcode" doc:"of the USA"`
}

// Item returns the document in the form that package content validates.
func (d Document) Item() content.Item {
	item := content.Item{
		Type:            d.Type,
		GUID:            d.GUID.Value,
		URL:             d.URL,
		Date:            d.Date,
		Title:           d.Title,
		Contents:        cmp.Or(d.Contents, d.Content),
		Language:        d.Language,
		Author:          d.Author,
		AuthorProfileID: d.AuthorProfileID.Value,
		Gender:          d.Gender,
		EngagementType:  d.EngagementType,
		ParentGUID:      d.ParentGUID.Value,
		PageID:          d.PageID.Value,
		Custom:          d.Custom,
	}
	if d.Age.Presence == rest.Given {
		item.Age = &d.Age.Value
	}
	if g := d.Geolocation; g != nil {
		item.Geolocation = &content.Geolocation{ID: g.ID, Latitude: g.Latitude, Longitude: g.Longitude, Zipcode: g.Zipcode.Value}
	}
	return item
}
