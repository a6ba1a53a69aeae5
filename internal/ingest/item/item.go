// Package item validates posts that people and programs send: documents of uploads, lines of
// imports and files, and items of webhooks. An [Item] contains the values as received; [Check]
// converts it to a post or says what is wrong with it. Package record decodes items.
package item

import (
	"fmt"
	"strings"

	"earshot"
)

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

// Field returns the message for a problem with a field, for example "guid is missing".
func Field(name, problem string) string { return name + " " + problem }

// Clip truncates a value for an error message.
func Clip(s string) string { return earshot.Clip(s, 60) }

// Key normalizes a guid or a URL as [Check] does, so that it matches that of a post.
func Key(s string) string { return removeControls(strings.TrimSpace(s)) }

// Network returns the network that the type of an item names, or says what is wrong with it.
func Network(typ string) (network earshot.Source, problem string) {
	if typ == "" {
		return "", Field("type", "is missing")
	}
	network, ok := earshot.FindNetwork(typ)
	if !ok {
		return "", Field("type", fmt.Sprintf("'%s' is not a network", Clip(typ)))
	}
	return network, ""
}
