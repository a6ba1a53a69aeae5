// Package content ingests posts: documents that customers upload into their content sources,
// and posts that operators import. It checks every item before it accepts any, and accepted
// items are in the journal, on disk, before the caller gets a response.
package content

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// Journal is where accepted documents and deletions go.
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

// An Item is a document as it was sent: its values are not checked yet. Uploads set some of
// its fields, imports any.
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

// A Geolocation is where a document was written.
type Geolocation struct {
	ID                  string
	Latitude, Longitude *float64
	Zipcode             string
}

// A Problem is a validation error of one item.
type Problem struct {
	Item    int // its index
	Message string
}

// field returns the message for a problem of a field.
func field(name, problem string) string { return name + " " + problem }
