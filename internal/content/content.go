// Package content ingests posts: documents that customers upload to their content sources, and
// posts that operators import. It validates items before it accepts them. Accepted items are in the
// journal, on disk, before the caller gets a response.
package content

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// A Journal durably stores accepted documents and deletions.
type Journal interface {
	Append(ctx context.Context, e journal.Entry) (earshot.Position, error)
}

// A Service ingests content.
type Service struct {
	Catalog *catalog.Catalog
	Journal Journal
	Store   poststore.Counter // counts the documents of content sources
	Now     func() time.Time
}

// An Item is a document as received, before validation. Uploads set only some of the fields;
// imports may set any.
type Item struct {
	Type string // the network or, in uploads that use the old format, the content source

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
	Custom                        map[string]*string // nil values count as not given
}

// A Geolocation is the place that a document names as its origin.
type Geolocation struct {
	ID                  string
	Latitude, Longitude *float64
	Zipcode             string
}

// A Problem is the validation error of one item.
type Problem struct {
	Item    int // index of the item
	Message string
}

// field returns the message for a problem with a field, for example "guid is missing".
func field(name, problem string) string { return name + " " + problem }
