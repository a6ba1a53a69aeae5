package poststore

import (
	"cmp"
	"time"

	"earshot"
	"earshot/internal/query/watchlist"
)

// A Selection picks posts. Every condition that is set must hold.
type Selection struct {
	Set           SetID            // posts of this set; 0: all posts
	From, To      time.Time        // To is exclusive
	FromPost      *earshot.Post    // this one and those after it in the order of earshot.ComparePosts
	Sources       []earshot.Source // any of these
	ContentSource earshot.ContentSourceID
	Where         *watchlist.Condition
	Sites         []string // any of these domains, or a subdomain of one
	Authors       []string // any of these, as author or user name, in any case
	Parents       []string // any of these is the guid of the post that it answers or repeats
	Engagement    earshot.Engagement
	Geotagged     bool
	Categories    CategoryFilter
	Having        []Having         // all of these
	After         earshot.Position // came with a journal entry after this one
}

// A CategoryFilter picks posts that have one of some sentiments or emotions, or are in one of
// some sets. The zero CategoryFilter picks every post.
type CategoryFilter struct {
	Sentiments, Emotions uint8 // bit i is for index i of earshot.BasicCategories and BasicEmotions
	Sets                 []SetID
}

// IsZero reports whether the filter picks every post.
func (f CategoryFilter) IsZero() bool {
	return f.Sentiments == 0 && f.Emotions == 0 && len(f.Sets) == 0
}

// Has reports whether the filter names the sentiment or the emotion with an index, -1 for
// unknown.
func (f CategoryFilter) Has(sentiment, emotion int) bool {
	return sentiment >= 0 && f.Sentiments>>sentiment&1 != 0 || emotion >= 0 && f.Emotions>>emotion&1 != 0
}

// A Having picks posts that have one of Keys among their values of By, which is one of Dims.
// Without keys it picks none. For ByImageClass and ByBrand an id alone stands for all keys that
// begin with it.
type Having struct {
	By   Dim
	Keys []string
	Zone *time.Location // of ByDay, ByHour and ByClock; nil is UTC
}

// Location returns the zone of days and hours.
func (h *Having) Location() *time.Location { return cmp.Or(h.Zone, time.UTC) }

// ByID reports whether keys of By begin with an id and a space, and no id has one.
func (h *Having) ByID() bool { return h.By == ByImageClass || h.By == ByBrand }
