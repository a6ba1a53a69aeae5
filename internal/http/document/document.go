// Package document decodes uploaded documents, as both HTTP interfaces receive them.
package document

import (
	"cmp"

	"earshot/internal/http/rest"
	"earshot/internal/ingest/item"
)

// A Document is an uploaded document as JSON.
type Document struct {
	Type            string             `json:"type" doc:"old format: name of the content source" deprecated:"true"`
	Date            string             `json:"date" doc:"when it was written: a timestamp, UTC unless it has an offset" required:"true" example:"2026-03-01T08:30:00Z"`
	Contents        string             `json:"contents" longest:"16384" doc:"full text, at most 16,384 characters" required:"true" example:"The new coffee is lovely"`
	Content         string             `json:"content" longest:"16384" doc:"alias of contents" deprecated:"true"`
	GUID            rest.Text          `json:"guid" doc:"unique id within the content source; defaults to the url. A document with the same guid is replaced" example:"answer-17"`
	URL             string             `json:"url" longest:"2048" doc:"URL of the document; required if there is no guid"`
	Title           string             `json:"title" longest:"2048" doc:"title"`
	Author          string             `json:"author" longest:"2048" doc:"name of the author"`
	Language        string             `json:"language" doc:"2-letter code; detected if omitted"`
	Gender          string             `json:"gender" doc:"the author's gender: M or F"`
	PageID          rest.Text          `json:"pageId" doc:"id of the page that it was posted on; informational"`
	ParentGUID      rest.Text          `json:"parentGuid" doc:"guid of the parent document; informational"`
	AuthorProfileID rest.Text          `json:"authorProfileId" doc:"profile id of the author; informational"`
	Age             rest.Int           `json:"age" doc:"the author's age in years"`
	EngagementType  string             `json:"engagementType" doc:"how it relates to another document" values:"REPLY,RETWEET,COMMENT"`
	Geolocation     *Place             `json:"geolocation" doc:"where it was written: an id, coordinates or a ZIP code"`
	Custom          map[string]*string `json:"custom" longest:"10000" doc:"custom fields: names up to 100 characters, values up to 10,000 characters, at most 10 different names per content source"`
}

// A Place is the place that a document names as its origin.
type Place struct {
	ID        string     `json:"id" doc:"geography id, for example USA.CA.San Diego"`
	Latitude  rest.Float `json:"latitude" doc:"degrees north"`
	Longitude rest.Float `json:"longitude" doc:"degrees east"`
	Zipcode   rest.Text  `json:"zipcode" doc:"US ZIP code"`
}

// Item returns the document in the form that package item validates.
func (d Document) Item() item.Item {
	it := item.Item{
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
		it.Age = &d.Age.Value
	}
	if g := d.Geolocation; g != nil {
		it.Geolocation = &item.Geolocation{ID: g.ID, Latitude: g.Latitude.Value, Longitude: g.Longitude.Value, Zipcode: g.Zipcode.Value}
	}
	return it
}
