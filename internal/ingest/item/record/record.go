// Package record decodes items: posts as JSON objects, JSON lines, or records of CSV files. It is
// the format of imports, of the folder and of webhooks.
package record

import (
	"bytes"
	"cmp"
	"errors"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/ingest/item"
)

// MaxBytes is the maximum size of a record. It bounds the memory of an import.
const MaxBytes = 1 << 20

// Decode decodes a JSON object. The error is a phrase for people, for example
//
//	likes must be a whole number, not a string
func Decode(data []byte) (item.Item, error) {
	var r Record
	if !scan(string(data), &r) {
		r = Record{}
		if err := rest.Decode(data, "", &r); err != nil {
			return item.Item{}, errors.New(strings.TrimPrefix(err.Error(), invalidBody))
		}
	}
	return r.item(), nil
}

// DecodeDeletion returns the guid of a post that a JSON object deletes, as in
//
//	{"guid":"17","deleted":true}
//
// As in an item, the url is the guid if there is none. The guid is empty if the object does not
// delete a post or cannot be decoded, and ok is false then; it is an item then.
func DecodeDeletion(data []byte) (guid string, ok bool) {
	if !bytes.Contains(data, []byte(`"deleted"`)) {
		return "", false
	}
	var d struct {
		GUID    rest.Text `json:"guid"`
		URL     string    `json:"url"`
		Deleted rest.Bool `json:"deleted"`
	}
	if rest.Decode(data, "", &d) != nil || !d.Deleted.Value {
		return "", false
	}
	guid = cmp.Or(item.Key(d.GUID.Value), item.Key(d.URL))
	return guid, guid != ""
}

// invalidBody is the prefix of error messages about request bodies.
var invalidBody = earshot.InvalidBody("").Message

// A Record is a post as a JSON object, for example a line of an import.
type Record struct {
	Type            string             `json:"type"`
	GUID            rest.Text          `json:"guid"`
	URL             string             `json:"url"`
	Date            string             `json:"date"`
	Title           string             `json:"title"`
	Contents        string             `json:"contents"`
	Author          string             `json:"author"`
	AuthorUsername  string             `json:"authorUsername"`
	AuthorProfileID rest.Text          `json:"authorProfileId"`
	AuthorGender    string             `json:"authorGender"`
	AuthorAge       rest.Int           `json:"authorAge"`
	AuthorFollowers rest.Int           `json:"authorFollowers"`
	AuthorFollowing rest.Int           `json:"authorFollowing"`
	AuthorPosts     rest.Int           `json:"authorPosts"`
	AuthorKlout     rest.Int           `json:"authorKlout"`
	AuthorVerified  rest.Bool          `json:"authorVerified"`
	Bio             string             `json:"bio"`
	Language        string             `json:"language"`
	Location        string             `json:"location"`
	Geolocation     *geolocation       `json:"geolocation"`
	EngagementType  string             `json:"engagementType"`
	EngagingWith    string             `json:"engagingWith"`
	ParentGUID      rest.Text          `json:"parentGuid"`
	PageID          rest.Text          `json:"pageId"`
	Likes           rest.Int           `json:"likes"`
	Shares          rest.Int           `json:"shares"`
	Comments        rest.Int           `json:"comments"`
	Replies         rest.Int           `json:"replies"`
	Retweets        rest.Int           `json:"retweets"`
	Views           rest.Int           `json:"views"`
	Rating          *float64           `json:"rating"`
	Hashtags        []string           `json:"hashtags"`
	Mentions        []string           `json:"mentions"`
	MediaURLs       []string           `json:"mediaUrls"`
	Images          []image            `json:"images"`
	Custom          map[string]*string `json:"custom"`
}

type geolocation struct {
	ID        string     `json:"id"`
	Latitude  rest.Float `json:"latitude"`
	Longitude rest.Float `json:"longitude"`
	Zipcode   rest.Text  `json:"zipcode"`
}

type image struct {
	URL    string `json:"url"`
	Alt    string `json:"alt"`
	Brands []struct {
		BrandID rest.Text `json:"brandId"`
		Brand   string    `json:"brand"`
		Size    string    `json:"size"`
		Score   float64   `json:"score"`
	} `json:"brands"`
	Objects []struct {
		Score     float64  `json:"score"`
		ClassID   rest.Int `json:"classId"`
		ClassName string   `json:"className"`
	} `json:"objects"`
}

func (r *Record) item() item.Item {
	it := item.Item{
		Type: r.Type, GUID: r.GUID.Value, URL: r.URL, Date: r.Date, Title: r.Title, Contents: r.Contents,
		Language: r.Language, Location: r.Location,
		Author: r.Author, AuthorUsername: r.AuthorUsername, AuthorProfileID: r.AuthorProfileID.Value, Bio: r.Bio,
		Gender: r.AuthorGender, Age: intPointer(r.AuthorAge), Followers: intPointer(r.AuthorFollowers),
		Following: intPointer(r.AuthorFollowing), Posts: intPointer(r.AuthorPosts), Klout: intPointer(r.AuthorKlout),
		Verified:       r.AuthorVerified.Value,
		EngagementType: r.EngagementType, EngagingWith: r.EngagingWith, ParentGUID: r.ParentGUID.Value, PageID: r.PageID.Value,
		Likes: intPointer(r.Likes), Shares: intPointer(r.Shares), Comments: intPointer(r.Comments), Replies: intPointer(r.Replies),
		Retweets: intPointer(r.Retweets), Views: intPointer(r.Views), Rating: r.Rating,
		Hashtags: r.Hashtags, Mentions: r.Mentions, MediaURLs: r.MediaURLs, Custom: r.Custom,
	}
	if g := r.Geolocation; g != nil {
		it.Geolocation = &item.Geolocation{ID: g.ID, Latitude: g.Latitude.Value, Longitude: g.Longitude.Value, Zipcode: g.Zipcode.Value}
	}
	for _, i := range r.Images {
		it.Images = append(it.Images, i.domain())
	}
	return it
}

func (i image) domain() earshot.Image {
	d := earshot.Image{URL: i.URL, Alt: i.Alt}
	for _, b := range i.Brands {
		d.Brands = append(d.Brands, earshot.ImageBrand{ID: b.BrandID.Value, Name: b.Brand, Size: b.Size, Score: b.Score})
	}
	for _, o := range i.Objects {
		d.Objects = append(d.Objects, earshot.ImageObject{Score: o.Score, ClassID: o.ClassID.Value, ClassName: o.ClassName})
	}
	return d
}

func intPointer(n rest.Int) *int64 {
	if n.Presence != rest.Given {
		return nil
	}
	return &n.Value
}
