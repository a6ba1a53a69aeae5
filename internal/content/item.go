package content

import (
	"earshot"
)

// An Item is a document as it was sent: types are right, values are not checked
// yet. The upload endpoint fills some of its fields, the import any.
type Item struct {
	Type string // network or, in the old upload form, content source

	GUID, URL, Date    string
	Title, Contents    string
	Language, Location string
	Geolocation        *Geolocation

	Author, AuthorUsername, AuthorProfileID, Bio string
	Gender                                       string
	Age, Followers, Following, Posts, Klout      *int64
	Verified                                     bool

	EngagementType, EngagingWith, ParentGUID, PageID  string
	Likes, Shares, Comments, Replies, Retweets, Views *int64
	Rating                                            *float64

	Hashtags, Mentions, MediaURLs []string
	Images                        []earshot.Image
	Custom                        map[string]*string // nil: not given
}

// A Geolocation is where a document says it was written.
type Geolocation struct {
	ID                  string
	Latitude, Longitude *float64
	Zipcode             string
}

// A Problem is what is wrong with one item.
type Problem struct {
	Item    int // its index
	Message string
}

// field words a problem of one field, naming it first.
func field(name, problem string) string { return name + " " + problem }
